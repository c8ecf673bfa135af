/* place.c - the GPUs that each job holds, and what starts, resizes and moves cost. */
#include "scheduler/engine/stages.h"

#include <assert.h>
#include <limits.h>

void round_request_between(engine_t *self, const struct jobs *jobs, int least, int most)
{
    for (size_t i = 0; i < jobs->count; i++)
        if (grant_own_gpus(&jobs->items[i]->grant) >= least &&
            grant_own_gpus(&jobs->items[i]->grant) <= most)
            round_request(self, jobs->items[i]);
}

/* Gives guests the GPUs of their hosts: placement got one request for all partners. */
static void share(engine_t *self, const struct jobs *holders)
{
    for (size_t i = 0; i < holders->count; i++) {
        struct job *job = holders->items[i];

        if (job_holds(job) && job->grant.partner)
            cluster_share(self->cluster, job->grant.partner, job);
    }
}

int plain_place(engine_t *self, struct error *error)
{
    if (self->layout_is_old) {
        const struct jobs *holders = named_holders(&self->named, &self->live);

        self->requests.count = 0;
        round_request_between(self, holders, 1, INT_MAX);
        if (self->setting.placement->revise(self->cluster, self->requests.items,
                                            self->requests.count, cluster_revise(self->cluster),
                                            error) < 0)
            return -1;
        if (self->setting.policy->own_grants)
            share(self, holders);
    }
    prices_visit(self->prices, self->cluster);
    prices_note_moves(self->prices, self->cluster);
    self->layout_is_old = self->nodes_changed = false;
    return 0;
}

static void start(engine_t *self, struct job *job)
{
    const struct policy *policy = self->setting.policy;

    job->overhead_s = policy->price_s ? policy->price_s(self->memory, job, &job->grant)
                                      : prices_of(self->prices, job);
    job->late_s = 0;
    job->is_retuned = false;
}

/* Charges the jobs for starts, resizes and moves, and all jobs for a restart of all. An overhead
 * that is not paid off goes on. The end of a job is due when it is done if nothing changes. */
void plain_charge(engine_t *self)
{
    for (size_t i = 0; i < self->running.count; i++) {
        struct job *job = self->running.items[i];

        if (!job_holds(job))
            continue;
        if (prices_restart(self->prices) || prices_moved(self->prices, job) || job->is_retuned)
            start(self, job);
        job->end_s += job->overhead_s;
    }
}
