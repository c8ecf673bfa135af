/* check_outcomes.c - outcomes.csv: each job is decided on once, and its outcome agrees with
 * jobs.csv. A promise is broken if the job ended after its promised deadline, or never. */
#include "tools/audit/check.h"

#include <inttypes.h>
#include <string.h>

static void report(const struct audit *self, const char *check, const struct audit_outcome *outcome,
                   const char *text)
{
    audit_report(self, check, outcome->decided_s, outcome->id, "%s", text);
}

static bool is_stated(const struct audit_job *job, int64_t deadline_s)
{
    for (size_t i = 0; i < job->deadline_count; i++)
        if (job->deadlines_s[i] == deadline_s)
            return true;
    return false;
}

/* Whether the job has a deadline by jobs.csv, or by the trace if the job has no record. */
static bool has_deadline(const struct audit *self, const struct audit_outcome *outcome)
{
    const struct audit_record *record = self->histories[outcome->job].record;

    return record ? !record->best_effort : !self->given->jobs[outcome->job].best_effort;
}

/* The GPUs that were up when the job was decided on, by cluster.csv. */
static int64_t gpus_up(const struct audit *self, const struct audit_outcome *outcome)
{
    const struct audit_case *given = self->given;
    int64_t gpus = given->cluster.gpus;

    for (size_t i = 0; i < given->use_count && given->uses[i].at_s <= outcome->decided_s; i++)
        gpus = given->uses[i].gpus_up;
    return gpus;
}

/* The GPUs that a cluster must have for the job. The policy rubato rounds the GPUs of a job up to a
 * power of two. */
static int64_t gpus_needed(const struct audit *self, const struct audit_outcome *outcome)
{
    const int64_t asked = self->given->jobs[outcome->job].gpus;
    int64_t block = 1;

    while (block < asked)
        block *= 2;
    return strcmp(self->given->summary.policy, "rubato") ? asked : block;
}

static bool is_reason_true(const struct audit *self, const struct audit_outcome *outcome)
{
    switch (outcome->reason) {
    case AUDIT_FITS:
        return audit_is_promised(outcome) && self->given->summary.promises;
    case AUDIT_NO_DEADLINE:
        return outcome->verdict == AUDIT_BEST_EFFORT && !has_deadline(self, outcome);
    case AUDIT_NO_PROMISES:
        return outcome->verdict == AUDIT_BEST_EFFORT && !self->given->summary.promises &&
               has_deadline(self, outcome);
    case AUDIT_NO_ROOM:
    case AUDIT_JOBS_TO_COME:
    case AUDIT_PROMISE_SHARE:
    case AUDIT_NODES_END:
        return !audit_is_promised(outcome) && self->given->summary.promises;
    case AUDIT_FAILED_UNDECIDED:
        return outcome->verdict == AUDIT_DECLINED;
    case AUDIT_PARENT:
        return outcome->verdict == AUDIT_DECLINED && self->given->jobs[outcome->job].after;
    case AUDIT_TOO_LARGE:
        return outcome->verdict == AUDIT_DECLINED &&
               gpus_needed(self, outcome) > gpus_up(self, outcome);
    }
    return false;
}

static void check_verdict(const struct audit *self, const struct audit_outcome *outcome)
{
    const struct audit_job *job = &self->given->jobs[outcome->job];
    const bool promised = audit_is_promised(outcome);

    if (!is_reason_true(self, outcome))
        report(self, "verdict-mismatch", outcome, "the reason does not belong to the verdict");
    if (promised ? !is_stated(job, outcome->promised_s)
                 : outcome->promised_s != AUDIT_DEADLINE_NONE_S)
        report(self, "verdict-mismatch", outcome,
               "promised a deadline that the trace does not state");
    if (job->promise_or_decline && outcome->verdict == AUDIT_BEST_EFFORT && !job->best_effort &&
        self->given->summary.promises)
        report(self, "verdict-mismatch", outcome, "runs without a promise, which it does not want");
    if (outcome->decided_s < job->submit_s)
        report(self, "before-submission", outcome, "decided on before its submission");
    if (!audit_is_round(self->given, outcome->decided_s))
        report(self, "rounds-mismatch", outcome, "decided on, but there was no round at that time");
}

