/* trace.c - see trace.h. */
#include "scheduler/state/trace.h"

#include "common/csv.h"
#include "common/data_file.h"
#include "common/memory.h"
#include "common/number.h"
#include "common/suggestion.h"
#include "scheduler/state/levels.h"
#include "scheduler/state/parents.h"
#include "scheduler/state/steps.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID_CHARS_MAX   ((size_t)128)
#define GPUS_ASKED_MAX 1048576

/* The longest a trace may take if its jobs run one after the other, as slowly as their tables say,
 * and by its stated durations. A few times as much is still an exact whole number in a double. */
#define WORK_MAX_S ((double)TIME_MAX_S)

enum {
    COLUMN_ID,
    COLUMN_SUBMIT,
    COLUMN_ITERATIONS,
    COLUMN_DEADLINE,
    COLUMN_MODEL,
    COLUMN_BATCH,
    COLUMN_BEST_EFFORT,
    COLUMN_GPUS,
    COLUMN_DURATION,
    COLUMN_VALUES,
    COLUMN_JOB_TYPE,
    COLUMN_VALUE,
    COLUMN_PROMISE_OR_DECLINE,
    COLUMN_CONFIDENCE,
    COLUMN_AFTER,
    COLUMN_USER, /* from here on only read if shares are limited */
    COLUMN_GROUP,
    COLUMN_COUNT
};

/* A trace with its deadlines in this column is of the dialect with lists of deadlines, see
 * levels.h. */
#define DEADLINE_LISTS "expect_time_list"

static const struct csv_column columns[COLUMN_COUNT] = {
    [COLUMN_ID] = {{"job_id"}, false},
    [COLUMN_SUBMIT] = {{"submission_time", "submit_time"}, false},
    [COLUMN_ITERATIONS] = {{"iteration", "num_iteration", "iterations"}, false},
    [COLUMN_DEADLINE] = {{"deadline", "ddl", DEADLINE_LISTS}, false},
    [COLUMN_MODEL] = {{"model_name"}, false},
    [COLUMN_BATCH] = {{"batch_size"}, false},
    [COLUMN_BEST_EFFORT] = {{"best_effort"}, true},
    [COLUMN_GPUS] = {{"num_gpu"}, true},
    [COLUMN_DURATION] = {{"duration"}, true},
    [COLUMN_VALUES] = {{"expect_value_list"}, true},
    [COLUMN_JOB_TYPE] = {{"job_type"}, true},
    [COLUMN_VALUE] = {{"value"}, true},
    [COLUMN_PROMISE_OR_DECLINE] = {{"promise_or_decline"}, true},
    [COLUMN_CONFIDENCE] = {{"confidence"}, true},
    [COLUMN_USER] = {{"user"}, true},
    [COLUMN_GROUP] = {{"group"}, true},
    [COLUMN_AFTER] = {{"after"}, true},
};

/* A job that is being read. The list of jobs takes a copy. */
struct row {
    bool has_lists;    /* the trace has lists of deadlines */
    bool is_published; /* the trace is a published one of that dialect, without batch sizes */
    struct submission job;
    struct job_level levels[LEVELS_MAX];
    struct pool_rows rows;
    arena_t *shares;           /* holds the shares of the job */
    struct throughput_row own; /* of a job that states only its duration on its GPUs */
    struct parent parents[PARENTS_MAX];
    char after[PARENTS_TEXT_MAX + 1]; /* lends the ids of the parents */
};

/* Words for a job with one deadline, several, and none, in a trace with lists of deadlines. */
enum job_type { TYPE_UNSAID, TYPE_STRICT, TYPE_SOFT, TYPE_BEST };

