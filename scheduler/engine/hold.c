/* hold.c - what a job holds: the books of its grant. */
#include "scheduler/engine/round.h"

#include <assert.h>

void round_let_go(engine_t *self, struct job *job)
{
    if (!job_holds(job))
        return;
    self->held_gpus -= grant_own_gpus(&job->grant);
    job->grant = (struct grant){.pool = job->grant.pool};
    self->layout_is_old = true;
}

void round_give(engine_t *self, struct job *job, const struct grant *grant)
{
    if (!grant_holds(grant)) {
        round_let_go(self, job);
        return;
    }
    assert(grant->pool == job->grant.pool);
    if (!job_holds(job))
        job->resumed_s = self->now_s;
    self->held_gpus += grant_own_gpus(grant) - grant_own_gpus(&job->grant);
    self->layout_is_old = true;
    job->is_retuned = job_holds(job) && grant->batch != job->grant.batch;
    job->grant = *grant;
}
