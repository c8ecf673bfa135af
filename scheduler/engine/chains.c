/* chains.c - jobs that wait for the ends of other jobs, their parents. Stages do not know such a
 * job before its last parent has ended. Policies do not either, unless they plan for such jobs. */
#include "scheduler/engine/stages.h"

#include <stdio.h>

/* Whether waiting jobs are hidden from the policy. */
static bool is_hidden(const engine_t *self)
{
    return !self->setting.policy->plans_chains;
}

static void take_end(struct job *job, size_t parent, bool done, enum job_state state)
{
    if (done || job->submission->parents[parent].any) {
        job->parents_ended |= UINT64_C(1) << parent;
    } else if (job->lost_parent == 0) {
        job->lost_parent = (int)parent + 1;
        job->lost_state = state;
    }
}

/* Whether all parents of `job` have ended as they have to, or one can no longer do so. */
static bool is_ready(const struct job *job)
{
    return job->lost_parent > 0 || !job_waits(job);
}

static void add_child(engine_t *self, struct job *job)
{
    const struct submission *submission = job->submission;

    self->child_count++;
    for (size_t i = 0; i < submission->parent_count; i++)
        if (job_waits_for(job, i))
            awaited_add(&self->awaited, submission->parents[i].number, job->number);
    if (is_ready(job))
        jobs_append(&self->ready, job);
}

bool chains_hold(engine_t *self, struct job *job)
{
    const struct submission *submission = job->submission;

    for (size_t i = 0; i < submission->parent_count; i++)
        if (submission->parents[i].end != PARENT_OPEN)
            take_end(job, i, submission->parents[i].end == PARENT_DONE, JOB_CANCELLED);
    if (!job_waits(job) && job->lost_parent == 0)
        return false;
    add_child(self, job);
    return is_hidden(self);
}

bool chains_forget(engine_t *self, const struct job *job)
{
    struct jobs *ready = &self->ready;
    size_t kept = 0;

    for (size_t i = 0; i < ready->count; i++)
        if (ready->items[i] != job)
            ready->items[kept++] = ready->items[i];
    if (kept == ready->count && is_ready(job))
        return false;
    ready->count = kept;
    self->child_count--;
    return true;
}

/* The job of a number if it waits for a parent, else NULL. */
static struct job *find_child(const engine_t *self, uint64_t number)
{
    struct job *job = job_table_find(self->jobs, UINT32_MAX, number);

    return job && !job_is_over(job) && job_waits(job) ? job : NULL;
}

static void hear_end(engine_t *self, struct job *job, uint64_t number, enum job_state state)
{
    const struct submission *submission = job->submission;
    const bool was_ready = is_ready(job);

    for (size_t k = 0; k < submission->parent_count; k++)
        if (submission->parents[k].number == number)
            take_end(job, k, state == JOB_DONE, state);
    if (!was_ready && is_ready(job))
        jobs_append(&self->ready, job);
}

/* Tells children of the end of a parent. A suspended parent will be submitted again, so its
 * children wait on. */
void chains_end(engine_t *self, uint64_t number, enum job_state state)
{
    const numbers_t *children = awaited_children(&self->awaited, number);

    if (!children || state == JOB_SUSPENDED)
        return;
    for (size_t i = 0; i < children->count; i++) {
        struct job *job = find_child(self, children->items[i]);

        if (job)
            hear_end(self, job, number, state);
    }
    awaited_drop(&self->awaited, number);
}

bool engine_awaits(const engine_t *self, uint64_t number)
{
    const numbers_t *children = awaited_children(&self->awaited, number);

    for (size_t i = 0; children && i < children->count; i++)
        if (find_child(self, children->items[i]))
            return true;
    return false;
}

/* Whether a lost parent is to be told now. A job that its trace submits later is told then. */
static bool is_due(const engine_t *self, const struct job *job)
{
    return job->lost_parent > 0 && job->submission->submit_s <= self->now_s;
}

bool chains_are_due(const engine_t *self)
{
    for (size_t i = 0; i < self->ready.count; i++)
        if (is_due(self, self->ready.items[i]))
            return true;
    return false;
}

int64_t chains_next_s(const engine_t *self)
{
    int64_t next_s = NEVER_S;

    for (size_t i = 0; i < self->ready.count; i++) {
        const struct job *job = self->ready.items[i];

        if (job->lost_parent > 0 && job->submission->submit_s < next_s)
            next_s = job->submission->submit_s;
    }
    return next_s > self->now_s || next_s == NEVER_S ? next_s : self->slot_end_s;
}

static const char *word_of(enum job_state state)
{
    return state == JOB_FAILED     ? "failed"
           : state == JOB_DECLINED ? "was declined"
                                   : "was cancelled";
}

static void write_cause(const struct job *job, char *text, size_t size)
{
    (void)snprintf(text, size, "its parent %s %s",
                   job->submission->parents[job->lost_parent - 1].id, word_of(job->lost_state));
}

/* Ends a job whose parent is lost. A decided job gives up its promise, and any other is
 * declined. */
static void end_lost(engine_t *self, struct job *job)
{
    const struct verdict verdict = verdict_decline(REASON_PARENT);
    const bool is_decided = job->state != JOB_SUBMITTED;
    char cause[256];

    write_cause(job, cause, sizeof(cause));
    if (is_decided) {
        round_give_up(self, job);
    } else {
        round_withdraw_arrival(self, job);
        round_note_verdict(self, job, &verdict);
        round_decline(self, job);
    }
    round_note_orphan(self, job, cause);
}

static void arrive(engine_t *self, struct job *job, bool may_arrive)
{
    const int64_t submit_s = job->submission->submit_s;

    if (may_arrive && submit_s <= self->now_s && self->stages.collect == plain_collect) {
        self->to_come--;
        jobs_append(&self->arrivals, job);
    } else {
        self->stages.announce(self, job, submit_s > self->now_s ? submit_s : self->now_s + 1);
    }
}

/* Settles jobs that wait no more, in the order in which the engine heard of them. A policy that
 * plans for waiting jobs knows them already. */
static void settle(engine_t *self, bool may_arrive)
{
    struct jobs *ready = &self->ready;
    const size_t arrived = self->arrivals.count;
    size_t kept = 0;

    jobs_sort_by_arrival(ready);
    for (size_t i = 0; i < ready->count; i++) {
        struct job *job = ready->items[i];

        if (job->lost_parent > 0 && !is_due(self, job)) {
            ready->items[kept++] = job;
            continue;
        }
        self->child_count--;
        if (job->lost_parent > 0)
            end_lost(self, job);
        else if (is_hidden(self))
            arrive(self, job, may_arrive);
    }
    ready->count = kept;
    if (self->arrivals.count > arrived)
        jobs_sort_by_arrival(&self->arrivals);
}

void chains_settle(engine_t *self, bool may_arrive)
{
    const struct jobs *over = &self->findings.over;
    const size_t was_over = over->count;

    do {
        for (; self->heard_over < over->count; self->heard_over++)
            chains_end(self, over->items[self->heard_over]->number,
                       over->items[self->heard_over]->state);
        if (self->ready.count > 0 && (may_arrive || is_hidden(self)))
            settle(self, may_arrive);
    } while (self->heard_over < over->count);
    if (over->count > was_over && !is_hidden(self))
        round_drop_ended(self);
}