static const bool id_characters[UCHAR_MAX + 1] = {
    ['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true, ['-'] = true,
    ['_'] = true,         ['.'] = true,         [':'] = true,         ['+'] = true,
    ['@'] = true,         ['='] = true,         ['#'] = true,
};

/* Whether the cell is one word of plain letters: ids go into result files and onto terminals. */
static bool is_id(struct csv_cell cell, size_t length_max)
{
    if (cell.length == 0 || cell.length > length_max)
        return false;
    for (size_t i = 0; i < cell.length; i++)
        if (!id_characters[(unsigned char)cell.text[i]] ||
            (cell.text[i] == '.' && cell.text[i + 1] == '.'))
            return false;
    return true;
}

/* The first table that knows `model`, NULL if none does. */
static const throughput_table_t *find_table(const struct trace_rules *rules, const char *model)
{
    if (throughput_has_model(rules->throughputs, model))
        return rules->throughputs;
    for (int i = 1; i < rules->pool_count; i++)
        if (throughput_has_model(rules->pools[i], model))
            return rules->pools[i];
    return NULL;
}

static const struct throughput_row *find_row(const struct trace_rules *rules, const char *model,
                                             int batch_size)
{
    const struct throughput_row *row = throughput_find(rules->throughputs, model, batch_size);

    for (int i = 1; i < rules->pool_count && !row; i++)
        row = throughput_find(rules->pools[i], model, batch_size);
    if (!row && rules->unknown_model == UNKNOWN_MODEL_IS_RESNET50 && !find_table(rules, model))
        row = throughput_find(rules->throughputs, "resnet50", batch_size);
    return row;
}

static int complain_batch_size(const csv_t *csv, const throughput_table_t *table,
                               const struct submission *job, struct error *error)
{
    char expected[256];
    size_t used = (size_t)snprintf(expected, sizeof(expected), "a batch size of %s in %s",
                                   job->model, throughput_source(table));

    for (size_t i = 0; i < throughput_count(table) && used < sizeof(expected); i++) {
        const struct throughput_row *row = throughput_row_at(table, i);

        if (!strcmp(row->model, job->model))
            used +=
                (size_t)snprintf(expected + used, sizeof(expected) - used, ", %d", row->batch_size);
    }
    return csv_complain(csv, COLUMN_BATCH, expected, error);
}

/* Adds a hint at the model that may be meant to `error`. Returns -1. */
static int suggest_model(const struct trace_rules *rules, const char *model, struct error *error)
{
    const size_t count = throughput_count(rules->throughputs);
    const char **models = xcalloc(count + 1, sizeof(*models));
    char hint[128];

    for (size_t i = 0; i < count; i++)
        models[i] = throughput_row_at(rules->throughputs, i)->model;
    suggestion_print(model, models, "\"", "\"", hint, sizeof(hint));
    free(models);
    return error_append(error, "%s", hint);
}

static int look_up(const csv_t *csv, const struct trace_rules *rules, struct submission *job,
                   struct error *error)
{
    const throughput_table_t *table;
    char expected[256];

    if (!rules->throughputs)
        return 0;
    job->throughput = find_row(rules, job->model, job->batch_size);
    if (job->throughput)
        return 0;
    table = find_table(rules, job->model);
    if (table)
        return complain_batch_size(csv, table, job, error);
    (void)snprintf(expected, sizeof(expected), "a model that has throughputs in %s%s",
                   throughput_source(rules->throughputs),
                   rules->pool_count > 1 ? " or those of another pool" : "");
    (void)csv_complain(csv, COLUMN_MODEL, expected, error);
    return suggest_model(rules, job->model, error);
}

/* Finds the job's throughputs in each pool, by the same model and batch size. */
static void find_pool_rows(const struct trace_rules *rules, struct row *row)
{
    const struct throughput_row *own = row->job.throughput;

    if (!own || rules->pool_count < 2)
        return;
    row->rows = (struct pool_rows){.of = {NULL}};
    for (int i = 0; i < rules->pool_count; i++)
        row->rows.of[i] = throughput_find(rules->pools[i], own->model, own->batch_size);
    row->job.pool_rows = &row->rows;
}

/* Adds the longest time that the job could take to `work_s`, and checks the sum. */
static int check_work(const csv_t *csv, const struct submission *job, double *work_s,
                      struct error *error)
{
    double slowest = 0;

    for (int i = 0; job->throughput && i < job->throughput->level_count; i++) {
        const double rate = job->throughput->iters_per_s[i];

        if (rate > 0 && (slowest == 0 || rate < slowest))
            slowest = rate;
    }
    if (slowest > 0)
        *work_s += (double)job->iterations / slowest;
    if (*work_s <= WORK_MAX_S)
        return 0;
    return csv_complain(csv, COLUMN_ITERATIONS,
                        "fewer iterations, as the jobs up to here could take more than "
                        "1000000000000 s",
                        error);
}

/* Adds the stated duration of the job to `duration_s`, and checks the sum. */
static int check_duration(const csv_t *csv, const struct submission *job, int64_t *duration_s,
                          struct error *error)
{
    if (job->duration_s > 0)
        *duration_s += job->duration_s;
    if (*duration_s <= TIME_MAX_S)
        return 0;
    return csv_complain(csv, COLUMN_DURATION,
                        "less time, as the jobs up to here take more than 1000000000000 s", error);
}

/* Only 0 and 1 are flags, as in the published dialects. */
static int parse_flag(const csv_t *csv, size_t column, bool *value, struct error *error)
{
    const struct csv_cell cell = csv_get(csv, column);

    if (cell.length != 1 || (cell.text[0] != '0' && cell.text[0] != '1'))
        return csv_complain(csv, column, "0 or 1", error);
    *value = cell.text[0] == '1';
    return 0;
}

/* Gives the job in `row` a single level, with the deadline `deadline_s`. */
static void set_level(struct row *row, int64_t deadline_s)
{
    row->levels[0] = (struct job_level){.deadline_s = deadline_s, .value = LEVEL_VALUE_FULL};
    row->job.levels = row->levels;
    row->job.level_count = 1;
}

/* Where a trace has lists of deadlines, a best-effort job that states a deadline counts as due by
 * it again. */
static void parse_lost_deadline(const csv_t *csv, struct row *row)
{
    const struct csv_cell cell = csv_get(csv, COLUMN_DEADLINE);
    int64_t deadline_s;

    if (number_parse_whole(cell.text, cell.length, row->job.submit_s, TIME_MAX_S, &deadline_s) ==
        NUMBER_OK)
        set_level(row, deadline_s);
}

static int parse_value(const csv_t *csv, struct row *row, struct error *error)
{
    int64_t value = 1;

    if (csv_has(csv, COLUMN_VALUE) && csv_whole(csv, COLUMN_VALUE, 1, VALUE_MAX, &value, error) < 0)
        return -1;
    row->levels[0].value = value * LEVEL_VALUE_FULL;
    return 0;
}

/* Complains of a deadline before the submission. Returns -1. */
static int complain_past(const csv_t *csv, struct error *error)
{
    (void)csv_complain(csv, COLUMN_DEADLINE, "a deadline that is not before the submission", error);
    return error_append(error,
                        "; a simulation with --past-deadlines clamp takes it for the submission");
}

/* Checks that a job with a soft deadline has no further value: each step has its own. */
static int check_no_value(const csv_t *csv, struct error *error)
{
    const struct csv_cell cell =
        csv_has(csv, COLUMN_VALUE) ? csv_get(csv, COLUMN_VALUE) : (struct csv_cell){"", 0};

    if (cell.length == 0 || (cell.length == 1 && *cell.text == '1'))
        return 0;
    return csv_complain(csv, COLUMN_VALUE, "1 or nothing, as the steps of the deadline have values",
                        error);
}

/* Drops steps that end before the submission. If all do, the last one ends at the submission. */
static void clamp_steps(struct row *row)
{
    struct submission *job = &row->job;
    struct job_level *levels = row->levels;

    while (job->level_count > 1 && levels->deadline_s < job->submit_s)
        memmove(levels, levels + 1, --job->level_count * sizeof(*levels));
    if (levels->deadline_s < job->submit_s)
        levels->deadline_s = job->submit_s;
}

static int parse_steps(const csv_t *csv, const struct trace_rules *rules, struct row *row,
                       struct error *error)
{
    const struct csv_cell cell = csv_get(csv, COLUMN_DEADLINE);
    struct submission *job = &row->job;
    struct error why;

    job->levels = row->levels;
    job->level_count = steps_parse(cell.text, cell.length, job->submit_s, row->levels, &why);
    if (job->level_count == 0) {
        (void)csv_complain(csv, COLUMN_DEADLINE, STEPS_EXPECTED, error);
        return error_append(error, "; %s", why.text);
    }
    if (row->levels->deadline_s < job->submit_s && rules->past_deadline == PAST_DEADLINE_REFUSED)
        return complain_past(csv, error);
    if (rules->past_deadline == PAST_DEADLINE_CLAMPED)
        clamp_steps(row);
    job->deadline_s = row->levels->deadline_s;
    return check_no_value(csv, error);
}

static int parse_deadline(const csv_t *csv, const struct trace_rules *rules, struct row *row,
                          struct error *error)
{
    const struct csv_cell cell = csv_get(csv, COLUMN_DEADLINE);
    struct submission *job = &row->job;

    job->deadline_s = DEADLINE_NONE_S;
    if (job->best_effort) {
        parse_lost_deadline(csv, row);
        return 0;
    }
    if (steps_are(cell.text, cell.length))
        return parse_steps(csv, rules, row, error);
    if (cell.length == 0)
        return csv_complain(csv, COLUMN_DEADLINE,
                            "a deadline, or 1 in the column best_effort for a job without one",
                            error);
    if (csv_whole(csv, COLUMN_DEADLINE, 0, TIME_MAX_S, &job->deadline_s, error) < 0)
        return -1;
    if (job->deadline_s < job->submit_s && rules->past_deadline == PAST_DEADLINE_REFUSED)
        return complain_past(csv, error);
    if (job->deadline_s < job->submit_s && rules->past_deadline == PAST_DEADLINE_CLAMPED)
        job->deadline_s = job->submit_s;
    set_level(row, job->deadline_s);
    return parse_value(csv, row, error);
}

static bool has_lists(const csv_t *csv)
{
    return !strcmp(csv_header_name(csv, csv_place(csv, COLUMN_DEADLINE)), DEADLINE_LISTS);
}

static int parse_job_type(const csv_t *csv, enum job_type *type, struct error *error)
{
    static const char *const names[] = {
        [TYPE_STRICT] = "strict", [TYPE_SOFT] = "soft", [TYPE_BEST] = "best"};

    *type = TYPE_UNSAID;
    if (!csv_has(csv, COLUMN_JOB_TYPE))
        return 0;
    for (int i = TYPE_STRICT; i <= TYPE_BEST; i++)
        if (!strcmp(csv_get(csv, COLUMN_JOB_TYPE).text, names[i]))
            *type = (enum job_type)i;
    if (*type == TYPE_UNSAID)
        return csv_complain(csv, COLUMN_JOB_TYPE, "strict, soft or best", error);
    return 0;
}

static int parse_levels(const csv_t *csv, enum job_type type, struct row *row, struct error *error)
{
    const struct csv_cell times = csv_get(csv, COLUMN_DEADLINE);
    const struct csv_cell values = csv_get(csv, COLUMN_VALUES);
    const size_t count =
        levels_parse_times(times.text, times.length, row->job.submit_s, row->levels);

    if (count == 0)
        return csv_complain(csv, COLUMN_DEADLINE, LEVEL_TIMES_EXPECTED, error);
    if (type == TYPE_STRICT && count > 1)
        return csv_complain(csv, COLUMN_DEADLINE, "one time, as the job is strict", error);
    if (type == TYPE_SOFT && count == 1)
        return csv_complain(csv, COLUMN_DEADLINE, "several times, as the job is soft", error);
    if (!levels_parse_values(values.text, values.length, row->levels, count))
        return csv_complain(csv, COLUMN_VALUES, LEVEL_VALUES_EXPECTED, error);
    row->job.levels = row->levels;
    row->job.level_count = count;
    row->job.deadline_s = row->levels[0].deadline_s;
    return 0;
}

/* Reads whether the job is best effort, and its deadlines if it is not. */
static int parse_lists(const csv_t *csv, struct row *row, struct error *error)
{
    struct submission *job = &row->job;
    enum job_type type;

    if (parse_job_type(csv, &type, error) < 0)
        return -1;
    if (type != TYPE_UNSAID && csv_has(csv, COLUMN_BEST_EFFORT) &&
        job->best_effort != (type == TYPE_BEST))
        return csv_complain(csv, COLUMN_JOB_TYPE,
                            job->best_effort ? "best, as best_effort is 1"
                                             : "strict or soft, as best_effort is 0",
                            error);
    job->best_effort = job->best_effort || type == TYPE_BEST;
    job->deadline_s = DEADLINE_NONE_S;
    return job->best_effort ? 0 : parse_levels(csv, type, row, error);
}

static int parse_promise_or_decline(const csv_t *csv, struct submission *job, struct error *error)
{
    if (csv_has(csv, COLUMN_PROMISE_OR_DECLINE) &&
        parse_flag(csv, COLUMN_PROMISE_OR_DECLINE, &job->promise_or_decline, error) < 0)
        return -1;
    if (job->promise_or_decline && job->best_effort)
        return csv_complain(csv, COLUMN_PROMISE_OR_DECLINE,
                            "0, as the job is best effort and has nothing to promise", error);
    return 0;
}

/* Reads the confidence of a job. An empty or missing cell leaves it to the run. */
static int parse_confidence(const csv_t *csv, struct submission *job, struct error *error)
{
    struct csv_cell cell;

    if (!csv_has(csv, COLUMN_CONFIDENCE) || csv_get(csv, COLUMN_CONFIDENCE).length == 0)
        return 0;
    cell = csv_get(csv, COLUMN_CONFIDENCE);
    if (number_parse_real(cell.text, cell.length, 0, CONFIDENCE_MAX, &job->confidence) != NUMBER_OK)
        return csv_complain(csv, COLUMN_CONFIDENCE,
                            "a confidence from 0 to 99.9 per cent, or nothing", error);
    if (job->confidence == 0)
        job->confidence = CONFIDENCE_NONE;
    return 0;
}

static bool are_ids(const struct parent parents[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!is_id((struct csv_cell){parents[i].id, strlen(parents[i].id)},
                   ID_CHARS_MAX + sizeof(":any")))
            return false;
    return count > 0;
}

/* Reads the ids of the parents, which are looked up once all jobs are read. */
static int parse_after(const csv_t *csv, struct row *row, struct error *error)
{
    const struct csv_cell cell =
        csv_has(csv, COLUMN_AFTER) ? csv_get(csv, COLUMN_AFTER) : (struct csv_cell){"", 0};

    if (cell.length == 0)
        return 0;
    if (cell.length < sizeof(row->after)) {
        memcpy(row->after, cell.text, cell.length + 1);
        row->job.parents = row->parents;
        row->job.parent_count = parents_parse(row->after, row->parents);
    }
    return are_ids(row->parents, row->job.parent_count)
               ? 0
               : csv_complain(csv, COLUMN_AFTER, PARENTS_EXPECTED, error);
}

/* ---- shares ---- */

/* Whether `group` is in the list of groups in the cell `owner`. */
static bool is_of_group(const void *owner, const char *user, const char *group)
{
    const struct csv_cell *cell = owner;
    const size_t bytes = strlen(group);

    (void)user;
    for (const char *at = cell->text; at; at = strchr(at, ';')) {
        at += *at == ';';
        if (!strncmp(at, group, bytes) && (at[bytes] == ';' || !at[bytes]))
            return true;
    }
    return false;
}

static struct csv_cell cell_or_none(const csv_t *csv, size_t column)
{
    return csv_has(csv, column) ? csv_get(csv, column) : (struct csv_cell){.text = "", .length = 0};
}

static int parse_shares(const csv_t *csv, const struct trace_rules *rules, struct row *row,
                        struct error *error)
{
    struct csv_cell user;
    struct csv_cell groups;

    if (!rules->shares)
        return 0;
    user = cell_or_none(csv, COLUMN_USER);
    groups = cell_or_none(csv, COLUMN_GROUP);
    if (user.length > SHARE_NAME_MAX)
        return csv_complain(csv, COLUMN_USER, "a name of at most 128 bytes", error);
    arena_reset(row->shares);
    promise_shares_give(rules->shares, user.text, is_of_group, &groups, row->shares, &row->job);
    return 0;
}

static int parse_optional(const csv_t *csv, const struct trace_rules *rules, struct row *row,
                          struct error *error)
{
    struct submission *job = &row->job;
    const bool may_ask_none = rules->zero_gpus || row->is_published;
    int64_t gpus = 0;

    job->duration_s = -1;
    if (csv_has(csv, COLUMN_BEST_EFFORT) &&
        parse_flag(csv, COLUMN_BEST_EFFORT, &job->best_effort, error) < 0)
        return -1;
    if (csv_has(csv, COLUMN_GPUS) &&
        csv_whole(csv, COLUMN_GPUS, may_ask_none ? 0 : 1, GPUS_ASKED_MAX, &gpus, error) < 0)
        return -1;
    if (csv_has(csv, COLUMN_DURATION) &&
        csv_whole(csv, COLUMN_DURATION, 0, TIME_MAX_S, &job->duration_s, error) < 0)
        return -1;
    job->gpus_requested = (int)gpus;
    return 0;
}

/* Reads the batch size. A job of a published trace with lists of deadlines has none, and mostly a
 * model that no table knows: it runs on the GPUs that it asks for, at the rate that follows from
 * its duration. */
static int parse_batch_size(const csv_t *csv, struct row *row, struct error *error)
{
    struct submission *job = &row->job;
    int64_t batch_size = job->gpus_requested > 0 ? job->gpus_requested : 1;

    if (!row->is_published) {
        if (csv_whole(csv, COLUMN_BATCH, 1, BATCH_SIZE_MAX, &batch_size, error) < 0)
            return -1;
    } else if (job->duration_s < 1) {
        return csv_complain(csv, COLUMN_DURATION,
                            "at least one second, as no batch size says how "
                            "fast the job is",
                            error);
    }
    job->batch_size = (int)batch_size;
    row->own =
        (struct throughput_row){.model = job->model,
                                .batch_size = job->batch_size,
                                .level_count = 1,
                                .gpus = {job->gpus_requested},
                                .iters_per_s = {(double)job->iterations / (double)job->duration_s}};
    return 0;
}

static int parse_job(const csv_t *csv, const struct trace_rules *rules, struct row *row,
                     struct error *error)
{
    struct submission *job = &row->job;
    const struct csv_cell id = csv_get(csv, COLUMN_ID);
    const struct csv_cell model = csv_get(csv, COLUMN_MODEL);

    if (!is_id(id, ID_CHARS_MAX))
        return csv_complain(csv, COLUMN_ID,
                            "an id of 1 to 128 letters, digits and -_.:+@=#, without \"..\"",
                            error);
    if (!throughput_is_model_name(model.text, model.length))
        return csv_complain(csv, COLUMN_MODEL, THROUGHPUT_MODEL_EXPECTED, error);
    job->id = id.text;
    job->model = model.text;
    if (csv_whole(csv, COLUMN_SUBMIT, 0, TIME_MAX_S, &job->submit_s, error) < 0 ||
        csv_whole(csv, COLUMN_ITERATIONS, rules->zero_iterations ? 0 : 1, ITERATIONS_MAX,
                  &job->iterations, error) < 0 ||
        parse_optional(csv, rules, row, error) < 0 || parse_batch_size(csv, row, error) < 0)
        return -1;
    if ((row->has_lists ? parse_lists(csv, row, error) : parse_deadline(csv, rules, row, error)) <
            0 ||
        parse_promise_or_decline(csv, job, error) < 0 || parse_confidence(csv, job, error) < 0 ||
        parse_after(csv, row, error) < 0)
        return -1;
    job->line = (uint32_t)csv_line(csv);
    if (!row->is_published && look_up(csv, rules, job, error) < 0)
        return -1;
    find_pool_rows(rules, row);
    return parse_shares(csv, rules, row, error);
}

static bool has_name(const csv_t *csv, const char *name)
{
    for (size_t i = 0; i < csv_header_count(csv); i++)
        if (!strcmp(csv_header_name(csv, i), name))
            return true;
    return false;
}

/* Whether the trace is a published one with lists of deadlines: such a trace has durations, and no
 * batch sizes. */
static bool is_published(const csv_t *csv)
{
    return has_name(csv, DEADLINE_LISTS) && !has_name(csv, "deadline") && !has_name(csv, "ddl") &&
           has_name(csv, "num_gpu") && has_name(csv, "duration") && !has_name(csv, "batch_size");
}

/* Refuses shares that no job could count for, as the trace lacks their column. */
static int check_shares(const csv_t *csv, const promise_shares_t *shares, struct error *error)
{
    const bool has_users = csv_has(csv, COLUMN_USER) || !promise_shares_have_users(shares);

    if (has_users && (csv_has(csv, COLUMN_GROUP) || !promise_shares_group(shares, 0)))
        return 0;
    return error_set(error, "%s:%" PRId64 ": no column %s, which a promise share is of",
                     csv_path(csv), csv_line(csv), has_users ? "group" : "user");
}

static int expect_columns(csv_t *csv, const struct trace_rules *rules, struct error *error)
{
    struct csv_column wanted[COLUMN_COUNT];

    memcpy(wanted, columns, sizeof(wanted));
    wanted[COLUMN_BATCH].optional = is_published(csv);
    if (csv_expect(csv, wanted, rules->shares ? COLUMN_COUNT : COLUMN_USER, error) < 0)
        return -1;
    if (rules->shares && check_shares(csv, rules->shares, error) < 0)
        return -1;
    if (has_lists(csv) && !csv_has(csv, COLUMN_VALUES))
        return error_set(error, "%s:%" PRId64 ": no column %s, though there is %s", csv_path(csv),
                         csv_line(csv), columns[COLUMN_VALUES].names[0], DEADLINE_LISTS);
    return 0;
}

static int read_rows(csv_t *csv, const struct trace_rules *rules, struct row *row,
                     submissions_t *jobs, struct error *error)
{
    double work_s = 0;
    int64_t duration_s = 0;
    int got;

    while ((got = csv_next(csv, error)) > 0) {
        row->job = (struct submission){.number = (uint32_t)submissions_count(jobs)};
        if (parse_job(csv, rules, row, error) < 0 ||
            check_work(csv, &row->job, &work_s, error) < 0 ||
            check_duration(csv, &row->job, &duration_s, error) < 0)
            return -1;
        if (row->is_published && row->job.gpus_requested == 0)
            continue; /* a job without GPUs: the published program leaves it out */
        if (row->is_published && rules->throughputs)
            row->job.throughput = submissions_keep_row(jobs, &row->own);
        submissions_append(jobs, &row->job);
    }
    return got;
}

static int read_jobs(csv_t *csv, const struct trace_rules *rules, submissions_t *jobs,
                     struct error *error)
{
    struct row row;
    int got;

    if (expect_columns(csv, rules, error) < 0)
        return -1;
    row.has_lists = has_lists(csv);
    row.is_published = !csv_has(csv, COLUMN_BATCH);
    row.shares = arena_new();
    got = read_rows(csv, rules, &row, jobs, error);
    arena_destroy(&row.shares);
    if (got == 0 && submissions_count(jobs) == 0)
        return error_set(error, "%s:%" PRId64 ": expected a job after the header, found the end",
                         csv_path(csv), csv_line(csv));
    return got;
}

static int check_ids(const submissions_t *jobs, const csv_t *csv, struct error *error)
{
    const struct submission *first;
    const struct submission *again = submissions_repeated(jobs, &first);

    if (!again)
        return 0;
    return error_set(error,
                     "%s:%" PRIu32 ": column %zu (job_id): expected an id of its own, found \"%s\" "
                     "as in line %" PRIu32,
                     csv_path(csv), again->line, csv_place(csv, COLUMN_ID) + 1, again->id,
                     first->line);
}

static int link_parents(submissions_t *jobs, const csv_t *csv, struct error *error)
{
    char why[512];
    const struct submission *flawed = parents_link(jobs, why, sizeof(why));

    if (!flawed)
        return 0;
    return error_set(error, "%s:%" PRIu32 ": column %zu (after): expected %s", csv_path(csv),
                     flawed->line, csv_place(csv, COLUMN_AFTER) + 1, why);
}

submissions_t *trace_read(const char *path, const struct trace_rules *rules, struct error *error)
{
    csv_t *csv = csv_open(path, csv_delimiter(path), error);
    submissions_t *jobs;

    if (!csv) {
        data_file_suggest(DATA_TRACES, path, error);
        return NULL;
    }
    jobs = submissions_new();
    if (read_jobs(csv, rules, jobs, error) == 0 && check_ids(jobs, csv, error) == 0)
        submissions_sort(jobs);
    else
        submissions_destroy(&jobs);
    if (jobs && link_parents(jobs, csv, error) < 0)
        submissions_destroy(&jobs);
    csv_destroy(&csv);
    return jobs;
}
