/* profiles.h - how fast models train that no throughput table knows, by model and batch size, kept
 * in the journal: claimed by a user, or measured from what trainers report.
 *
 * A profile serves the jobs of its owner; an operator's serves those of all. Among the profiles
 * that serve a job a measured one comes before a claimed one, then the user's own before that of
 * all: no profile of a user is ever looked at for the job of another one. */
#ifndef SERVICE_PROFILES_H
#define SERVICE_PROFILES_H

#include "common/memory.h"
#include "scheduler/journal/journal.h"
#include "scheduler/service/form.h"
#include "scheduler/state/throughput.h"

#define PROFILES_MAX      1000 /* of one owner, with those that were removed */
#define PROFILES_PAST_MAX 20   /* that are told of one: what it said before */

struct profile {
    const char *owner;         /* whose jobs it serves; NULL: the jobs of all */
    bool measured;             /* by reports of trainers, as the service heard them */
    struct throughput_row row; /* without levels it is removed */
    const char *by;            /* who said so; NULL where an earlier version kept it */
    int64_t at;                /* since 1970; 0 likewise */
};

typedef struct profiles profiles_t;

/* The profiles in the journal, which is lent. A profile of an earlier version, without an owner, is
 * an operator's that was claimed. NULL with `error`. */
profiles_t *profiles_new(journal_t *journal, struct error *error);
void profiles_destroy(profiles_t **self);

/* The profile by which a job of `user` is planned. NULL if none serves it. Lent until the next
 * profiles_learn. */
const struct profile *profiles_find(const profiles_t *self, const char *user, const char *model,
                                    int batch_size);

/* The one profile of `owner`, NULL for that of all, be it removed or not; NULL if there never was
 * one. Lent likewise. */
const struct profile *profiles_of(const profiles_t *self, const char *owner, bool measured,
                                  const char *model, int batch_size);

/* All that there are, with those that were removed: by model and batch size, in the order in which
 * they would serve. `*list` is the caller's to free, what is in it lent likewise. */
size_t profiles_list(const profiles_t *self, const struct profile ***list);

/* The earlier rates of `profile`, the latest first: objects of "rates", null once it was removed,
 * "by" and "at". The caller's; NULL with `error`. */
json_t *profiles_past(const profiles_t *self, const struct profile *profile, struct error *error);

/* Puts `profile`, or that it is removed, into the transaction at hand; it is found from
 * profiles_learn on, which returns it as it is then. -1 or NULL with `error`, also if its owner has
 * PROFILES_MAX. */
int profiles_put(profiles_t *self, const struct profile *profile, struct error *error);
const struct profile *profiles_learn(profiles_t *self, const struct profile *profile,
                                     struct error *error);

#endif
