/* adopt.c - a plan becomes the holdings of jobs and the times at which their ends are due. */
#include "scheduler/engine/stages.h"

#include <assert.h>

void round_start(engine_t *self, struct job *job)
{
    assert(job->state == JOB_PENDING);
    job->state = JOB_RUNNING;
    if (job->start_s == NOT_STARTED_S) /* otherwise the job comes back after the loss of a node */
        job->start_s = self->now_s;
    self->status.accepted += !job->submission->best_effort;
    jobs_append(&self->running, job);
}

void round_unseat(engine_t *self, struct job *job)
{
    if (job->state != JOB_RUNNING)
        return;
    round_let_go(self, job);
    job->state = JOB_PENDING;
    self->status.accepted -= !job->submission->best_effort; /* counted again once the job goes on */
    jobs_append(&self->pending, job);
}

void round_drop_started(engine_t *self)
{
    jobs_keep(&self->pending, JOB_PENDING);
}

void round_serve_in_order(engine_t *self)
{
    const struct jobs live = self->live;

    list_reserve(&self->scratch, live.count);
    self->scratch.count = live.count;
    for (size_t i = 0; i < live.count; i++)
        self->scratch.items[i] = live.items[self->plan->service[i]];
    self->live = self->scratch;
    self->scratch = live;
    places_forget(&self->places, 0);
}

static void change_pool(engine_t *self, struct job *job, int pool)
{
    round_let_go(self, job);
    job->scaling = job_scaling(job, pool);
    job->grant.pool = pool;
    self->layout_is_old = true;
}

/* Whether a new promise may be made. A withdrawn promise is made again if it becomes certain
 * again. */
static bool is_unpromised(const struct job *job)
{
    return job->promise.state == PROMISE_NONE || job->promise.state == PROMISE_WITHDRAWN;
}

/* The deadline that the share promises. */
static int64_t promised_s(const struct job *job, const struct share *share)
{
    return verdict_promise_step(job, share->step).promised_s;
}

static void promise_later(engine_t *self, struct job *job, const struct share *share)
{
    const struct verdict verdict = {.kind = VERDICT_PROMISED_LATER,
                                    .reason = REASON_FITS,
                                    .promised_s = promised_s(job, share),
                                    .earliest_s = DEADLINE_NONE_S};

    job->slips = false;
    round_note_verdict(self, job, &verdict);
}

static void adopt(engine_t *self, struct job *job)
{
    const struct share *share = &self->plan->shares[job->place];

    if (grant_holds(&share->grant) && share->grant.pool != job->grant.pool)
        change_pool(self, job, share->grant.pool);
    round_hold(self, job, &share->grant);
    job->finish_s = share->finish_s;
    job->exposure = share->exposure;
    job->end_s = share->end_s;
    self->layout_is_old = self->layout_is_old || job->seat.rank != share->seat.rank;
    job->seat = share->seat;
    if (share->promised && is_unpromised(job))
        promise_later(self, job, share);
    else if (share->promised && share->step > 0 && job->promise.deadline_s < promised_s(job, share))
        round_fall(self, job, promised_s(job, share));
    else if (!share->promised && job->promise.state == PROMISE_STANDS)
        job->promise.state = PROMISE_WITHDRAWN;
    if (job->state == JOB_PENDING && grant_holds(&share->grant))
        round_start(self, job);
}

void plain_adopt(engine_t *self)
{
    const size_t started = self->running.count;
    const struct jobs *changed;

    named_follow(&self->named, self->plan, &self->live);
    changed = named_changed(&self->named);
    for (size_t i = 0; changed && i < changed->count; i++)
        adopt(self, changed->items[i]);
    for (size_t i = 0; !changed && i < self->plan->count; i++)
        adopt(self, self->live.items[self->plan->order[i]]);
    jobs_drop(&self->pending, JOB_PENDING, self->running.count - started);
    if (!changed)
        round_serve_in_order(self);
}
