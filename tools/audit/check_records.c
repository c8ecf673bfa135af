/* check_records.c - jobs.csv and work.csv against the trace and the layouts. */
#include "tools/audit/check.h"

#include <inttypes.h>
#include <stdbool.h>

static void report(const struct audit *self, const struct finding_place *place, const char *what,
                   int64_t found, int64_t expected)
{
    findings_add(self->findings, place, "%s is %" PRId64 ", expected %" PRId64, what, found,
                 expected);
}

static void check_copy(const struct audit *self, const struct audit_record *record)
{
    const struct audit_job *job = &self->given->jobs[record->job];
    const struct finding_place place = {"record-mismatch", NULL, record->retired_at_s, record->id};

    if (record->submit_s != job->submit_s)
        report(self, &place, "submit_time", record->submit_s, job->submit_s);
    if (record->deadline_s != job->deadline_s)
        report(self, &place, "deadline", record->deadline_s, job->deadline_s);
    if (record->best_effort != job->best_effort)
        report(self, &place, "best_effort", record->best_effort, job->best_effort);
}

/* Whether two or more jobs arrived between the round at `at_s` and the one before. */
static bool several_arrived(const struct audit_case *given, int64_t at_s)
{
    const size_t before = audit_rounds_before(given, at_s);
    const int64_t before_s = before > 0 ? given->rounds[before - 1].at_s : -1;
    size_t count = 0;

    for (size_t i = 0; i < given->job_count; i++)
        count += given->jobs[i].submit_s > before_s && given->jobs[i].submit_s <= at_s;
    return count > 1;
}

/* Whether somebody of the same size holds GPUs in the round at `at_s`. */
static bool is_size_served(const struct audit_case *given, int64_t at_s, int64_t gpus)
{
    const size_t before = audit_rounds_before(given, at_s);
    const struct audit_round *round = &given->rounds[before];

    for (size_t i = 0; before < given->round_count && i < round->run_count; i++) {
        const size_t job = given->runs[round->first_run + i].job;

        if (job < given->job_count && given->jobs[job].gpus == gpus)
            return true;
    }
    return false;
}

/* A job that may have to wait for its turn starts in the round that gives it its place, behind others
 * that hold GPUs there. */
static void check_seat(const struct audit *self, const struct audit_record *record)
{
    const struct audit_history *history = &self->histories[record->job];
    const struct finding_place place = {"start-mismatch", NULL, record->start_s, record->id};

    if (!audit_is_round(self->given, record->start_s) || record->start_s >= record->retired_at_s)
        findings_add(self->findings, &place, "started, but there was no round to do so");
    else if (history->held && record->start_s > history->first_held_s)
        findings_add(self->findings, &place, "started, but first held a GPU at %" PRId64 " s",
                     history->first_held_s);
    else if ((!history->held || record->start_s < history->first_held_s) &&
             !is_size_served(self->given, record->start_s, self->given->jobs[record->job].gpus))
        findings_add(self->findings, &place, "started, but neither it nor others of its size ran");
}

/* A job starts in the first round that gives it GPUs. Where arrivals are decided one by one, the
 * next decision of the same round can take them away again before anybody sees it (EF-Q35). */
static void check_start(const struct audit *self, const struct audit_record *record)
{
    const struct audit_history *history = &self->histories[record->job];
    const int64_t held_s = history->held ? history->first_held_s : record->retired_at_s;
    const bool withdrawn = self->policy->decides_one_by_one && record->start_s < held_s &&
                           audit_is_round(self->given, record->start_s) &&
                           several_arrived(self->given, record->start_s);
    const struct finding_place place = {"start-mismatch", withdrawn ? "EF-Q35" : NULL,
                                        record->start_s, record->id};

    if (record->start_s < self->given->jobs[record->job].submit_s)
        findings_add(
            self->findings,
            &(struct finding_place){"before-submission", NULL, record->start_s, record->id},
            "started before its submission at %" PRId64 " s",
            self->given->jobs[record->job].submit_s);
    if (self->policy->takes_turns)
        check_seat(self, record);
    else if (!history->held && !withdrawn)
        findings_add(self->findings, &place, "started, but never held a GPU");
    else if (record->start_s != held_s)
        findings_add(self->findings, &place, "started, but first held a GPU at %" PRId64 " s",
                     held_s);
}

