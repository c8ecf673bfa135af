/* outcome_report.c - see outcome_report.h. */
#include "scheduler/report/outcome_report.h"

#include "common/memory.h"
#include "scheduler/plan/side_table.h"

#include <assert.h>
#include <stdlib.h>

struct told {
    const struct submission *submission;
    int64_t at_s;
    struct verdict verdict;
    bool withdrawn; /* a promise */
    enum job_state state;
    double ended_s; /* if it is done */
};

struct outcome_report {
    side_table_t *places; /* size_t: where a job is among these */
    struct told *told;
    size_t count;
    size_t capacity;
};

enum outcome {
    OUTCOME_DECLINED,
    OUTCOME_ON_TIME,
    OUTCOME_LATE,
    OUTCOME_DONE,
    OUTCOME_FAILED,
    OUTCOME_CANCELLED,
    OUTCOME_UNFINISHED,
};

static const char *const verdict_words[] = {[VERDICT_PROMISED] = "promised",
                                            [VERDICT_BEST_EFFORT] = "best-effort",
                                            [VERDICT_DECLINED] = "declined",
                                            [VERDICT_PROMISED_LATER] = "promised-later"};
static const char *const reason_words[] = {[REASON_FITS] = "fits",
                                           [REASON_NO_DEADLINE] = "no-deadline",
                                           [REASON_NO_PROMISES] = "no-promises",
                                           [REASON_NO_ROOM] = "no-room",
                                           [REASON_TOO_LARGE] = "too-large",
                                           [REASON_JOBS_TO_COME] = "jobs-to-come"};
static const char *const outcome_words[] = {[OUTCOME_DECLINED] = "",
                                            [OUTCOME_ON_TIME] = "on-time",
                                            [OUTCOME_LATE] = "late",
                                            [OUTCOME_DONE] = "done",
                                            [OUTCOME_FAILED] = "failed",
                                            [OUTCOME_CANCELLED] = "cancelled",
                                            [OUTCOME_UNFINISHED] = "unfinished"};

outcome_report_t *outcome_report_new(void)
{
    outcome_report_t *self = xcalloc(1, sizeof(*self));

    self->places = side_table_new(sizeof(size_t));
    return self;
}

void outcome_report_destroy(outcome_report_t **self)
{
    if (!*self)
        return;
    side_table_destroy(&(*self)->places);
    free((*self)->told);
    free(*self);
    *self = NULL;
}

void outcome_report_decided(outcome_report_t *self, const struct job *job, int64_t now_s,
                            const struct verdict *verdict)
{
    if (verdict->kind == VERDICT_PROMISED_LATER) {
        self->told[*(size_t *)side_table_at(self->places, job)].verdict = *verdict;
        return;
    }
    self->told = grow_array(self->told, self->count, &self->capacity, sizeof(*self->told));
    *(size_t *)side_table_at(self->places, job) = self->count;
    self->told[self->count++] = (struct told){
        .submission = job->submission, .at_s = now_s, .verdict = *verdict, .state = job->state};
}

void outcome_report_withdrawn(outcome_report_t *self, const struct job *job)
{
    self->told[*(size_t *)side_table_at(self->places, job)].withdrawn = true;
}

void outcome_report_ended(outcome_report_t *self, const struct job *job)
{
    struct told *told = &self->told[*(size_t *)side_table_at(self->places, job)];

    assert(told->submission == job->submission);
    told->state = job->state;
    told->ended_s = job_ended_s(job);
}

/* The deadline that the end is compared with. */
static int64_t deadline_s(const struct told *told)
{
    if (verdict_promises(&told->verdict))
        return told->verdict.promised_s;
    return told->submission->best_effort ? DEADLINE_NONE_S : told->submission->deadline_s;
}

static enum outcome outcome_of(const struct told *told)
{
    const int64_t due_s = deadline_s(told);

