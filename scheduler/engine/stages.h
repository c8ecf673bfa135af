/* stages.h - the plain way to do each stage of a round, see policies/stages.h.
 *
 * Jobs are done by their iterations, ends are planned with the overheads that are foreseen, a job
 * is late if its last iteration is done after its deadline, and jobs stay on the GPUs that they
 * have. */
#ifndef ENGINE_STAGES_H
#define ENGINE_STAGES_H

#include "scheduler/engine/round.h"

void *plain_open(engine_t *self);
void plain_close(void *memory);
int64_t plain_whole_s(const engine_t *self, const struct job *job);
int plain_check(engine_t *self, struct job *job, struct error *error);
void plain_announce(engine_t *self, struct job *job, int64_t at_s);
void plain_forget(engine_t *self, struct job *job);
int plain_expect(engine_t *self, const struct job *job, struct interval interval,
                 struct progress *progress, struct error *error);
void plain_credit(engine_t *self, struct job *job, const struct progress *progress);
void plain_pay(engine_t *self, struct job *job, int overhead_s);
int plain_collect(engine_t *self, struct error *error);
int plain_retire(engine_t *self, struct error *error);
void plain_adopt(engine_t *self);
int plain_place(engine_t *self, struct error *error);
void plain_charge(engine_t *self);
int64_t plain_foresee(const engine_t *self, const struct job *job);
bool plain_in_time(const engine_t *self, const struct job *job, int64_t foreseen_s);
int plain_advance(engine_t *self, struct error *error);
int64_t plain_restart_rounds(const engine_t *self);

/* `given` with the plain ones where it has none. */
struct stages stages_complete(const struct stages *given);

#endif
