/* rewrite.c - see rewrite.h. */
#include "tools/trace_tools/rewrite.h"

#include "common/number.h"
#include "scheduler/state/steps.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Columns that no reader of traces needs; a rewritten trace keeps them. */
#define USER            "user"
#define VIRTUAL_CLUSTER "virtual_cluster"

#define USER_BYTES ((size_t)32)

/* Columns that only Rubato adds to the dialects of ElasticFlow, and that Chronus cannot express. */
static const char *const own_columns[] = {"promise_or_decline", "confidence", "after", "group"};

#define OWN_COLUMNS (sizeof(own_columns) / sizeof(own_columns[0]))

/* The places of a row's cells in the file, SIZE_MAX for a missing column. */
struct places {
    size_t id;
    size_t submit;
    size_t iterations;
    size_t deadline;
    size_t model;
    size_t batch;
    size_t gpus;
    size_t duration;
    size_t user;
    size_t virtual_cluster;
    size_t own[OWN_COLUMNS];
};

static struct places find_places(const csv_t *csv)
{
    struct places places = {.id = dialect_place_of(csv, "job_id"),
                            .submit = dialect_place(csv, DIALECT_SUBMISSION),
                            .iterations = dialect_place(csv, DIALECT_ITERATIONS),
                            .deadline = dialect_place(csv, DIALECT_DEADLINE),
                            .model = dialect_place_of(csv, "model_name"),
                            .batch = dialect_place_of(csv, "batch_size"),
                            .gpus = dialect_place_of(csv, "num_gpu"),
                            .duration = dialect_place_of(csv, "duration"),
                            .user = dialect_place_of(csv, USER),
                            .virtual_cluster = dialect_place_of(csv, VIRTUAL_CLUSTER)};

    for (size_t i = 0; i < OWN_COLUMNS; i++)
        places.own[i] = dialect_place_of(csv, own_columns[i]);
    return places;
}

/* Prints the user that a trace of Chronus gives to a job without a user. */
static void print_user(uint64_t number, char text[USER_BYTES])
{
    (void)snprintf(text, USER_BYTES, "user%" PRIu64, number);
}

/* Whether a trace of Chronus has users of its own, beside the made-up users that only fill the
 * column. */
static int has_own_users(const csv_t *csv, size_t place, bool *has, struct error *error)
{
    csv_t *again = csv_open(csv_path(csv), csv_delimiter(csv_path(csv)), error);
    int got = again ? 1 : -1;

    *has = false;
    for (uint64_t number = 0; got > 0 && !*has && (got = csv_next(again, error)) > 0; number++) {
        char user[USER_BYTES];

        print_user(number, user);
        *has = strcmp(csv_at(again, place).text, user) != 0;
    }
    csv_destroy(&again);
    return got < 0 ? -1 : 0;
}

/* Forgets the column of users if all its users are made up. */
static int settle_users(const csv_t *csv, struct places *places, struct error *error)
{
    bool has;

    if (places->user == SIZE_MAX || !dialect_is_chronus(csv))
        return 0;
    if (has_own_users(csv, places->user, &has, error) < 0)
        return -1;
    if (!has)
        places->user = SIZE_MAX;
    return 0;
}

static void copy_cell(const csv_t *csv, size_t place, struct trace_row *row)
{
    const struct csv_cell cell = csv_at(csv, place);

    trace_row_cell(row, cell.text, cell.length);
}

static void write_names(const char *const names[], size_t count, struct trace_row *row)
{
    for (size_t i = 0; i < count; i++)
        if (names[i])
            trace_row_text(row, names[i]);
}

static void write_chronus_header(const struct places *places, struct trace_row *row)
{
    const char *const names[] = {"job_id",
                                 USER,
                                 "num_gpu",
                                 "batch_size",
                                 "model_name",
                                 "submit_time",
                                 "iterations",
                                 "duration",
                                 "interval",
                                 "expect_time_list",
                                 "expect_value_list",
                                 "best_effort",
                                 "job_type",
                                 places->virtual_cluster == SIZE_MAX ? NULL : VIRTUAL_CLUSTER};

    write_names(names, sizeof(names) / sizeof(names[0]), row);
    trace_row_end(row);
}

/* Writes both lists of a job with several deadlines, and the job's class. */
static int write_soft(const struct rewrite *self, const struct submission *job, size_t deadline,
                      struct trace_row *row, struct error *error)
{
    char times[LEVELS_MAX * 24];
    char values[LEVELS_MAX * 24];
    size_t time_bytes = 0;
    size_t value_bytes = 0;

