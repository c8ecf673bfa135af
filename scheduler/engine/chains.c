/* chains.c - jobs that wait for others, their parents, to end. Neither stages nor policies hear of
 * such a job before its last parent has ended, but for policies that plan for them. */
#include "scheduler/engine/stages.h"

#include <stdio.h>

/* Whether the policy does not see jobs that wait. */
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

/* In the order in which the engine was told of them, also where a snapshot has another. */
static void add_child(struct jobs *children, struct job *job)
{
    size_t place = children->count;

    jobs_append(children, job);
    for (; place > 0 && children->items[place - 1]->arrival > job->arrival; place--)
        children->items[place] = children->items[place - 1];
    children->items[place] = job;
}

bool chains_hold(engine_t *self, struct job *job)
{
    const struct submission *submission = job->submission;

    for (size_t i = 0; i < submission->parent_count; i++)
        if (submission->parents[i].end != PARENT_OPEN)
            take_end(job, i, submission->parents[i].end == PARENT_DONE, JOB_CANCELLED);
    if (!job_waits(job) && job->lost_parent == 0)
        return false;
    add_child(&self->children, job);
    return is_hidden(self);
}

bool chains_forget(engine_t *self, const struct job *job)
{
    struct jobs *children = &self->children;
    size_t kept = 0;
    bool found;

    for (size_t i = 0; i < children->count; i++)
        if (children->items[i] != job)
            children->items[kept++] = children->items[i];
    found = kept < children->count;
    children->count = kept;
    return found;
}

/* A parent that is suspended is to be submitted again. */
void chains_end(engine_t *self, uint64_t number, enum job_state state)
{
    for (size_t i = 0; i < self->children.count && state != JOB_SUSPENDED; i++) {
        struct job *job = self->children.items[i];

        for (size_t k = 0; k < job->submission->parent_count; k++)
            if (job->submission->parents[k].number == number)
                take_end(job, k, state == JOB_DONE, state);
    }
}

bool engine_awaits(const engine_t *self, uint64_t number)
{
    for (size_t i = 0; i < self->children.count; i++) {
        const struct submission *submission = self->children.items[i]->submission;

        for (size_t k = 0; k < submission->parent_count; k++)
            if (submission->parents[k].number == number)
                return true;
    }
    return false;
}

/* A job that its trace submits later is told then. */
static bool is_due(const engine_t *self, const struct job *job)
{
    return job->lost_parent > 0 && job->submission->submit_s <= self->now_s;
}

bool chains_are_due(const engine_t *self)
{
    for (size_t i = 0; i < self->children.count; i++)
        if (is_due(self, self->children.items[i]))
            return true;
    return false;
}

int64_t chains_next_s(const engine_t *self)
{
    int64_t next_s = NEVER_S;

    for (size_t i = 0; i < self->children.count; i++) {
        const struct job *job = self->children.items[i];

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

/* A job that was decided on gives up its promise; another is declined. */
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

static void settle(engine_t *self, bool may_arrive)
{
    struct jobs *children = &self->children;
    const size_t arrived = self->arrivals.count;
    size_t kept = 0;

    for (size_t i = 0; i < children->count; i++) {
        struct job *job = children->items[i];

        if (is_due(self, job))
            end_lost(self, job);
        else if (job->lost_parent == 0 && !job_waits(job) && is_hidden(self))
            arrive(self, job, may_arrive);
        else if (job->lost_parent == 0 && !job_waits(job))
            continue; /* its policy sees that it waits no more */
        else
            children->items[kept++] = job;
    }
    children->count = kept;
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
        if (self->children.count > 0 && (may_arrive || is_hidden(self)))
            settle(self, may_arrive);
    } while (self->heard_over < over->count);
    if (over->count > was_over && !is_hidden(self))
        round_drop_ended(self);
}
