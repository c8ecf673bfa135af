/* trace.c - see trace.h. */
#include "scheduler/state/trace.h"

#include "common/csv.h"
#include "common/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ID_CHARS_MAX   128
#define GPUS_ASKED_MAX 1048576

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
    COLUMN_COUNT
};

static const struct csv_column columns[COLUMN_COUNT] = {
    [COLUMN_ID] = {{"job_id"}, false},
    [COLUMN_SUBMIT] = {{"submission_time", "submit_time"}, false},
    [COLUMN_ITERATIONS] = {{"iteration", "num_iteration"}, false},
    [COLUMN_DEADLINE] = {{"deadline", "ddl"}, false},
    [COLUMN_MODEL] = {{"model_name"}, false},
    [COLUMN_BATCH] = {{"batch_size"}, false},
    [COLUMN_BEST_EFFORT] = {{"best_effort"}, true},
    [COLUMN_GPUS] = {{"num_gpu"}, true},
    [COLUMN_DURATION] = {{"duration"}, true},
};

/* Ids go into result files and onto terminals, so they are what every trace uses: one word. */
static bool is_id(struct csv_cell cell)
{
    if (cell.length == 0 || cell.length > ID_CHARS_MAX || strstr(cell.text, ".."))
        return false;
    for (size_t i = 0; i < cell.length; i++) {
        const char c = cell.text[i];
        const bool alphanumeric =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');

        if (!alphanumeric && !strchr("-_.:+@=#", c))
            return false;
    }
    return true;
}

static const struct throughput_row *find_row(const struct trace_rules *rules, const char *model,
                                             int batch_size)
{
    const struct throughput_row *row = throughput_find(rules->throughputs, model, batch_size);

    if (!row && rules->unknown_model == UNKNOWN_MODEL_IS_RESNET50 &&
        !throughput_has_model(rules->throughputs, model))
        row = throughput_find(rules->throughputs, "resnet50", batch_size); /* EF-Q9 */
    return row;
}

/* Most jobs have the model and batch size of a job just before. */
static int look_up(const csv_t *csv, const struct trace_rules *rules, struct job *job,
                   struct error *error)
{
    if (!rules->throughputs)
        return 0;
    job->throughput = find_row(rules, job->model, job->batch_size);
    if (job->throughput)
        return 0;
    if (!throughput_has_model(rules->throughputs, job->model)) {
        csv_complain(csv, COLUMN_MODEL, "a model with a throughput table", error);
        return -1;
    }
    return csv_complain(csv, COLUMN_BATCH, "a batch size in the throughput table of the model",
                        error);
}

static int parse_flag(const csv_t *csv, size_t column, bool *value, struct error *error)
{
    const struct csv_cell cell = csv_get(csv, column);

    if (cell.length != 1 || (cell.text[0] != '0' && cell.text[0] != '1'))
        return csv_complain(csv, column, "0 or 1", error);
    *value = cell.text[0] == '1';
    return 0;
}

static int parse_deadline(const csv_t *csv, struct job *job, struct error *error)
{
    job->deadline_s = DEADLINE_NONE_S;
    if (job->best_effort)
        return 0;
    if (csv_whole(csv, COLUMN_DEADLINE, 0, TIME_MAX_S, &job->deadline_s, error) < 0)
        return -1;
    if (job->deadline_s < job->submit_s)
        return csv_complain(csv, COLUMN_DEADLINE, "a deadline that is not before the submission",
                            error);
    return 0;
}

static int parse_optional(const csv_t *csv, struct job *job, struct error *error)
{
    int64_t gpus = 0;

    job->duration_s = -1;
    if (csv_has(csv, COLUMN_BEST_EFFORT) &&
        parse_flag(csv, COLUMN_BEST_EFFORT, &job->best_effort, error) < 0)
        return -1;
    if (csv_has(csv, COLUMN_GPUS) &&
        csv_whole(csv, COLUMN_GPUS, 1, GPUS_ASKED_MAX, &gpus, error) < 0)
        return -1;
    if (csv_has(csv, COLUMN_DURATION) &&
        csv_whole(csv, COLUMN_DURATION, 0, TIME_MAX_S, &job->duration_s, error) < 0)
        return -1;
    job->gpus_requested = (int)gpus;
    return 0;
}

