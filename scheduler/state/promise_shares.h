/* promise_shares.h - how much of the cluster may be promised ahead at one time to the jobs of a
 * user, or of a group of users; docs/promises.md says what counts.
 *
 * The text of the option: WHO=SHARE with commas between, where WHO is a user, @GROUP for all
 * members of a group together, or * for each user who is not named. SHARE is above 0 and at most
 * 1. */
#ifndef STATE_PROMISE_SHARES_H
#define STATE_PROMISE_SHARES_H

#include "common/error.h"
#include "common/memory.h"
#include "scheduler/state/submission.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Seconds over which a share counts, of all GPU-hours that the cluster has in that time. */
#define PROMISE_HORIZON_USUAL_S 86400
#define PROMISE_HORIZON_MAX_S   ((int64_t)1000000000)

typedef struct promise_shares promise_shares_t;

/* Parses the option. NULL, with `error`, if `text` is wrong. */
promise_shares_t *promise_shares_new(const char *text, int64_t horizon_s, struct error *error);
void promise_shares_destroy(promise_shares_t **self);

/* promise_shares_have_users: whether any share is of users. promise_shares_group: the groups with
 * shares, NULL after the last. */
bool promise_shares_have_users(const promise_shares_t *self);
const char *promise_shares_group(const promise_shares_t *self, size_t index);

typedef bool share_member(const void *owner, const char *user, const char *group);

/* Gives `job` the shares that count for jobs of `user`, in the memory `kept`. `is_member` says
 * whether the user is in a group. An empty name is no user, and has no share of its own. */
void promise_shares_give(const promise_shares_t *self, const char *user, share_member *is_member,
                         const void *owner, arena_t *kept, struct submission *job);

#endif