    if (told->verdict.kind == VERDICT_DECLINED)
        return OUTCOME_DECLINED;
    if (told->state == JOB_FAILED)
        return OUTCOME_FAILED;
    if (told->state == JOB_CANCELLED)
        return OUTCOME_CANCELLED;
    if (told->state != JOB_DONE)
        return OUTCOME_UNFINISHED;
    if (due_s == DEADLINE_NONE_S)
        return OUTCOME_DONE;
    return told->ended_s <= (double)due_s ? OUTCOME_ON_TIME : OUTCOME_LATE;
}

/* Of the first deadline that was met. */
static double value_of(const struct told *told)
{
    const struct submission *submission = told->submission;

    for (size_t i = 0; i < submission->level_count; i++)
        if (told->ended_s <= (double)submission->levels[i].deadline_s)
            return (double)submission->levels[i].value / LEVEL_VALUE_FULL;
    return 1;
}

static void count_on_time(const struct told *told, struct outcome_figures *figures)
{
    const struct throughput_row *row = told->submission->throughput;

    figures->on_time++;
    figures->best_effort_on_time += !verdict_promises(&told->verdict);
    figures->value_on_time += value_of(told);
    if (row)
        figures->gpu_hours_on_time +=
            throughput_least_gpu_s(row) * (double)told->submission->iterations / 3600;
}

void outcome_report_count(const outcome_report_t *self, struct outcome_figures *figures)
{
    *figures = (struct outcome_figures){.promises = figures->promises};
    for (size_t i = 0; i < self->count; i++) {
        const enum verdict_kind kind = self->told[i].verdict.kind;
        const bool promised = verdict_promises(&self->told[i].verdict);
        const enum outcome outcome = outcome_of(&self->told[i]);

        figures->promised += promised;
        figures->promised_at_arrival += kind == VERDICT_PROMISED;
        figures->promised_later += kind == VERDICT_PROMISED_LATER;
        figures->failed += outcome == OUTCOME_FAILED;
        figures->withdrawn += self->told[i].withdrawn;
        figures->broken += promised && (outcome == OUTCOME_LATE || outcome == OUTCOME_FAILED);
        if (outcome == OUTCOME_ON_TIME)
            count_on_time(&self->told[i], figures);
    }
}

static void write_told(const struct told *told, output_t *out)
{
    output_whole(out, told->at_s);
    output_char(out, ',');
    output_text(out, told->submission->id);
    output_char(out, ',');
    output_text(out, verdict_words[told->verdict.kind]);
    output_char(out, ',');
    output_text(out, reason_words[told->verdict.reason]);
    output_char(out, ',');
    if (verdict_promises(&told->verdict))
        output_whole(out, told->verdict.promised_s);
    output_char(out, ',');
    output_text(out, outcome_words[outcome_of(told)]);
    output_char(out, '\n');
}

void outcome_report_write(const outcome_report_t *self, output_t *out)
{
    output_text(out, "decided_at,job_id,verdict,reason,promised,outcome\n");
    for (size_t i = 0; i < self->count; i++)
        write_told(&self->told[i], out);
}

double outcome_share(const struct outcome_figures *figures, int64_t deadline_jobs)
{
    return deadline_jobs > 0 ? (double)figures->on_time / (double)deadline_jobs : 0;
}

void outcome_report_summary(json_t *summary, const struct outcome_figures *figures,
                            int64_t deadline_jobs)
{
    json_object_update_new(
        summary,
        json_pack("{s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f}", "promises",
                  figures->promises, "on_time", (json_int_t)figures->on_time, "promised",
                  (json_int_t)figures->promised, "promised_at_arrival",
                  (json_int_t)figures->promised_at_arrival, "promised_later",
                  (json_int_t)figures->promised_later, "withdrawn", (json_int_t)figures->withdrawn,
                  "broken", (json_int_t)figures->broken, "failed", (json_int_t)figures->failed,
                  "best_effort_on_time", (json_int_t)figures->best_effort_on_time, "on_time_share",
                  outcome_share(figures, deadline_jobs), "value_on_time", figures->value_on_time,
                  "gpu_hours_on_time", figures->gpu_hours_on_time));
}
