/* withdrawals.c - see round.h: jobs that are over before they run. */
#include "scheduler/engine/round.h"

#include <assert.h>

bool round_arrives_now(const engine_t *self, const struct job *job)
{
    for (size_t i = 0; i < self->arrivals.count; i++)
        if (self->arrivals.items[i] == job)
            return true;
    return false;
}

void round_withdraw_arrival(engine_t *self, struct job *job)
{
    if (self->setting.policy->plans_chains)
        self->stages.forget(self, job);
    self->to_come -= !round_arrives_now(self, job);
}

void round_give_up(engine_t *self, struct job *job)
{
    assert(job->state == JOB_PENDING);
    self->stages.forget(self, job);
    self->status.settled++;
    if (job->promise.state == PROMISE_STANDS)
        job->promise.state = PROMISE_WITHDRAWN;
    job->state = JOB_CANCELLED;
    round_is_over(self, job);
}

void round_drop_ended(engine_t *self)
{
    places_keep_live(&self->places, &self->live);
    jobs_keep_live(&self->running);
    jobs_keep_live(&self->pending);
    jobs_keep(&self->arrivals, JOB_SUBMITTED);
    jobs_keep(&self->waiting, JOB_SUBMITTED);
}
