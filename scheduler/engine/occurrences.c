/* occurrences.c - the effects of occurrences on the books, before a round and in it. */
#include "scheduler/engine/stages.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Checks a submission. Only a job whose work is measured in seconds may have no iterations. */
static int check(engine_t *self, struct job *job, struct error *error)
{
    if (submission_is_quote(job->submission) && !self->setting.policy->holds_quotes)
        return error_set(error, "policy %s holds no quotes", self->setting.policy->name);
    if (job->submission->iterations == 0 && self->stages.measure != MEASURE_SECONDS)
        return error_set(error, "job %s: expected at least one iteration, found none",
                         job->submission->id);
    return self->stages.check(self, job, error);
}

static int hear_submission(engine_t *self, const struct submission *submission, struct error *error)
{
    struct job *job = job_table_add(self->jobs, submission);

    if (!job)
        return error_set(error, "job %s: there is a job with the number %" PRIu64 " already",
                         submission->id, submission->number);
    job->arrival = (uint64_t)self->status.jobs;
    job->iterations_left = (double)(submission->iterations - submission->iterations_done);
    if (check(self, job, error) < 0) {
        job_table_remove(self->jobs, job);
        return -1;
    }
    if (self->status.jobs == 0 || submission->submit_s < self->status.first_submit_s)
        self->status.first_submit_s = self->status.last_retired_s = submission->submit_s;
    self->status.jobs++;
    self->status.deadline_jobs += !job->submission->best_effort;
    self->to_come++;
    kept_quotes_enter(self, job);
    if (!chains_hold(self, job))
        self->stages.announce(self, job, submission->submit_s);
    return 0;
}

int engine_check(engine_t *self, const struct submission *submission, struct error *error)
{
    struct job job = {.submission = submission};

    return check(self, &job, error);
}

/* The fewest nodes that hold the job's own GPUs. A host pays for its guests. */
static int64_t fewest_nodes(const engine_t *self, const struct job *job)
{
    const int per_node = self->pools[job->grant.pool].gpus_per_node;

    return (grant_own_gpus(&job->grant) + per_node - 1) / per_node;
}

static void credit(engine_t *self, struct job *job, const struct progress *progress)
{
    const int64_t gpu_s = self->elapsed_s * grant_own_gpus(&job->grant);

    if (progress->worked_s > 0)
        self->idle_rounds = -1; /* this round ends the count */
    self->stages.credit(self, job, progress);
    job->gpu_seconds += gpu_s;
    job->node_seconds += self->elapsed_s * fewest_nodes(self, job);
    self->status.held_gpu_s += gpu_s;
}

static void hear_progress(engine_t *self, struct job *job, const struct occurrence *occurrence)
{
    const struct progress *progress = &occurrence->progress;
    const bool was_slow = job->pace != occurrence->pace;

    job->pace = occurrence->pace;
    speed_hear(job_table_speed(job), occurrence->pace, progress->worked_s);
    if (occurrence->deviates) {
        const char *cause = occurrence->cause ? occurrence->cause : "it did less than expected";

        job->deviates = true;
        job->deviated_step = self->steps;
        job->trouble = arena_text(self->findings.texts, cause, strlen(cause));
        (void)snprintf(self->disturbance, sizeof(self->disturbance), "job %s: %s",
                       job->submission->id, cause);
        self->disturbed_for = WITHDRAWN_FOR_OTHER_JOB;
        self->status.disturbed = true;
        if (was_slow || progress->iterations < 0)
            round_disturb(self, DISTURBANCE_BEHIND, job, -1, self->disturbance);
    }
    credit(self, job, progress);
}

static int hear_expected(engine_t *self, struct error *error)
{
    const struct interval interval = {self->now_s, self->elapsed_s};
    const struct jobs *holders = named_holders(&self->named, &self->live);
    struct job *const *held = holders->items;
    const size_t count = holders->count;
    struct progress progress;

    for (size_t i = 0; i < count; i++) {
        struct job *job = held[i];

        if (!job_holds(job))
            continue;
        if (self->stages.expect(self, job, interval, &progress, error) < 0)
            return -1;
        credit(self, job, &progress);
    }
    return 0;
}

/* Takes in the paid start of a job. No round is held for it, but the start may change the plan of
 * the next round. */
static void hear_paid(engine_t *self, struct job *job, int overhead_s)
{
    if (overhead_s > job->overhead_s)
        (void)snprintf(self->late_start, sizeof(self->late_start),
                       "job %s: its start takes %d s, not %d s", job->submission->id, overhead_s,
                       job->overhead_s);
    job->late_s += overhead_s - job->overhead_s;
    self->stages.pay(self, job, overhead_s);
}

bool engine_ends_without_gpus(const engine_t *self, const struct job *job)
{
    return job->state == JOB_RUNNING && !job_holds(job) && self->stages.collect == plain_collect;
}

/* Takes in the end of a job, which calls for a round that retires the job. */
static void hear_end(engine_t *self, struct job *job, const struct progress *progress)
{
    credit(self, job, progress);
    job->ended = true;
}

/* Takes in an occurrence about a job. Returns whether it calls for a round. About a job that is
 * over nothing changes. */
