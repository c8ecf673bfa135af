/* rounds.c - the jobs of a round, which arrive or are due to end, and the time of the next
 * round. */
#include "scheduler/engine/stages.h"

#include "common/heap.h"

#include <inttypes.h>
#include <stdlib.h>

/* Opens the memory of the plain stages: the jobs that are to arrive, by time. */
void *plain_open(engine_t *self)
{
    (void)self;
    return heap_new();
}

void plain_close(void *memory)
{
    heap_t *to_come = memory;

    heap_destroy(&to_come);
}

/* Announces a job. If its time has passed the job arrives with the next round. */
void plain_announce(engine_t *self, struct job *job, int64_t at_s)
{
    (void)at_s;
    heap_push(self->stage_memory, job->submission->submit_s, job);
}

static bool is_other(void *job, void *item)
{
    return item != job;
}

void plain_forget(engine_t *self, struct job *job)
{
    if (job->state == JOB_SUBMITTED)
        heap_filter(self->stage_memory, is_other, job);
}

static const struct job *next_arrival(const engine_t *self)
{
    return heap_first(self->stage_memory);
}

int plain_collect(engine_t *self, struct error *error)
{
    (void)error;
    self->arrivals.count = self->due.count = 0;
    while (next_arrival(self) && next_arrival(self)->submission->submit_s <= self->now_s)
        jobs_append(&self->arrivals, heap_pop(self->stage_memory));
    self->to_come -= self->arrivals.count;
    for (size_t i = 0; i < self->running.count; i++) {
        struct job *job = self->running.items[i];

        if ((job_holds(job) || job->ended) && job->end_s <= self->now_s)
            jobs_append(&self->due, job);
    }
    jobs_sort_by_arrival(&self->arrivals);
    jobs_sort_by_end(&self->due);
    return 0;
}

void round_retire(engine_t *self, struct job *job, const struct retirement *retirement)
{
    job->state = JOB_DONE;
    self->held_gpus -= grant_own_gpus(&job->grant);
    self->layout_is_old = true;
    self->status.last_retired_s = self->now_s;
    self->status.settled++;
    if (retirement->late) {
        self->status.declined++;
        self->status.accepted--;
    }
    if (job->promise.state == PROMISE_STANDS || job->promise.state == PROMISE_WITHDRAWN)
        job->promise.state =
            job_ended_s(job) <= (double)job->promise.deadline_s ? PROMISE_KEPT : PROMISE_BROKEN;
    list_append(&self->findings.retired, *retirement);
    round_is_over(self, job);
}

/* Retires the jobs that are due and done. A due job with work left is planned anew. */
int plain_retire(engine_t *self, struct error *error)
{
    (void)error;
    for (size_t i = 0; i < self->due.count; i++) {
        struct job *job = self->due.items[i];

        if (job->iterations_left > 0)
            continue;
        round_retire(self, job,
                     &(struct retirement){.job = job,
                                          .on_record_s = self->now_s,
                                          .done_by = MEASURE_ITERATIONS,
                                          .late = !job->submission->best_effort &&
                                                  job->end_s > submission_last_s(job->submission)});
    }
    if (self->findings.retired.count > 0) {
        places_keep_live(&self->places, &self->live);
        jobs_keep(&self->running, JOB_RUNNING);
    }
    return 0;
}

/* A run is endless after so many rounds in a row in which no job arrives and no iteration is done.
 * No restart or deadline needs as many. */
#define ENDLESS_ROUNDS 100000

int round_check_endless(const engine_t *self, struct error *error)
{
    if (self->idle_rounds < ENDLESS_ROUNDS ||
        self->to_come > (self->setting.policy->plans_chains ? 0 : self->child_count) ||
        self->status.disturbed)
        return 0;
    return error_set(error,
                     "the run never ends: since %d rounds no job gets anything done, job %s among "
                     "%zu, because a slot of %" PRId64 " s is shorter than the overheads",
                     ENDLESS_ROUNDS, round_any_live(self)->submission->id, round_live_count(self),
                     self->setting.slot_s);
}

static int64_t earliest(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int check_ends(const engine_t *self, struct error *error)
{
    if (self->next_s != NEVER_S || self->live.count == 0)
        return 0;
    return error_set(error,
                     "policy %s gives job %s no GPU, and plans none for later, nor for %zu more: "
                     "the run never ends",
                     self->setting.policy->name, self->live.items[0]->submission->id,
                     self->live.count - 1);
}

/* Finds the next round: at the next arrival, end or planned change, but at least a slot after this
 * one. Unforeseen events call for rounds between. */
int plain_advance(engine_t *self, struct error *error)
{
    const struct job *arrival = next_arrival(self);
    int64_t next_s = self->live.count > 0 ? plan_change_s(self->plan, self->now_s) : NEVER_S;

    if (arrival)
        next_s = earliest(next_s, arrival->submission->submit_s);
    for (size_t i = 0; i < self->running.count; i++)
        if (job_holds(self->running.items[i]))
            next_s = earliest(next_s, plan_end_call_s(self->plan, self->running.items[i]));
    next_s = earliest(next_s, kept_quotes_next_s(self));
    if (next_s == NEVER_S && self->status.disturbed && self->live.count > 0)
        next_s = self->slot_end_s; /* a job waits for a lost node */
    self->next_s = next_s < self->slot_end_s ? self->slot_end_s : next_s;
    return check_ends(self, error) < 0 ? -1 : round_check_endless(self, error);
}

int64_t plain_restart_rounds(const engine_t *self)
{
    return self->setting.restart_threshold;
}
