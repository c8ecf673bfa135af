/* leased_rounds.h - the rounds of Chronus: jobs run on leases, and the intervals of leases,
 * admissions and checks give the times of rounds. */
#ifndef REFERENCE_LEASED_ROUNDS_H
#define REFERENCE_LEASED_ROUNDS_H

#include "scheduler/reference/artifact.h"

int64_t leased_whole_s(const engine_t *self, const struct job *job);
int leased_check(engine_t *self, struct job *job, struct error *error);
int leased_check_as_job(engine_t *self, struct job *job, struct error *error); /* CH-Q9 */
void leased_announce(engine_t *self, struct job *job, int64_t at_s);
int leased_expect(engine_t *self, const struct job *job, struct interval interval,
                  struct progress *progress, struct error *error);
void leased_credit(engine_t *self, struct job *job, const struct progress *progress);
void leased_adopt(engine_t *self);
int64_t leased_foresee(const engine_t *self, const struct job *job);
bool leased_in_time(const engine_t *self, const struct job *job, int64_t foreseen_s);
int leased_advance(engine_t *self, struct error *error);

/* Loop rules. */
bool late_by_lease(const engine_t *self, const struct job *job, int64_t judged_s);
int64_t tick_at_leases(const engine_t *self);

#endif