static void check_retirement(const struct audit *self, const struct audit_record *record)
{
    if (self->policy->recorded_at_end) {
        if (record->retired_at_s != record->end_s)
            report(
                self,
                &(struct finding_place){"record-mismatch", NULL, record->retired_at_s, record->id},
                "retired_at", record->retired_at_s, record->end_s);
    } else if (!audit_is_round(self->given, record->retired_at_s)) {
        findings_add(
            self->findings,
            &(struct finding_place){"rounds-mismatch", NULL, record->retired_at_s, record->id},
            "retired, but there was no round at that time");
    }
}

/* GA-Q7: a job that was put to the front only after the interval was retired at its size, too. */
static void check_size(const struct audit *self, const struct audit_record *record)
{
    const struct audit_history *history = &self->histories[record->job];
    const bool put_there = history->last.gpus == 0 && self->policy->takes_turns &&
                           record->gpus_at_end == self->given->jobs[record->job].gpus;
    const struct finding_place place = {"size-mismatch",
                                        put_there ? audit_tag(self->policy, "GA-Q7") : NULL,
                                        record->retired_at_s, record->id};

    if (record->gpus_at_end != history->last.gpus)
        report(self, &place, "gpus_at_end", record->gpus_at_end, history->last.gpus);
}

/* Only with leases, where restarts take half a second, do ends fall between two. */
static void check_whole(const struct audit *self, const struct audit_record *record)
{
    const struct finding_place place = {"record-mismatch", NULL, record->retired_at_s, record->id};

    if (!self->policy->leases && record->ended_s < (double)record->end_s)
        findings_add(self->findings, &place, "end_time is %.12g, expected whole seconds",
                     record->ended_s);
}

static void check_record(const struct audit *self, const struct audit_record *record)
{
    check_copy(self, record);
    check_whole(self, record);
    check_start(self, record);
    check_retirement(self, record);
    check_size(self, record);
}

/* When the record was made. */
static int64_t recorded_s(const struct audit *self, const struct audit_record *record)
{
    if (record->job == AUDIT_NO_JOB || self->histories[record->job].record != record)
        return record->retired_at_s;
    return self->histories[record->job].retired_s;
}

static void check_records(const struct audit *self)
{
    const struct audit_case *given = self->given;

    for (size_t i = 0; i < given->record_count; i++) {
        const struct audit_record *record = &given->records[i];
        const struct finding_place place = {"retired-twice", NULL, record->retired_at_s,
                                            record->id};

        if (i > 0 && recorded_s(self, record) < recorded_s(self, &record[-1]))
            findings_add(self->findings,
                         &(struct finding_place){"not-in-time-order", NULL, record->retired_at_s,
                                                 record->id},
                         "recorded behind a job that was retired at %" PRId64 " s",
                         recorded_s(self, &record[-1]));
        if (record->job == AUDIT_NO_JOB)
            findings_add(
                self->findings,
                &(struct finding_place){"unknown-job", NULL, record->retired_at_s, record->id},
                "retired, but the trace has no such job");
        else if (self->histories[record->job].record != record)
            findings_add(self->findings, &place, "was retired at %" PRId64 " s before",
                         self->histories[record->job].record->retired_at_s);
        else
            check_record(self, record);
    }
}