int64_t audit_due_s(const struct audit *self, const struct audit_outcome *outcome)
{
    const struct audit_record *record = self->histories[outcome->job].record;
    const struct audit_job *job = &self->given->jobs[outcome->job];
    const bool soft = !record->best_effort && job->deadline_count > 1;

    if (audit_is_promised(outcome))
        return outcome->promised_s;
    return soft ? job->deadlines_s[job->deadline_count - 1] : record->deadline_s;
}

static enum audit_end end_of(const struct audit *self, const struct audit_outcome *outcome)
{
    const struct audit_record *record = self->histories[outcome->job].record;
    const int64_t deadline_s = audit_due_s(self, outcome);

    if (deadline_s == AUDIT_DEADLINE_NONE_S)
        return AUDIT_DONE;
    return record->ended_s <= (double)deadline_s ? AUDIT_ON_TIME : AUDIT_LATE;
}

/* Checks a job that was not declined and has no record. Such a job must have failed, or have been
 * cancelled while it waited for a parent. */
static void check_lost(const struct audit *self, const struct audit_outcome *outcome)
{
    const struct audit_job *job = &self->given->jobs[outcome->job];

    if (job->gpus > self->given->cluster.gpus && outcome->end == AUDIT_UNFINISHED)
        audit_report(self, "never-fits", outcome->decided_s, job->id,
                     "asks for %" PRId64 " GPUs of %" PRId64 ", and was not declined", job->gpus,
                     self->given->cluster.gpus);
    else if (outcome->end != AUDIT_FAILED && (outcome->end != AUDIT_CANCELLED || !job->after))
        report(self, "never-retired", outcome,
               "was not declined, but jobs.csv has no record of it");
}

static void check_end(const struct audit *self, const struct audit_outcome *outcome)
{
    const struct audit_history *history = &self->histories[outcome->job];

    if (outcome->verdict == AUDIT_DECLINED && (history->held || history->record))
        report(self, "declined-but-ran", outcome, "was declined, but held GPUs or has a record");
    else if (outcome->verdict == AUDIT_DECLINED && outcome->end != AUDIT_NO_END)
        report(self, "outcome-mismatch", outcome, "was declined, but has an outcome");
    else if (outcome->verdict != AUDIT_DECLINED && !history->record)
        check_lost(self, outcome);
    else if (history->record && outcome->end != end_of(self, outcome))
        report(self, "outcome-mismatch", outcome, "the outcome is not that of its end in jobs.csv");
}

static void check_kept(const struct audit *self, const struct audit_outcome *outcome)
{
    const struct audit_record *record = self->histories[outcome->job].record;

    if (!audit_is_promised(outcome))
        return;
    if (!record)
        audit_report(self, "promise-broken", outcome->promised_s, outcome->id,
                     "promised %" PRId64 ", and never ended", outcome->promised_s);
    else if (record->ended_s > (double)outcome->promised_s)
        audit_report(self, "promise-broken", record->end_s, outcome->id,
                     "promised %" PRId64 ", and ended %.12g s later", outcome->promised_s,
                     record->ended_s - (double)outcome->promised_s);
}

static void check_outcome(const struct audit *self, const struct audit_outcome *outcome)
{
    if (outcome->job == AUDIT_NO_JOB) {
        report(self, "unknown-job", outcome, "in outcomes.csv, but the trace has no such job");
        return;
    }
    if (self->histories[outcome->job].outcome != outcome) {
        report(self, "decided-twice", outcome, "outcomes.csv has it twice");
        return;
    }
    check_verdict(self, outcome);
    check_end(self, outcome);
    check_kept(self, outcome);
}

void audit_check_outcomes(const struct audit *self)
{
    const struct audit_case *given = self->given;

    for (size_t i = 0; i < given->outcome_count; i++)
        check_outcome(self, &given->outcomes[i]);
    for (size_t i = 0; i < given->job_count; i++)
        if (!self->histories[i].outcome)
            audit_report(self, "never-decided", given->jobs[i].submit_s, given->jobs[i].id,
                         "submitted, but not in outcomes.csv");
}
