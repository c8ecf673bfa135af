/* sacct.c - the output of `sacct --parsable2`: fields between bars, a header, then a line for each
 * job and for each job step; only the jobs count. GPUs are taken from AllocTRES, or from ReqTRES if
 * AllocTRES has none.
 *
 * Source: the manual page sacct(1) of Slurm. */
#include "common/csv.h"
#include "common/number.h"
#include "tools/trace_import/format.h"
#include "tools/trace_import/local_time.h"
#include "tools/trace_import/split.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum column { JOB, SUBMIT, START, END, ALLOCATED, REQUESTED, USER, PARTITION, STATE, COLUMN_COUNT };

static const char *const names[COLUMN_COUNT] = {
    "JobID", "Submit", "Start", "End", "AllocTRES", "ReqTRES", "User", "Partition", "State"};

struct log {
    split_t *line;
    size_t count;                /* number of the header's fields */
    size_t places[COLUMN_COUNT]; /* SIZE_MAX for a column that the log lacks */
};

static size_t find_column(const split_t *header, const char *name)
{
    for (size_t i = 0; i < split_count(header); i++)
        if (!strcmp(split_at(header, i), name))
            return i;
    return SIZE_MAX;
}

static int complain_column(const split_t *header, const char *name, struct error *error)
{
    char hint[128] = "";

    if (split_count(header) == 1)
        csv_separator_hint(split_at(header, 0), '|', hint, sizeof(hint));
    for (size_t i = 0; i < split_count(header) && !*hint; i++)
        if (csv_names_alike(split_at(header, i), name))
            (void)snprintf(hint, sizeof(hint), "; column %zu is called \"%.64s\"", i + 1,
                           split_at(header, i));
    return error_set(error, "%s:%" PRId64 ": expected a column %s between bars, found none%s",
                     split_path(header), split_line(header), name, hint);
}

static int read_header(struct log *self, struct error *error)
{
    const int got = split_next(self->line, error);

    if (got < 0)
        return -1;
    if (got == 0)
        return error_set(error, "%s:1: the file is empty, expected a header",
                         split_path(self->line));
    self->count = split_count(self->line);
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        self->places[i] = find_column(self->line, names[i]);
    for (size_t i = JOB; i <= END; i++)
        if (self->places[i] == SIZE_MAX)
            return complain_column(self->line, names[i], error);
    if (self->places[ALLOCATED] == SIZE_MAX && self->places[REQUESTED] == SIZE_MAX)
        return error_set(error,
                         "%s:%" PRId64 ": expected a column AllocTRES or ReqTRES, found none",
                         split_path(self->line), split_line(self->line));
    return 0;
}

static int read_time(const struct log *self, enum column column, struct local_time *time,
                     struct error *error)
{
    const size_t place = self->places[column];
    const char *text = split_at(self->line, place);

    *time = (struct local_time)LOCAL_TIME_NONE;
    if (local_time_is_none(text) || local_time_parse(text, time))
        return 0;
    return split_complain(self->line, place, names[column], LOCAL_TIME_EXPECTED ", or Unknown",
                          error);
}

/* The number after the "=" of the resource at `text`; -1 if it is no number. */
static double amount(const char *text)
{
    const size_t name = strcspn(text, "=,");
    const size_t length = strcspn(text + name, ",");
    double value;

    if (length < 2 || number_parse_real(text + name + 1, length - 1, 0, 1e9, &value) != NUMBER_OK)
        return -1;
    return value;
}

/* Counts the GPUs in a text like "billing=8,cpu=8,gres/gpu:a100=2,gres/gpu=2". A count without a
 * type is the count of all types; if it is missing, the counts of the types are added up. Returns
 * -1 if a count is no number. */
static double count_gpus(const char *text)
{
    static const char gpu[] = "gres/gpu";
    double typed = 0;

    for (const char *at = text; *at; at += strcspn(at, ","), at += *at == ',') {
        const bool is_gpu = strncmp(at, gpu, sizeof(gpu) - 1) == 0;
        const bool is_sum = is_gpu && at[sizeof(gpu) - 1] == '=';
        const bool is_typed = is_gpu && at[sizeof(gpu) - 1] == ':';
        const double value = is_sum || is_typed ? amount(at) : 0;

        if (value < 0 || is_sum)
            return value;
        typed += value;
    }
    return typed;
}

static int read_gpus(const struct log *self, double *gpus, struct error *error)
{
    *gpus = 0;
    for (size_t column = ALLOCATED; column <= REQUESTED && *gpus == 0; column++) {
        const size_t place = self->places[column];

        if (place == SIZE_MAX)
            continue;
        *gpus = count_gpus(split_at(self->line, place));
        if (*gpus < 0)
            return split_complain(self->line, place, names[column],
                                  "resources like cpu=8,gres/gpu=2", error);
    }
    return 0;
}

/* The text in a column; NULL if the log lacks the column. */
static const char *optional_text(const struct log *self, enum column column)
{
    return self->places[column] != SIZE_MAX ? split_at(self->line, self->places[column]) : NULL;
}

/* Whether `id` is a job step, as "12.batch" and "12.0" are steps of job 12. */
static bool is_step(const char *id)
{
    return strchr(id, '.') != NULL;
}

static int complain_count(const struct log *self, struct error *error)
{
    char expected[40];

    (void)snprintf(expected, sizeof(expected), "%zu fields between bars", self->count);
    return split_complain_count(self->line, expected, error);
}

static int read_job(const struct log *self, foreign_t *jobs, struct error *error)
{
    struct foreign_job job = {.name = NULL};
    struct local_time times[3]; /* submission, start and end */

    if (split_count(self->line) != self->count)
        return complain_count(self, error);
    job.name = split_at(self->line, self->places[JOB]);
    if (is_step(job.name))
        return 0;
    if (read_time(self, SUBMIT, &times[0], error) < 0 ||
        read_time(self, START, &times[1], error) < 0 ||
        read_time(self, END, &times[2], error) < 0 || read_gpus(self, &job.gpus, error) < 0)
        return -1;
    local_time_order(times, 3);
    job.user = optional_text(self, USER);
    job.virtual_cluster = optional_text(self, PARTITION);
    job.submit_s = times[0].seconds;
    foreign_span(&job, times[1].seconds, times[2].seconds, optional_text(self, STATE));
    return foreign_add(jobs, &job, split_path(self->line), split_line(self->line), error);
}

int sacct_read(const char *const paths[], const struct format_setting *setting, foreign_t *jobs,
               struct error *error)
{
    struct log log = {.line = split_open(paths[0], '|', '\0', error)};
    int got = -1;

    (void)setting;
    if (!log.line)
        return -1;
    if (read_header(&log, error) == 0)
        while ((got = split_next(log.line, error)) > 0)
            if (read_job(&log, jobs, error) < 0) {
                got = -1;
                break;
            }
    split_destroy(&log.line);
    return got;
}