static bool may_be_declined(const struct audit *self, const struct audit_job *job)
{
    switch (self->policy->declines) {
    case DECLINES_ANYBODY:
        return !job->best_effort || self->policy->declines_best_effort;
    case DECLINES_TOO_LARGE:
        return audit_is_too_large(self->policy, self->given, job);
    case DECLINES_NOBODY:
        break;
    }
    return false;
}

/* Who started must end; and where nobody is declined, everybody must start. */
static void check_everybody(const struct audit *self)
{
    const struct audit_case *given = self->given;

    for (size_t i = 0; i < given->job_count; i++) {
        const struct audit_job *job = &given->jobs[i];
        const struct audit_history *history = &self->histories[i];

        if (history->record)
            continue;
        if (history->held)
            findings_add(
                self->findings,
                &(struct finding_place){"never-retired", NULL, history->last_held_s, job->id},
                "held GPUs, but jobs.csv has no record of it");
        else if (!may_be_declined(self, job))
            findings_add(self->findings,
                         &(struct finding_place){"never-started", NULL, job->submit_s, job->id},
                         "policy %s declines no such job, but it never ran", self->policy->name);
        else if (audit_is_too_large(self->policy, given, job) && self->policy->forgets_too_large)
            findings_add(self->findings,
                         &(struct finding_place){"never-started", "TI-Q9", job->submit_s, job->id},
                         "asks for %" PRId64 " GPUs, and is counted nowhere", job->gpus);
    }
}

static void check_work_row(const struct audit *self, const struct audit_work *work, bool again)
{
    const struct audit_case *given = self->given;
    const struct audit_record *record =
        work->job == AUDIT_NO_JOB ? NULL : self->histories[work->job].record;
    const int64_t at_s = record ? record->retired_at_s : AUDIT_NO_TIME;
    int64_t asked;

    if (again)
        findings_add(self->findings, &(struct finding_place){"retired-twice", NULL, at_s, work->id},
                     "work.csv has it twice");
    else if (work->job == AUDIT_NO_JOB)
        findings_add(self->findings, &(struct finding_place){"unknown-job", NULL, at_s, work->id},
                     "in work.csv, but the trace has no such job");
    else if (!record)
        findings_add(self->findings, &(struct finding_place){"never-retired", NULL, at_s, work->id},
                     "in work.csv, but jobs.csv has no record of it");
    if (again || !record)
        return;
    if (self->policy->measure == (work->in_seconds ? BY_ITERATIONS : BY_SECONDS))
        findings_add(self->findings,
                     &(struct finding_place){"record-mismatch", NULL, at_s, work->id},
                     "measured in %s", work->in_seconds ? "seconds" : "iterations");
    asked =
        work->in_seconds ? given->jobs[work->job].duration_s : given->jobs[work->job].iterations;
    if (work->asked != asked)
        report(self, &(struct finding_place){"record-mismatch", NULL, at_s, work->id},
               work->in_seconds ? "seconds asked" : "iterations asked", work->asked, asked);
    if (!self->accounts && work->gpu_seconds != self->histories[work->job].gpu_seconds)
        report(self, &(struct finding_place){"gpu-seconds-mismatch", NULL, at_s, work->id},
               "gpu_seconds", work->gpu_seconds, self->histories[work->job].gpu_seconds);
}

static void check_works(const struct audit *self)
{
    const struct audit_case *given = self->given;

    for (size_t i = 0; i < given->work_count; i++) {
        const struct audit_work *work = &given->works[i];

        check_work_row(self, work,
                       work->job != AUDIT_NO_JOB && self->histories[work->job].work != work);
    }
    for (size_t i = 0; i < given->job_count; i++)
        if (self->histories[i].record && !self->histories[i].work)
            findings_add(self->findings,
                         &(struct finding_place){"record-mismatch", NULL,
                                                 self->histories[i].record->retired_at_s,
                                                 given->jobs[i].id},
                         "retired, but not in work.csv");
}

void audit_check_records(const struct audit *self)
{
    check_records(self);
    check_everybody(self);
    check_works(self);
}