static int parse_job(const csv_t *csv, const struct trace_rules *rules, struct job *job,
                     struct error *error)
{
    const struct csv_cell id = csv_get(csv, COLUMN_ID);
    int64_t batch_size;

    if (!is_id(id))
        return csv_complain(csv, COLUMN_ID,
                            "an id of 1 to 128 letters, digits and -_.:+@=#, without \"..\"",
                            error);
    if (csv_whole(csv, COLUMN_SUBMIT, 0, TIME_MAX_S, &job->submit_s, error) < 0 ||
        csv_whole(csv, COLUMN_ITERATIONS, 1, ITERATIONS_MAX, &job->iterations, error) < 0 ||
        csv_whole(csv, COLUMN_BATCH, 1, BATCH_SIZE_MAX, &batch_size, error) < 0 ||
        parse_optional(csv, job, error) < 0 || parse_deadline(csv, job, error) < 0)
        return -1;
    job->id = id.text;
    job->model = csv_get(csv, COLUMN_MODEL).text;
    job->batch_size = (int)batch_size;
    job->line = (uint32_t)csv_line(csv);
    return look_up(csv, rules, job, error);
}

static int read_jobs(csv_t *csv, const struct trace_rules *rules, job_list_t *jobs,
                     struct error *error)
{
    int got;

    if (csv_expect(csv, columns, COLUMN_COUNT, error) < 0)
        return -1;
    while ((got = csv_next(csv, error)) > 0) {
        struct job job = {.number = (uint32_t)job_list_count(jobs)};

        if (parse_job(csv, rules, &job, error) < 0)
            return -1;
        job_list_append(jobs, &job);
    }
    if (got == 0 && job_list_count(jobs) == 0)
        return error_set(error, "%s: no job behind the header", csv_path(csv));
    return got;
}

struct id_key {
    uint64_t hash;
    size_t index;
};

static uint64_t hash_id(const char *id)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */

    for (; *id; id++)
        hash = (hash ^ (unsigned char)*id) * 0x100000001b3u;
    return hash;
}

static int compare_keys(const void *a, const void *b)
{
    const struct id_key *x = a;
    const struct id_key *y = b;

    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* The first job in the order of the trace whose id an earlier one has, if any. */
static int check_ids(job_list_t *jobs, const char *path, struct error *error)
{
    const size_t count = job_list_count(jobs);
    struct id_key *keys = xcalloc(count, sizeof(*keys));
    const struct job *first = NULL;
    const struct job *again = NULL;

    for (size_t i = 0; i < count; i++)
        keys[i] = (struct id_key){hash_id(job_list_at(jobs, i)->id), i};
    qsort(keys, count, sizeof(*keys), compare_keys);
    for (size_t i = 1; i < count; i++) {
        const struct job *before = job_list_at(jobs, keys[i - 1].index);
        const struct job *job = job_list_at(jobs, keys[i].index);

        if (keys[i].hash != keys[i - 1].hash || strcmp(job->id, before->id) != 0)
            continue;
        if (!again || job->number < again->number) {
            first = before;
            again = job;
        }
    }
    free(keys);
    if (!again)
        return 0;
    return error_set(error, "%s:%" PRIu32 ": job_id \"%s\" is already that of line %" PRIu32, path,
                     again->line, again->id, first->line);
}

static char delimiter_of(const char *path)
{
    const size_t length = strlen(path);

    return length >= 4 && !strcmp(path + length - 4, ".txt") ? ' ' : ',';
}

job_list_t *trace_read(const char *path, const struct trace_rules *rules, struct error *error)
{
    csv_t *csv = csv_open(path, delimiter_of(path), error);
    job_list_t *jobs;

    if (!csv)
        return NULL;
    jobs = job_list_new();
    if (read_jobs(csv, rules, jobs, error) < 0 || check_ids(jobs, path, error) < 0)
        job_list_destroy(&jobs);
    else
        job_list_sort(jobs);
    csv_destroy(&csv);
    return jobs;
}
