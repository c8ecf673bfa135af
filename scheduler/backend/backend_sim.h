/* backend_sim.h - what the simulator puts in the place of trainers: how far jobs get in an
 * interval, and what a restart or a resize costs them.
 *
 * Source: the simulation mode of the published ElasticFlow artifact. */
#ifndef BACKEND_BACKEND_SIM_H
#define BACKEND_BACKEND_SIM_H

#include "common/error.h"
#include "scheduler/state/job.h"

#include <stdbool.h>
#include <stdint.h>

/* What a job did in the interval that just ended. */
struct progress {
    double iterations;
    int64_t worked_s; /* on its GPUs, overheads aside */
    bool done;        /* before the end that is in the event queue */
    int64_t ended_s;  /* when, if so */
};

/* The work of `job` in the `elapsed_s` seconds up to `now_s`. Nothing is credited behind `until_s`
 * (EF-Q14), nor for the overhead, of which an interval never takes more than it has (EF-Q15). -1,
 * with `error`, if no time is left. */
int backend_sim_progress(const struct job *job, int64_t now_s, int64_t elapsed_s, int64_t until_s,
                         struct progress *progress, struct error *error);

/* The same for a job whose work is the duration that the trace states. */
struct progress backend_sim_progress_of_duration(const struct job *job, int64_t now_s,
                                                 int64_t elapsed_s);

/* The same for a job that is done with its duration or its iterations, whichever comes first. TH-Q6:
 * an end by iterations counts as that of the interval, however early they were done. */
struct progress backend_sim_progress_of_either(const struct job *job, int64_t now_s,
                                               int64_t elapsed_s);

/* The communication groups that were built so far, and what building one costs. A group is known by
 * its first rank and its length (EF-Q17), whoever used it (EF-Q18). */
typedef struct overheads overheads_t;

overheads_t *overheads_new(int gpu_count, int64_t slot_s);
void overheads_destroy(overheads_t **self);

/* Whether the group of `gpus` GPUs from `first_rank` on was built before; from now on it was. */
bool overheads_visit(overheads_t *self, int first_rank, int gpus);

/* The seconds that a job on `gpus` GPUs loses in the interval that starts now; `seen` is what
 * overheads_visit said of it. Every running job pays in every round (EF-Q20). */
int overheads_of(const overheads_t *self, int gpus, bool seen);

/* Whether this round restarts all jobs (EF-Q3, CO-Q1). */
bool overheads_is_restart(const overheads_t *self);

/* Ends the round. EF-Q3: every `slot_s` rounds, whatever the restart threshold says, all groups are
 * forgotten. */
void overheads_end_round(overheads_t *self);

#endif
