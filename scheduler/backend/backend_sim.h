/* backend_sim.h - what the simulator puts in the place of trainers: how far jobs get in an
 * interval, and what a restart or a resize costs them.
 *
 * Source: the simulation mode of the published ElasticFlow artifact. */
#ifndef BACKEND_BACKEND_SIM_H
#define BACKEND_BACKEND_SIM_H

#include "common/error.h"
#include "scheduler/state/job.h"
#include "scheduler/reference/lease_book.h"

#include <stdbool.h>
#include <stdint.h>

/* What a job did in the interval that just ended. */
struct progress {
    double iterations;
    int64_t worked_s;     /* on its GPUs, overheads aside */
    bool iterations_done; /* of a job that may be done by its duration as well */
    bool done;       /* before the end that is in the event queue, if work is credited up to that */
    int64_t ended_s; /* when, if so */
    double early_s;  /* this fraction of a second before `ended_s`; not 0 for leases only */
};

/* The work of `job` in the `elapsed_s` seconds up to `now_s`. Nothing is credited behind `until_s`
 * (EF-Q14), nor for the overhead, of which an interval never takes more than it has (EF-Q15). -1,
 * with `error`, if no time is left. */
int backend_sim_progress(const struct job *job, int64_t now_s, int64_t elapsed_s, int64_t until_s,
                         struct progress *progress, struct error *error);

/* When `job` was done that worked up to `now_s`, its overhead paid; `now_s` if it was not. */
int64_t backend_sim_done_s(const struct job *job, int64_t now_s, int64_t elapsed_s);

/* EF-Q14 put right: all work behind the overhead is credited, until nothing is left. */
void backend_sim_work(const struct job *job, int64_t now_s, int64_t elapsed_s,
                      struct progress *progress);

/* The same for a job whose work is the duration that the trace states. */
struct progress backend_sim_progress_of_duration(const struct job *job, int64_t now_s,
                                                 int64_t elapsed_s);

/* The same for a job that is done with its duration or its iterations, whichever comes first. */
struct progress backend_sim_progress_of_either(const struct job *job, int64_t now_s,
                                               int64_t elapsed_s);

/* The same for a job of a lease book, which credits time and counts what starts cost; what is credited
 * here is noted there. */
struct progress backend_sim_progress_of_lease(struct lease *lease, int64_t now_s);

/* The communication groups that were built so far, and what building one costs. A group is known by
 * its first rank and its length (EF-Q17), whoever used it (EF-Q18). */
typedef struct overheads overheads_t;

/* Every `restart_rounds` rounds all trainers restart; never if that is 0. */
overheads_t *overheads_new(int gpu_count, int64_t restart_rounds);
void overheads_destroy(overheads_t **self);

/* Whether the group of `gpus` GPUs from `first_rank` on was built before; from now on it was. */
bool overheads_visit(overheads_t *self, int first_rank, int gpus);

/* Whether all trainers restart in this round. */
bool overheads_restart(const overheads_t *self);

/* The seconds that a job on `gpus` GPUs loses in the interval that starts now, if it has to pay at
 * all (EF-Q20); `seen` is what overheads_visit said of it. */
int overheads_of(const overheads_t *self, int gpus, bool seen);

/* Ends the round; one of restarts ends with all groups forgotten. */
void overheads_end_round(overheads_t *self);

#endif