    for (size_t i = 0; i < job->level_count; i++) {
        const struct job_level *level = &job->levels[i];
        const char *joint = i > 0 ? "-" : "";

        if (level->deadline_s < job->submit_s || level->value > LEVEL_VALUE_MAX)
            return csv_complain_at(self->csv, deadline,
                                   "steps that Chronus has: not before the submission, and worth "
                                   "100 at most",
                                   error);
        time_bytes += (size_t)snprintf(times + time_bytes, sizeof(times) - time_bytes, "%s%" PRId64,
                                       joint, level->deadline_s - job->submit_s);
        value_bytes += (size_t)snprintf(values + value_bytes, sizeof(values) - value_bytes,
                                        "%s%" PRId64, joint, level->value);
    }
    trace_row_text(row, times);
    trace_row_text(row, values);
    trace_row_whole(row, 0);
    trace_row_text(row, "soft");
    return 0;
}

/* Writes the value of a job with one deadline or of best effort. */
static int write_value(const struct rewrite *self, const struct submission *job, size_t deadline,
                       struct trace_row *row, struct error *error)
{
    const int64_t value =
        job->level_count > 0 && !job->best_effort ? job->levels[0].value : LEVEL_VALUE_FULL;

    if (value > LEVEL_VALUE_MAX)
        return csv_complain_at(self->csv, deadline,
                               "a job that is worth what Chronus has: 100 at most", error);
    trace_row_whole(row, value);
    return 0;
}

/* Writes the deadline, its value and the class of a job. */
static int write_level(const struct rewrite *self, const struct submission *job, size_t deadline,
                       struct trace_row *row, struct error *error)
{
    const bool best = job->best_effort && self->keep_best_effort;

    if (submission_is_soft(job))
        return write_soft(self, job, deadline, row, error);
    if (!best && job->level_count == 0)
        return csv_complain_at(self->csv, deadline,
                               "a deadline that is not before the submission, for want of "
                               "--keep-best-effort (CH-Q9)",
                               error);
    trace_row_whole(row, job->level_count > 0 ? job->levels[0].deadline_s - job->submit_s : 0);
    if (write_value(self, job, deadline, row, error) < 0)
        return -1;
    trace_row_whole(row, best);
    trace_row_text(row, best ? "best" : "strict");
    return 0;
}

/* Refuses a row with a value in a column that Chronus lacks, since the value would be lost. */
static int check_own_columns(const csv_t *csv, const struct places *places, struct error *error)
{
    for (size_t i = 0; i < OWN_COLUMNS; i++) {
        struct csv_cell cell;

        if (places->own[i] == SIZE_MAX)
            continue;
        cell = csv_at(csv, places->own[i]);
        if (cell.length > 0 && strcmp(cell.text, "0") != 0)
            return csv_complain_at(csv, places->own[i],
                                   "nothing, as a trace of Chronus has no such column", error);
    }
    return 0;
}

static int write_chronus_row(const struct rewrite *self, const struct submission *job,
                             const struct places *places, struct trace_row *row,
                             struct error *error)
{
    char user[USER_BYTES];

    if (job->gpus_requested == 0)
        return 0;
    if (check_own_columns(self->csv, places, error) < 0)
        return -1;
    copy_cell(self->csv, places->id, row);
    if (places->user != SIZE_MAX) {
        copy_cell(self->csv, places->user, row);
    } else {
        print_user(job->number, user);
        trace_row_text(row, user);
    }
    copy_cell(self->csv, places->gpus, row);
    copy_cell(self->csv, places->batch, row);
    copy_cell(self->csv, places->model, row);
    copy_cell(self->csv, places->submit, row);
    copy_cell(self->csv, places->iterations, row);
    copy_cell(self->csv, places->duration, row);
    trace_row_whole(row, 0);
    if (write_level(self, job, places->deadline, row, error) < 0)
        return -1;
    if (places->virtual_cluster != SIZE_MAX)
        copy_cell(self->csv, places->virtual_cluster, row);
    trace_row_end(row);
    return 0;
}

static int check_columns(const csv_t *csv, const struct places *places, struct error *error)
{
    const char *missing = places->gpus == SIZE_MAX       ? "num_gpu"
                          : places->duration == SIZE_MAX ? "duration"
                                                         : NULL;

    if (!missing)
        return 0;
    return error_set(error, "%s:%" PRId64 ": no column %s, which a trace of Chronus has",
                     csv_path(csv), csv_line(csv), missing);
}

static bool any_best_effort(const struct rewrite *self)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->jobs[i]->best_effort)
            return true;
    return false;
}

