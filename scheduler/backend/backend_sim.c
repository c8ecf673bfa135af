/* backend_sim.c - see backend_sim.h. */
#include "scheduler/backend/backend_sim.h"

#include "common/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LARGE_CLUSTER_GPUS 256

int backend_sim_progress(const struct job *job, int64_t now_s, int64_t elapsed_s, int64_t until_s,
                         struct progress *progress, struct error *error)
{
    const double rate = job->scaling->rate[job->level];
    int64_t worked_s = elapsed_s;

    if (now_s > until_s)
        worked_s -= now_s - until_s;
    if (worked_s <= 0)
        return error_set(
            error, "job %s: no time passed on its GPUs at %" PRId64 " s; the artifact aborts here",
            job->submission->id, now_s);
    worked_s = worked_s < job->overhead_s ? 0 : worked_s - job->overhead_s;
    *progress = (struct progress){.iterations = (double)worked_s * rate, .worked_s = worked_s};
    if (job->iterations_left <= progress->iterations && job->end_s > now_s) {
        progress->done = true;
        progress->ended_s = now_s - elapsed_s + (int64_t)ceil(job->iterations_left / rate);
        progress->iterations = (double)(job->end_s - now_s + elapsed_s) * rate;
    }
    return 0;
}

static int64_t less_overhead(const struct job *job, int64_t elapsed_s)
{
    return elapsed_s > job->overhead_s ? elapsed_s - job->overhead_s : 0;
}

int64_t backend_sim_done_s(const struct job *job, int64_t now_s, int64_t elapsed_s)
{
    const double needed_s = ceil(job->iterations_left / job->scaling->rate[job->level]);
    const int64_t worked_s = elapsed_s - job->overhead_s;

    return needed_s < (double)worked_s ? now_s - worked_s + (int64_t)needed_s : now_s;
}

struct progress backend_sim_progress_of_duration(const struct job *job, int64_t now_s,
                                                 int64_t elapsed_s)
{
    const int64_t worked_s = less_overhead(job, elapsed_s);
    const int64_t beyond_s = job->attained_s + worked_s - job->submission->duration_s;

    return (struct progress){
        .worked_s = worked_s, .done = beyond_s >= 0, .ended_s = now_s - beyond_s};
}

struct progress backend_sim_progress_of_either(const struct job *job, int64_t now_s,
                                               int64_t elapsed_s)
{
    struct progress progress = backend_sim_progress_of_duration(job, now_s, elapsed_s);

    progress.iterations = (double)progress.worked_s * job->scaling->rate[job->level];
    if (job->iterations_left - progress.iterations <= 0) {
        const int64_t by_work_s = backend_sim_done_s(job, now_s, elapsed_s);

        progress.ended_s =
            progress.done && progress.ended_s < by_work_s ? progress.ended_s : by_work_s;
        progress.done = progress.iterations_done = true;
    }
    return progress;
}

struct progress backend_sim_progress_of_lease(struct lease *lease, int64_t now_s)
{
    struct progress progress = {.worked_s = now_s - lease->since_s};
    double ended_s = 0;

    progress.done = lease_is_done(lease, now_s, &ended_s);
    progress.ended_s = (int64_t)ceil(ended_s);
    progress.early_s = ceil(ended_s) - ended_s;
    lease->since_s = now_s;
    return progress;
}

/* What rounding can leave of the iterations of a job that did them all: many times the errors of
 * some thousand subtractions, far less than a second of work. */
#define ROUNDING 1e-9

void backend_sim_work(const struct job *job, int64_t now_s, int64_t elapsed_s,
                      struct progress *progress)
{
    const int64_t worked_s = less_overhead(job, elapsed_s);

    *progress = (struct progress){.iterations = (double)worked_s * job->scaling->rate[job->level],
                                  .worked_s = worked_s};
    if (job->iterations_left - progress->iterations >
        ROUNDING * (double)job->submission->iterations)
        return;
    progress->done = true;
    progress->ended_s = backend_sim_done_s(job, now_s, elapsed_s);
    progress->iterations = job->iterations_left;
}

struct overheads {
    int64_t restart_rounds;
    int64_t rounds;
    bool large;
    size_t gpu_count;
    uint32_t *groups; /* by first rank, a bit for each power of two of the length */
};

overheads_t *overheads_new(int gpu_count, int64_t restart_rounds)
{
    overheads_t *self = xcalloc(1, sizeof(*self));

    assert(gpu_count > 0);
    assert(restart_rounds >= 0);
    self->restart_rounds = restart_rounds;
    self->large = gpu_count >= LARGE_CLUSTER_GPUS;
    self->gpu_count = (size_t)gpu_count;
    self->groups = xcalloc(self->gpu_count, sizeof(*self->groups));
    return self;
}

void overheads_destroy(overheads_t **self)
{
    if (!*self)
        return;
    free((*self)->groups);
    free(*self);
    *self = NULL;
}

bool overheads_visit(overheads_t *self, int first_rank, int gpus)
{
    const uint32_t bit = 1u << scaling_class(gpus);
    bool seen;

    assert((size_t)first_rank < self->gpu_count);
    seen = self->groups[first_rank] & bit;
    self->groups[first_rank] |= bit;
    return seen;
}

bool overheads_restart(const overheads_t *self)
{
    return self->restart_rounds > 0 && self->rounds > 0 && self->rounds % self->restart_rounds == 0;
}

int overheads_of(const overheads_t *self, int gpus, bool seen)
{
    const int base_s = self->large ? 7 : 2;
    const int restart_s = self->large ? 47 : 27;

    if (seen) /* EF-Q19: also in a round that restarts all others */
        return base_s;
    return base_s + (overheads_restart(self) ? restart_s : 0) + 2 * scaling_class(gpus);
}

void overheads_end_round(overheads_t *self)
{
    if (overheads_restart(self))
        memset(self->groups, 0, self->gpu_count * sizeof(*self->groups));
    self->rounds++;
}
