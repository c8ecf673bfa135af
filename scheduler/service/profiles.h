/* profiles.h - training rates of models that no throughput table has, by model and batch size, in
 * the journal: claimed by a user, or measured by trainers.
 *
 * A profile of a user serves the jobs of that user. A profile without an owner, which an operator
 * teaches, serves all jobs. A measured profile goes before a claimed one, and then the user's own
 * before that of all. The profile of one user never serves another. */
#ifndef SERVICE_PROFILES_H
#define SERVICE_PROFILES_H

#include "common/memory.h"
#include "scheduler/journal/journal.h"
#include "scheduler/service/form.h"
#include "scheduler/state/throughput.h"

#define PROFILES_MAX      1000 /* of one owner, removed ones included */
#define PROFILES_PAST_MAX 20   /* earlier rates of one profile that are listed */

struct profile {
    const char *owner;         /* user whose jobs the profile serves; NULL: all jobs */
    bool measured;             /* by reports of trainers that the service heard */
    struct throughput_row row; /* without levels if the profile was removed */
    const char *by;            /* who wrote the profile; NULL if an earlier version did */
    int64_t at;                /* since 1970; 0 if an earlier version wrote it */
};

typedef struct profiles profiles_t;

/* Reads the profiles of the journal, which is lent. A profile of an earlier version has no owner,
 * and counts as claimed by an operator. NULL with `error`. */
profiles_t *profiles_new(journal_t *journal, struct error *error);
void profiles_destroy(profiles_t **self);

/* The profile that plans a job of `user`, NULL for none. Lent until the next profiles_learn. */
const struct profile *profiles_find(const profiles_t *self, const char *user, const char *model,
                                    int batch_size);

/* The profile of `owner`, NULL for that of all, even if it was removed; NULL if there never was
 * one. Lent until the next profiles_learn. */
const struct profile *profiles_of(const profiles_t *self, const char *owner, bool measured,
                                  const char *model, int batch_size);

/* Lists all profiles, removed ones included, by model and batch size, and then in the order in
 * which they serve. The caller frees `*list`. The profiles are lent until the next
 * profiles_learn. */
size_t profiles_list(const profiles_t *self, const struct profile ***list);

/* The earlier rates of `profile`, the latest first: objects with "rates", null for a removal, "by"
 * and "at". The caller owns the array. NULL with `error`. */
json_t *profiles_past(const profiles_t *self, const struct profile *profile, struct error *error);

/* profiles_put: puts `profile`, or its removal, into the transaction at hand. -1 with `error`, for
 * example if its owner has PROFILES_MAX. profiles_learn: after the commit, makes the stored profile
 * known and returns it. NULL with `error`. */
int profiles_put(profiles_t *self, const struct profile *profile, struct error *error);
const struct profile *profiles_learn(profiles_t *self, const struct profile *profile,
                                     struct error *error);

#endif