static void write_elastic_header(const struct rewrite *self, const struct places *places,
                                 bool marks, struct trace_row *row)
{
    const char *const names[] = {"job_id",
                                 dialect_column_name(self->dialect, DIALECT_SUBMISSION),
                                 dialect_column_name(self->dialect, DIALECT_ITERATIONS),
                                 "model_name",
                                 dialect_column_name(self->dialect, DIALECT_DEADLINE),
                                 "batch_size",
                                 places->gpus == SIZE_MAX ? NULL : "num_gpu",
                                 places->duration == SIZE_MAX ? NULL : "duration",
                                 marks ? "best_effort" : NULL,
                                 places->user == SIZE_MAX ? NULL : USER,
                                 places->virtual_cluster == SIZE_MAX ? NULL : VIRTUAL_CLUSTER};

    write_names(names, sizeof(names) / sizeof(names[0]), row);
    for (size_t i = 0; i < OWN_COLUMNS; i++)
        if (places->own[i] != SIZE_MAX)
            trace_row_text(row, own_columns[i]);
    trace_row_end(row);
}

/* The deadline for the rewritten trace. A best-effort job's deadline means nothing, but a valid
 * time in the cell is kept, so that a conversion there and back gives the same file. */
static int64_t elastic_deadline_s(const csv_t *csv, const struct submission *job, size_t place)
{
    const struct csv_cell cell = csv_at(csv, place);
    int64_t time_s;

    if (!job->best_effort)
        return job->deadline_s;
    if (number_parse_whole(cell.text, cell.length, 0, TIME_MAX_S - job->submit_s, &time_s) !=
        NUMBER_OK)
        return job->submit_s;
    return job->submit_s + time_s;
}

static bool is_worth_full(const struct submission *job)
{
    return job->level_count == 0 ||
           (job->level_count == 1 && job->levels[0].value == LEVEL_VALUE_FULL);
}

/* Writes the deadline of a job: as steps if the job has several deadlines or an unusual value. */
static int write_elastic_deadline(const struct rewrite *self, const struct submission *job,
                                  size_t place, struct trace_row *row, struct error *error)
{
    char text[STEPS_BYTES];
    struct error why;

    if (job->best_effort || is_worth_full(job)) {
        trace_row_whole(row, elastic_deadline_s(self->csv, job, place));
        return 0;
    }
    if (steps_check(job->levels, job->level_count, &why) < 0)
        return error_set(error,
                         "%s:%" PRIu32 ": job %s has deadlines that the other dialects have no "
                         "steps for: %s",
                         csv_path(self->csv), job->line, job->id, why.text);
    trace_row_text(row, steps_print(job->levels, job->level_count, text));
    return 0;
}

static int write_elastic_row(const struct rewrite *self, const struct submission *job,
                             const struct places *places, bool marks, struct trace_row *row,
                             struct error *error)
{
    copy_cell(self->csv, places->id, row);
    copy_cell(self->csv, places->submit, row);
    copy_cell(self->csv, places->iterations, row);
    copy_cell(self->csv, places->model, row);
    if (write_elastic_deadline(self, job, places->deadline, row, error) < 0)
        return -1;
    copy_cell(self->csv, places->batch, row);
    if (places->gpus != SIZE_MAX)
        copy_cell(self->csv, places->gpus, row);
    if (places->duration != SIZE_MAX)
        copy_cell(self->csv, places->duration, row);
    if (marks)
        trace_row_whole(row, job->best_effort);
    if (places->user != SIZE_MAX)
        copy_cell(self->csv, places->user, row);
    if (places->virtual_cluster != SIZE_MAX)
        copy_cell(self->csv, places->virtual_cluster, row);
    for (size_t i = 0; i < OWN_COLUMNS; i++)
        if (places->own[i] != SIZE_MAX)
            copy_cell(self->csv, places->own[i], row);
    trace_row_end(row);
    return 0;
}

static int next_row(csv_t *csv, struct error *error)
{
    const int got = csv_next(csv, error);

    if (got == 0)
        return error_set(error, "%s: the file changes while it is read", csv_path(csv));
    return got < 0 ? -1 : 0;
}

int rewrite_trace(const struct rewrite *self, struct trace_row *row, struct error *error)
{
    struct places places = find_places(self->csv);
    const bool to_chronus = self->dialect == DIALECT_CHRONUS;
    const bool marks = any_best_effort(self);

    if (settle_users(self->csv, &places, error) < 0)
        return -1;
    if (to_chronus && check_columns(self->csv, &places, error) < 0)
        return -1;
    if (to_chronus)
        write_chronus_header(&places, row);
    else
        write_elastic_header(self, &places, marks, row);
    for (size_t i = 0; i < self->count; i++) {
        const struct submission *job = self->jobs[i];

        if (next_row(self->csv, error) < 0)
            return -1;
        if ((to_chronus ? write_chronus_row(self, job, &places, row, error)
                        : write_elastic_row(self, job, &places, marks, row, error)) < 0)
            return -1;
    }
    return 0;
}
