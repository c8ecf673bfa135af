/* stand.c - see stand.h. */
#include "scheduler/planner/stand.h"

void stand_enter(struct task *task)
{
    const struct stand *self = task->stand;

    task->known = self->known;
    task->promised = self->promised;
    task->margin = self->margin;
    task->margin_wanted = self->margin_wanted;
    task->start_margin = self->start_margin;
}

void stand_note(const struct task *task, bool in_chains)
{
    struct stand *self = task->stand;

    self->known = true;
    self->quoted = submission_is_quote(task->job->submission);
    self->best_effort = task->job->submission->best_effort;
    self->runs = task_runs(task);
    self->promised = task->promised;
    self->due_s = in_chains && task->promised ? task->deadline_s : 0;
    self->rank = task->now.rank;
    self->margin = task->margin;
    self->start_margin = task->start_margin;
    if (task->is_charged)
        self->charged_s = task->charge_s;
    reserve_note(&self->reserve, task);
}

bool stand_on(struct stand *self, const struct node_order *order, const int ranks[], int count)
{
    const int first = count > 0 ? node_order_rank(order, ranks[0]) : 0;
    const int block = scaling_block(count);
    bool stands = block == 0 || first % block == 0;

    for (int i = 1; i < count && stands; i++)
        stands = node_order_rank(order, ranks[i]) == first + i;
    self->rank = stands ? first : 0;
    self->charged_s = 0; /* the last change belongs to the other version */
    if (self->promised)
        self->course = (struct course){.end_s = NEVER_S};
    return stands;
}

struct verdict stand_verdict(const struct stand *self, const struct job *job, bool runs, int step)
{
    enum verdict_reason reason = REASON_NO_ROOM;
    struct verdict verdict;

    if (!runs)
        return verdict_decline(REASON_TOO_LARGE);
    if (step >= 0)
        return verdict_promise_step(job, step);
    if (self->denied.share.of)
        reason = REASON_PROMISE_SHARE;
    else if (self->denied.rate.over_s > 0)
        reason = REASON_JOBS_TO_COME;
    else if (self->denied.known_until_s > 0)
        reason = REASON_NODES_END;
    verdict =
        job->submission->promise_or_decline ? verdict_decline(reason) : verdict_try(job, reason);
    verdict.seen = self->denied.rate;
    verdict.share = self->denied.share;
    if (verdict.reason == REASON_NODES_END)
        verdict.known_until_s = self->denied.known_until_s;
    return verdict;
}

/* The course of a job without a promise is nothing that stands. */
void stand_archive(struct stand *self, struct archive *archive, const struct job *job,
                   arena_t *courses)
{
    ARCHIVE(archive, &self->known);
    ARCHIVE(archive, &self->runs);
    ARCHIVE(archive, &self->promised);
    ARCHIVE(archive, &self->rank);
    if (archive->version >= 4) {
        ARCHIVE(archive, &self->turn.since_s);
        ARCHIVE(archive, &self->turn.shrinks_s);
    }
    if (archive->version >= 6) {
        ARCHIVE(archive, &self->margin);
        ARCHIVE(archive, &self->told_speed);
    }
    if (archive->version >= 8)
        ARCHIVE(archive, &self->margin_wanted);
    else
        self->margin_wanted = self->margin;
    if (archive->version >= 9) {
        ARCHIVE(archive, &self->due_s);
        ARCHIVE(archive, &self->start_margin);
        ARCHIVE(archive, &self->charged_s);
    }
    reserve_archive(&self->reserve, archive);
    if (self->promised)
        course_archive(&self->course, archive, courses);
    self->best_effort = self->known && job->submission->best_effort;
    self->quoted = self->known && submission_is_quote(job->submission);
}
