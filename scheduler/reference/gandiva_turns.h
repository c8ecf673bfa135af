/* gandiva_turns.h - jobs hold what their slice sets have for them: those in front of each set run,
 * the others wait for their turn.
 *
 * Where decisions need not list all live jobs, those that wait are set aside: engine->live has the
 * jobs in front alone, in the order of the sets, and engine->running the same. A round then looks
 * at jobs that run, and at those that begin or stop to. */
#ifndef REFERENCE_GANDIVA_TURNS_H
#define REFERENCE_GANDIVA_TURNS_H

#include "scheduler/reference/gandiva_rounds.h"

/* Jobs that found a set have started, and each job holds what its turn is. */
void gandiva_serve(engine_t *self);

/* A stage: all jobs are live again. */
void gandiva_gather(engine_t *self);

#endif
