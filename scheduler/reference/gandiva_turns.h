/* gandiva_turns.h - jobs hold the GPUs of their slice sets: the jobs in front of each set run, the
 * other jobs wait for their turn.
 *
 * Where decisions need not list all live jobs, waiting jobs are set aside: engine->live and
 * engine->running have only the jobs in front, in the order of the sets. A round then looks only at
 * jobs that run, begin or stop. */
#ifndef REFERENCE_GANDIVA_TURNS_H
#define REFERENCE_GANDIVA_TURNS_H

#include "scheduler/reference/gandiva_rounds.h"

/* Starts the jobs that found a set, and has each job hold the GPUs of its turn. */
void gandiva_serve(engine_t *self);

/* A stage that makes all jobs live again. */
void gandiva_gather(engine_t *self);

#endif