static bool hear_of_job(engine_t *self, const struct occurrence *occurrence)
{
    struct job *job = job_table_find(self->jobs, occurrence->row, occurrence->job);

    if (!job)
        return false;
    if (occurrence->kind == OCCURRENCE_PROGRESS && job_holds(job))
        hear_progress(self, job, occurrence);
    else if (occurrence->kind == OCCURRENCE_PROGRESS && occurrence->progress.done &&
             engine_ends_without_gpus(self, job))
        hear_end(self, job, &occurrence->progress);
    else if (occurrence->kind == OCCURRENCE_PAID && job_holds(job))
        hear_paid(self, job, occurrence->overhead_s);
    return occurrence->kind != OCCURRENCE_PAID &&
           (occurrence->kind != OCCURRENCE_PROGRESS || occurrence->deviates ||
            occurrence->progress.done);
}

/* Takes in an easier deadline. The job keeps its GPUs, and a promise that stands moves to the later
 * deadline. Returns whether a round is called for. */
static bool hear_eased(engine_t *self, const struct submission *submission)
{
    struct job *job = job_table_find(self->jobs, UINT32_MAX, submission->number);
    struct verdict verdict;

    if (!job || !job_is_live(job))
        return false;
    job->submission = submission;
    verdict = job->promise.state == PROMISE_STANDS ? verdict_promise(job)
                                                   : verdict_try(job, REASON_NO_ROOM);
    if (verdict_promises(&verdict))
        verdict.kind = VERDICT_PROMISED_LATER;
    round_note_verdict(self, job, &verdict);
    return true;
}

/* Whether the arrival is foreseen. Rounds of the reference know beforehand when each job
 * arrives. */
static bool is_foreseen(const engine_t *self, const struct submission *submission)
{
    return submission->parent_count == 0 || self->stages.collect == plain_collect;
}

/* Whether the occurrence is planned, or announces a later arrival. */
static bool is_planned(const engine_t *self, const struct occurrence *occurrence, int64_t now_s)
{
    switch (occurrence->kind) {
    case OCCURRENCE_SUBMITTED:
        return is_foreseen(self, occurrence->submission) &&
               (round_live_count(self) == 0 || occurrence->submission->submit_s > now_s);
    case OCCURRENCE_PROGRESS:
        return !occurrence->deviates;
    default:
        return false;
    }
}

struct news round_news(const engine_t *self, const struct occurrence occurrences[], size_t count,
                       int64_t now_s)
{
    struct news news = {false, false, false};

    for (size_t i = 0; i < count; i++) {
        const struct occurrence *occurrence = &occurrences[i];
        const enum occurrence_kind kind = occurrence->kind;
        const bool is_unforeseen = kind >= OCCURRENCE_FAILED && kind <= OCCURRENCE_NODE_GONE;
        const bool is_asked = kind == OCCURRENCE_CANCELLED || kind == OCCURRENCE_SUSPENDED;

        if (kind == OCCURRENCE_EXPECTED)
            continue; /* no news */
        news.trouble = news.trouble || is_unforeseen || occurrence->deviates;
        news.changes = news.changes || is_unforeseen || is_asked;
        news.unplanned = news.unplanned || !is_planned(self, occurrence, now_s);
    }
    return news;
}

/* Whether a job is cancelled that the engine forgot when it was suspended. */
static bool loses_unknown(const engine_t *self, const struct occurrence occurrences[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (occurrences[i].kind == OCCURRENCE_CANCELLED &&
            !job_table_find(self->jobs, occurrences[i].row, occurrences[i].job))
            return true;
    return false;
}

int round_hear(engine_t *self, const struct occurrence occurrences[], size_t count,
               bool *wants_round, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        const struct occurrence *occurrence = &occurrences[i];

        switch (occurrence->kind) {
        case OCCURRENCE_SUBMITTED:
            if (hear_submission(self, occurrence->submission, error) < 0)
                return -1;
            *wants_round = *wants_round || occurrence->submission->submit_s < self->now_s;
            break;
        case OCCURRENCE_TAKEN:
            *wants_round = kept_quotes_take(self, occurrence->submission) || *wants_round;
            break;
        case OCCURRENCE_EASED:
            *wants_round = hear_eased(self, occurrence->submission) || *wants_round;
            break;
        case OCCURRENCE_EXPECTED:
            if (hear_expected(self, error) < 0)
                return -1;
            break;
        case OCCURRENCE_PROGRESS:
        case OCCURRENCE_PAID:
        case OCCURRENCE_FAILED:
        case OCCURRENCE_CANCELLED:
        case OCCURRENCE_SUSPENDED:
            *wants_round = hear_of_job(self, occurrence) || *wants_round;
            break;
        case OCCURRENCE_NODE_UP:
        case OCCURRENCE_NODE_DRAINING:
        case OCCURRENCE_NODE_GONE:
            self->nodes_changed = *wants_round = true;
            break;
        case OCCURRENCE_TIMER:
            *wants_round = true;
            break;
        }
    }
    if (self->child_count > 0 && (chains_are_due(self) || loses_unknown(self, occurrences, count)))
        *wants_round = true;
    *wants_round = *wants_round || kept_quotes_next_s(self) <= self->now_s;
    return 0;
}
