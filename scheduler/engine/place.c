/* place.c - which GPUs each job holds, and what that costs it. */
#include "scheduler/engine/stages.h"

#include <assert.h>

int round_most_gpus(const struct jobs *jobs)
{
    int most = 0;

    for (size_t i = 0; i < jobs->count; i++)
        most = job_gpus(jobs->items[i]) > most ? job_gpus(jobs->items[i]) : most;
    return most;
}

void round_request_between(engine_t *self, const struct jobs *jobs, int least, int most)
{
    for (size_t i = 0; i < jobs->count; i++)
        if (job_gpus(jobs->items[i]) >= least && job_gpus(jobs->items[i]) <= most)
            round_request(self, jobs->items[i]);
}

/* Sizes are powers of two. Most of a backlog holds nothing, so the jobs that hold something are
 * picked out first. */
void round_request_by_size(engine_t *self, const struct jobs *jobs, int most)
{
    self->scratch.count = 0;
    for (size_t i = 0; i < jobs->count; i++)
        if (jobs->items[i]->level > 0)
            jobs_append(&self->scratch, jobs->items[i]);
    for (; most > 0; most /= 2)
        round_request_between(self, &self->scratch, most / 2 + 1, most);
}

bool round_is_placed(const engine_t *self)
{
    const struct requests *now = &self->requests;

    if (self->nodes_changed || now->count != self->placed.count)
        return false;
    for (size_t i = 0; i < now->count; i++)
        if (now->items[i].job != self->placed.items[i].job ||
            now->items[i].gpus != self->placed.items[i].gpus)
            return false;
    return true;
}

void round_keep_requests(engine_t *self)
{
    struct requests *placed = &self->placed;

    if (self->requests.count > placed->capacity) {
        placed->capacity = 2 * self->requests.count;
        placed->items = xrealloc(placed->items, placed->capacity * sizeof(*placed->items));
    }
    for (size_t i = 0; i < self->requests.count; i++)
        placed->items[i] = self->requests.items[i];
    placed->count = self->requests.count;
}

int plain_place(engine_t *self, struct error *error)
{
    if (self->layout_is_old) {
        self->requests.count = 0;
        round_request_between(self, &self->live, 1, round_most_gpus(&self->live));
        if (self->setting.placement->revise(self->cluster, self->requests.items,
                                            self->requests.count, cluster_revise(self->cluster),
                                            error) < 0)
            return -1;
        round_keep_requests(self);
        prices_visit(self->prices, self->cluster);
    }
    prices_note_moves(self->prices, self->cluster);
    self->layout_is_old = self->nodes_changed = false;
    return 0;
}

/* A start, a resize, a move and a restart of all are paid for; an overhead that is not paid off yet
 * is paid on. The end is where the job gets when it is left alone. */
void plain_charge(engine_t *self)
{
    for (size_t i = 0; i < self->running.count; i++) {
        struct job *job = self->running.items[i];

        if (job->level == 0)
            continue;
        if (prices_restart(self->prices))
            job->overhead_s = prices_of_new(self->prices, job_gpus(job));
        else if (prices_moved(self->prices, job))
            job->overhead_s = prices_of(self->prices, job);
        job->end_s += job->overhead_s;
    }
}
