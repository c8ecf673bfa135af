/* variation.c - see variation.h. */
#include "tools/sweep/variation.h"

#include "common/memory.h"
#include "common/rng.h"
#include "scheduler/state/parents.h"
#include "scheduler/state/trace.h"
#include "tools/trace_tools/dialect.h"
#include "tools/trace_tools/trace_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The columns that rows have beside the columns of every trace. */
struct extent {
    bool gpus;
    bool durations;
    bool values;
    bool promises;
    bool chains;
};

bool variation_is_none(const struct variation *self)
{
    return self->load == 1 && self->tightness.low < 0 && !(self->best_effort > 0) &&
           self->seed == 0;
}

/* ---- arrivals ---- */

static void shuffle(int64_t *gaps, size_t count, int64_t seed)
{
    rng_t rng = rng_new((uint64_t)seed, "sweep: gaps");

    for (size_t i = count; i > 1; i--) {
        const size_t other = (size_t)rng_below(&rng, i);
        const int64_t gap = gaps[i - 1];

        gaps[i - 1] = gaps[other];
        gaps[other] = gap;
    }
}

/* The varied arrival times. The first job arrives at its time in the trace. */
static int64_t *arrivals(const struct variation *self, submissions_t *jobs)
{
    const size_t count = submissions_count(jobs);
    int64_t *times_s = xcalloc(count + 1, sizeof(*times_s));
    int64_t first_s = count > 0 ? submissions_at(jobs, 0)->submit_s : 0;
    int64_t since_s = 0;

    for (size_t i = 1; i < count; i++)
        times_s[i] = submissions_at(jobs, i)->submit_s - submissions_at(jobs, i - 1)->submit_s;
    if (self->seed != 0 && count > 1)
        shuffle(times_s + 1, count - 1, self->seed);
    for (size_t i = 0; i < count; i++) {
        since_s += times_s[i];
        times_s[i] =
            first_s + (int64_t)fmin(round((double)since_s / self->load), (double)TIME_MAX_S);
    }
    return times_s;
}

/* ---- jobs ---- */

/* The deadline that the trace states, even for a best-effort job; the submission time if the trace
 * states no deadline. */
static int64_t stated_deadline_s(const struct submission *job)
{
    return job->level_count > 0 ? job->levels[0].deadline_s : job->submit_s;
}

static int check_job(const struct variation *self, const char *trace, const struct submission *job,
                     struct error *error)
{
    if (job->level_count > 1 ||
        (job->level_count == 1 && job->levels[0].value % LEVEL_VALUE_FULL != 0))
        return error_set(error,
                         "%s:%" PRIu32 ": job %s has a soft deadline, or one of a trace of Chronus "
                         "that is not worth 1, which cannot be varied",
                         trace, job->line, job->id);
    if (self->tightness.low >= 0 && job->duration_s < 0)
        return error_set(
            error, "%s: no column duration, of which the tightness is to be a multiple", trace);
    return 0;
}

/* Varies a job. Every job takes its draws, even a job that needs none, so that the draws of the
 * other jobs do not change. */
static void vary_job(const struct variation *self, struct submission *job, int64_t submit_s,
                     rng_t *tightness, rng_t *best_effort)
{
    const double ratio = rng_uniform(tightness, self->tightness.low, self->tightness.high);
    const double left_s = self->tightness.low >= 0
                              ? round(ratio * (double)job->duration_s)
                              : (double)(stated_deadline_s(job) - job->submit_s);

    job->deadline_s = submit_s + (int64_t)left_s;
    job->submit_s = submit_s;
    if (rng_unit(best_effort) < self->best_effort)
        job->best_effort = true;
    if (job->best_effort)
        job->promise_or_decline = false;
}

static int vary(const struct variation *self, const char *trace, submissions_t *jobs,
                struct error *error)
{
    int64_t *times_s = arrivals(self, jobs);
    rng_t tightness = rng_new((uint64_t)self->seed, "sweep: tightness");
    rng_t best_effort = rng_new((uint64_t)self->seed, "sweep: best effort");
    int result = 0;

