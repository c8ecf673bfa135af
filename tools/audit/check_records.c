/* check_records.c - jobs.csv and work.csv against the trace and the layouts. */
#include "tools/audit/check.h"

#include <inttypes.h>

static void expect(const struct audit *self, const char *check, const struct audit_record *record,
                   const char *what, int64_t found, int64_t expected)
{
    if (found != expected)
        audit_report(self, check, record->retired_at_s, record->id,
                     "%s is %" PRId64 ", expected %" PRId64, what, found, expected);
}

/* A best-effort row may state a deadline, which the record then may have (CH-Q9). */
static void check_deadline(const struct audit *self, const struct audit_record *record)
{
    const struct audit_job *job = &self->given->jobs[record->job];
    const bool none = record->best_effort || job->deadline_count == 0;
    int64_t deadline_s = none ? AUDIT_DEADLINE_NONE_S : job->deadlines_s[0];

    if (!none && record->deadline_s == job->past_deadline_s)
        deadline_s =
            job->past_deadline_s; /* the published policies plan with the stated deadline */
    expect(self, "record-mismatch", record, "deadline", record->deadline_s, deadline_s);
    expect(self, "best-effort-mismatch", record, "best_effort", record->best_effort,
           job->best_effort);
}

static void check_times(const struct audit *self, const struct audit_record *record)
{
    const struct audit_history *history = &self->histories[record->job];
    const int64_t submit_s = self->given->jobs[record->job].submit_s;

    if (record->start_s < submit_s)
        audit_report(self, "before-submission", record->start_s, record->id,
                     "started before its submission at %" PRId64 " s", submit_s);
    if (!audit_is_round(self->given, record->start_s) ||
        (record->start_s >= record->retired_at_s && !audit_is_empty(record)))
        audit_report(self, "start-mismatch", record->start_s, record->id,
                     "started, but there was no round to do so");
    else if (history->held && record->start_s > history->first_held_s)
        audit_report(self, "start-mismatch", record->start_s, record->id,
                     "started, but first held a GPU at %" PRId64 " s", history->first_held_s);
    if (record->end_s > record->retired_at_s)
        audit_report(self, "end-mismatch", record->retired_at_s, record->id,
                     "retired before its end at %.12g", record->ended_s);
    if (record->retired_at_s != record->end_s && !audit_is_round(self->given, record->retired_at_s))
        audit_report(self, "rounds-mismatch", record->retired_at_s, record->id,
                     "retired, but there was no round at that time");
}

/* Checks the size on record against the layout before the retirement. */
static void check_size(const struct audit *self, const struct audit_record *record)
{
    const struct audit_history *history = &self->histories[record->job];
    const bool held = history->held && history->last.until_s >= record->retired_at_s;

    expect(self, "size-mismatch", record, "gpus_at_end", record->gpus_at_end,
           held ? history->last.gpus : 0);
}

static void check_work_row(const struct audit *self, const struct audit_record *record,
                           const struct audit_work *work)
{
    const struct audit_job *job = &self->given->jobs[record->job];

    expect(self, "record-mismatch", record, work->in_seconds ? "seconds asked" : "iterations asked",
           work->asked, work->in_seconds ? job->duration_s : job->iterations);
    expect(self, "gpu-seconds-mismatch", record, "gpu_seconds", work->gpu_seconds,
           self->histories[record->job].gpu_seconds);
}

static void check_record(const struct audit *self, const struct audit_record *record)
{
    const struct audit_history *history = &self->histories[record->job];

    if (history->record != record) {
        audit_report(self, "retired-twice", record->retired_at_s, record->id,
                     "was retired at %" PRId64 " s before", history->record->retired_at_s);
        return;
    }
    expect(self, "record-mismatch", record, "submit_time", record->submit_s,
           self->given->jobs[record->job].submit_s);
    check_deadline(self, record);
    check_times(self, record);
    check_size(self, record);
    if (history->work)
        check_work_row(self, record, history->work);
    else
        audit_report(self, "record-mismatch", record->retired_at_s, record->id,
                     "retired, but not in work.csv");
}

static void check_work(const struct audit *self, const struct audit_work *work)
{
    if (work->job == AUDIT_NO_JOB)
        audit_report(self, "unknown-job", AUDIT_NO_TIME, work->id,
                     "in work.csv, but the trace has no such job");
    else if (self->histories[work->job].work != work)
        audit_report(self, "retired-twice", AUDIT_NO_TIME, work->id, "work.csv has it twice");
    else if (!self->histories[work->job].record)
        audit_report(self, "record-mismatch", AUDIT_NO_TIME, work->id,
                     "in work.csv, but jobs.csv has no record of it");
}

void audit_check_records(const struct audit *self)
{
    const struct audit_case *given = self->given;

    for (size_t i = 0; i < given->record_count; i++)
        if (given->records[i].job == AUDIT_NO_JOB)
            audit_report(self, "unknown-job", given->records[i].retired_at_s, given->records[i].id,
                         "retired, but the trace has no such job");
        else
            check_record(self, &given->records[i]);
    for (size_t i = 0; i < given->work_count; i++)
        check_work(self, &given->works[i]);
}
