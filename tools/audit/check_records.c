/* check_records.c - jobs.csv and work.csv against the trace and the layouts. */
#include "tools/audit/check.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void report(const struct audit *self, const struct finding_place *place, const char *what,
                   int64_t found, int64_t expected)
{
    findings_add(self->findings, place, "%s is %" PRId64 ", expected %" PRId64, what, found,
                 expected);
}

static bool is_round(const struct audit_case *given, int64_t at_s)
{
    const size_t before = audit_rounds_before(given, at_s);

    return before < given->round_count && given->rounds[before].at_s == at_s;
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

/* A job starts in the first round that gives it GPUs. Where arrivals are decided one by one, the
 * next decision of the same round can take them away again before anybody sees it (EF-Q35). */
static void check_start(const struct audit *self, const struct audit_record *record)
{
    const struct audit_history *history = &self->histories[record->job];
    const int64_t held_s = history->held ? history->first_held_s : record->retired_at_s;
    const bool withdrawn = self->policy->decides_one_by_one && record->start_s < held_s &&
                           is_round(self->given, record->start_s) &&
                           several_arrived(self->given, record->start_s);
    const struct finding_place place = {"start-mismatch", withdrawn ? "EF-Q35" : NULL,
                                        record->start_s, record->id};

    if (record->start_s < self->given->jobs[record->job].submit_s)
        findings_add(
            self->findings,
            &(struct finding_place){"before-submission", NULL, record->start_s, record->id},
            "started before its submission at %" PRId64 " s",
            self->given->jobs[record->job].submit_s);
    if (!history->held && !withdrawn)
        findings_add(self->findings, &place, "started, but never held a GPU");
    else if (record->start_s != held_s)
        findings_add(self->findings, &place, "started, but first held a GPU at %" PRId64 " s",
                     held_s);
}

static void check_record(const struct audit *self, const struct audit_record *record)
{
    const struct audit_history *history = &self->histories[record->job];
    const struct finding_place size = {"size-mismatch", NULL, record->retired_at_s, record->id};

    check_copy(self, record);
    check_start(self, record);
    if (!is_round(self->given, record->retired_at_s))
        findings_add(
            self->findings,
            &(struct finding_place){"rounds-mismatch", NULL, record->retired_at_s, record->id},
            "retired, but there was no round at that time");
    if (record->gpus_at_end != history->last.gpus)
        report(self, &size, "gpus_at_end", record->gpus_at_end, history->last.gpus);
}

static void check_records(const struct audit *self)
{
    const struct audit_case *given = self->given;

    for (size_t i = 0; i < given->record_count; i++) {
        const struct audit_record *record = &given->records[i];
        const struct finding_place place = {"retired-twice", NULL, record->retired_at_s,
                                            record->id};

        if (i > 0 && record->retired_at_s < record[-1].retired_at_s)
            findings_add(self->findings,
                         &(struct finding_place){"not-in-time-order", NULL, record->retired_at_s,
                                                 record->id},
                         "recorded behind a job that was retired at %" PRId64 " s",
                         record[-1].retired_at_s);
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

/* Who started must end; and where nobody is declined, everybody must start. */
static void check_everybody(const struct audit *self)
{
    const struct audit_case *given = self->given;

    for (size_t i = 0; i < given->job_count; i++) {
        const struct audit_job *job = &given->jobs[i];
        const struct audit_history *history = &self->histories[i];
        const bool may_be_declined =
            self->policy->declines && (!job->best_effort || self->policy->declines_best_effort);

        if (history->record)
            continue;
        if (history->held)
            findings_add(
                self->findings,
                &(struct finding_place){"never-retired", NULL, history->last_held_s, job->id},
                "held GPUs, but jobs.csv has no record of it");
        else if (!may_be_declined)
            findings_add(self->findings,
                         &(struct finding_place){"never-started", NULL, job->submit_s, job->id},
                         "policy %s declines no such job, but it never ran", self->policy->name);
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
    asked =
        work->in_seconds ? given->jobs[work->job].duration_s : given->jobs[work->job].iterations;
    if (work->asked != asked)
        report(self, &(struct finding_place){"record-mismatch", NULL, at_s, work->id},
               work->in_seconds ? "seconds asked" : "iterations asked", work->asked, asked);
    if (work->gpu_seconds != self->histories[work->job].gpu_seconds)
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