    for (size_t i = 0; i < submissions_count(jobs) && result == 0; i++) {
        struct submission *job = submissions_at(jobs, i);

        result = check_job(self, trace, job, error);
        if (result == 0)
            vary_job(self, job, times_s[i], &tightness, &best_effort);
        if (result == 0 && (job->submit_s >= TIME_MAX_S || job->deadline_s > TIME_MAX_S))
            result =
                error_set(error, "%s: with so small a load job %s is later than a trace can be",
                          trace, job->id);
    }
    free(times_s);
    return result;
}

/* ---- rows ---- */

static struct extent extent_of(submissions_t *jobs)
{
    struct extent extent = {.gpus = false};

    for (size_t i = 0; i < submissions_count(jobs); i++) {
        const struct submission *job = submissions_at(jobs, i);

        extent.gpus |= job->gpus_requested > 0;
        extent.durations |= job->duration_s >= 0;
        extent.values |= job->level_count == 1 && job->levels[0].value != LEVEL_VALUE_FULL;
        extent.promises |= job->promise_or_decline;
        extent.chains |= job->parent_count > 0;
    }
    return extent;
}

static void write_header(struct trace_row *row, const struct extent *extent)
{
    const char *const names[] = {"job_id",
                                 dialect_column_name(DIALECT_PUBLIC, DIALECT_SUBMISSION),
                                 dialect_column_name(DIALECT_PUBLIC, DIALECT_ITERATIONS),
                                 "model_name",
                                 dialect_column_name(DIALECT_PUBLIC, DIALECT_DEADLINE),
                                 "batch_size",
                                 "best_effort",
                                 extent->gpus ? "num_gpu" : NULL,
                                 extent->durations ? "duration" : NULL,
                                 extent->values ? "value" : NULL,
                                 extent->promises ? "promise_or_decline" : NULL,
                                 extent->chains ? "after" : NULL};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i])
            trace_row_text(row, names[i]);
    trace_row_end(row);
}

static void write_after(struct trace_row *row, const struct submission *job)
{
    char text[PARENTS_TEXT_MAX + 1] = "";
    size_t used = 0;

    for (size_t i = 0; i < job->parent_count; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s%s", i > 0 ? ";" : "",
                                 job->parents[i].id, job->parents[i].any ? ":any" : "");
    trace_row_text(row, text);
}

static void write_job(struct trace_row *row, const struct submission *job,
                      const struct extent *extent)
{
    trace_row_text(row, job->id);
    trace_row_whole(row, job->submit_s);
    trace_row_whole(row, job->iterations);
    trace_row_text(row, job->model);
    trace_row_whole(row, job->deadline_s);
    trace_row_whole(row, job->batch_size);
    trace_row_whole(row, job->best_effort);
    if (extent->gpus)
        trace_row_whole(row, job->gpus_requested);
    if (extent->durations)
        trace_row_whole(row, job->duration_s);
    if (extent->values)
        trace_row_whole(row, job->level_count == 1 ? job->levels[0].value / LEVEL_VALUE_FULL : 1);
    if (extent->promises)
        trace_row_whole(row, job->promise_or_decline);
    if (extent->chains)
        write_after(row, job);
    trace_row_end(row);
}

static int write_jobs(submissions_t *jobs, const char *path, struct error *error)
{
    const struct extent extent = extent_of(jobs);
    struct trace_row row = {.output = trace_file_new(path, true, error),
                            .delimiter = trace_file_delimiter(path)};

    if (!row.output)
        return -1;
    write_header(&row, &extent);
    for (size_t i = 0; i < submissions_count(jobs); i++)
        write_job(&row, submissions_at(jobs, i), &extent);
    return output_commit(&row.output, error);
}

int variation_write(const struct variation *self, const char *trace, const char *path,
                    struct error *error)
{
    const struct trace_rules rules = {.throughputs = NULL};
    submissions_t *jobs = trace_read(trace, &rules, error);
    int result = -1;

    if (jobs && vary(self, trace, jobs, error) == 0)
        result = write_jobs(jobs, path, error);
    submissions_destroy(&jobs);
    return result;
}
