/* trace_file.c - the auditor's reader of traces, in Rubato's own columns and in the published
 * ones. */
#include "tools/audit/case.h"

#include "common/csv.h"
#include "common/data_file.h"
#include "common/number.h"

#include <stdlib.h>
#include <string.h>

enum {
    ID,
    SUBMIT,
    ITERATIONS,
    DEADLINE,
    MODEL,
    BATCH,
    BEST_EFFORT,
    GPUS,
    DURATION,
    JOB_TYPE,
    VALUE,
    VALUES,
    PROMISE_OR_DECLINE,
    AFTER,
    COLUMN_COUNT
};

/* The column with the deadlines of a Chronus trace, in seconds after the submission. */
#define EXPECT_TIMES "expect_time_list"

static const struct csv_column columns[COLUMN_COUNT] = {
    [ID] = {{"job_id"}, false},
    [SUBMIT] = {{"submission_time", "submit_time"}, false},
    [ITERATIONS] = {{"iteration", "num_iteration", "iterations"}, false},
    [DEADLINE] = {{"deadline", "ddl", EXPECT_TIMES}, false},
    [MODEL] = {{"model_name"}, false},
    [BATCH] = {{"batch_size"}, false},
    [BEST_EFFORT] = {{"best_effort"}, true},
    [GPUS] = {{"num_gpu"}, true},
    [DURATION] = {{"duration"}, true},
    [JOB_TYPE] = {{"job_type"}, true},
    [VALUE] = {{"value"}, true},
    [VALUES] = {{"expect_value_list"}, true},
    [PROMISE_OR_DECLINE] = {{"promise_or_decline"}, true},
    [AFTER] = {{"after"}, true},
};

static const struct audit_rates *find_rates(const struct audit_rate_table *table, const char *model,
                                            int64_t batch_size, bool *known)
{
    *known = false;
    for (size_t i = 0; i < table->count; i++) {
        if (strcmp(table->items[i].model, model) != 0)
            continue;
        *known = true;
        if (table->items[i].batch_size == batch_size)
            return &table->items[i];
    }
    return NULL;
}

/* Finds the rates of the job. A run may take an unknown model for a resnet50 (EF-Q9). */
static int look_up(const struct audit_case *self, const csv_t *csv, struct audit_job *job,
                   struct error *error)
{
    bool known;

    if (!self->summary.throughputs)
        return 0;
    job->rates = find_rates(&self->rates, job->model, job->batch_size, &known);
    if (!job->rates && !known)
        job->rates = find_rates(&self->rates, "resnet50", job->batch_size, &known);
    return job->rates ? 0 : csv_complain(csv, BATCH, "a batch size in the throughput table", error);
}

/* A job of a published Chronus trace has one rate, on the GPUs that it asks for. The rate follows
 * from its duration. */
static void keep_own_rates(struct audit_case *self, struct audit_job *job)
{
    struct audit_rates *own;

    if (!self->summary.throughputs)
        return;
    own = arena_alloc(self->texts, sizeof(*own));
    *own = (struct audit_rates){
        .model = job->model,
        .batch_size = job->batch_size,
        .count = 1,
        .gpus = {job->gpus},
        .iters_per_s = {(double)job->iterations / (double)job->duration_s},
    };
    job->rates = own;
}

static void keep_deadlines(struct audit_case *self, struct audit_job *job,
                           const int64_t deadlines_s[], size_t count)
{
    int64_t *kept = arena_alloc(self->texts, count * sizeof(*kept));

    memcpy(kept, deadlines_s, count * sizeof(*kept));
    job->deadlines_s = kept;
    job->deadline_count = count;
    job->deadline_s = job->best_effort ? AUDIT_DEADLINE_NONE_S : kept[0];
}

/* Keeps the values of the job, one for each of its deadlines. */
static void keep_values(struct audit_case *self, struct audit_job *job, const int64_t values[])
{
    int64_t *kept = arena_alloc(self->texts, job->deadline_count * sizeof(*kept));

    memcpy(kept, values, job->deadline_count * sizeof(*kept));
    job->values = kept;
    self->states_values = true;
}

/* Reads numbers joined by "-" and adds `first` to each. Returns how many there are, 0 if `text` is
 * no such list. */
static size_t parse_list(const char *text, int64_t first, int64_t values[AUDIT_DEADLINES_MAX])
{
    size_t count = 0;

    for (;; text++) {
        const size_t length = strcspn(text, "-");

        if (count == AUDIT_DEADLINES_MAX ||
            number_parse_whole(text, length, 0, INT64_MAX / 4, &values[count]) != NUMBER_OK)
            return 0;
        values[count++] += first;
        text += length;
        if (!*text)
            return count;
    }
}

static int read_times(struct audit_case *self, const csv_t *csv, struct audit_job *job,
                      struct error *error)
{
    int64_t deadlines_s[AUDIT_DEADLINES_MAX];
    int64_t values[AUDIT_DEADLINES_MAX];
    const size_t count = parse_list(csv_get(csv, DEADLINE).text, job->submit_s, deadlines_s);

    if (csv_has(csv, JOB_TYPE) && !strcmp(csv_get(csv, JOB_TYPE).text, "best"))
        job->best_effort = true;
    if (job->best_effort)
        return 0;
    if (count == 0)
        return csv_complain(csv, DEADLINE, "times joined by \"-\"", error);
    keep_deadlines(self, job, deadlines_s, count);
    if (!csv_has(csv, VALUES))
        return 0;
    if (parse_list(csv_get(csv, VALUES).text, 0, values) != count)
        return csv_complain(csv, VALUES, "as many values as times, joined by \"-\"", error);
    keep_values(self, job, values);
    return 0;
}

/* Reads "6" or "6.5", up to a comma or the end of `text`, in tenths. */
static bool parse_tenths(const char *text, int64_t *tenths)
{
    const size_t digits = strcspn(text, ".,");
    int64_t rest = 0;

    if (number_parse_whole(text, digits, 0, INT32_MAX, tenths) != NUMBER_OK ||
        (text[digits] == '.' && number_parse_whole(text + digits + 1, 1, 0, 9, &rest) != NUMBER_OK))
        return false;
    *tenths = 10 * *tenths + rest;
    return true;
}

/* Reads steps TIME:VALUE joined by ",". A time with a plus counts from `submit_s`. Returns how many
 * steps there are, 0 if `text` is no such list. */
static size_t parse_steps(const char *text, int64_t submit_s, int64_t dates_s[AUDIT_DEADLINES_MAX],
                          int64_t values[AUDIT_DEADLINES_MAX])
{
    size_t count = 0;

    for (;; text++) {
        const bool relative = *text == '+';
        const size_t digits = strcspn(text + relative, ":");

        if (count == AUDIT_DEADLINES_MAX || !text[relative + digits] ||
            number_parse_whole(text + relative, digits, 0, INT64_MAX / 4, &dates_s[count]) !=
                NUMBER_OK ||
            !parse_tenths(text + relative + digits + 1, &values[count]))
            return 0;
        dates_s[count++] += relative ? submit_s : 0;
        text += strcspn(text, ",");
        if (!*text)
            return count;
    }
}

static int read_steps(struct audit_case *self, const csv_t *csv, struct audit_job *job,
                      struct error *error)
{
    int64_t dates_s[AUDIT_DEADLINES_MAX];
    int64_t values[AUDIT_DEADLINES_MAX];
    const size_t count = parse_steps(csv_get(csv, DEADLINE).text, job->submit_s, dates_s, values);
    size_t first = 0;

    if (count == 0)
        return csv_complain(csv, DEADLINE, "steps TIME:VALUE joined by \",\"", error);
    job->past_deadline_s = dates_s[0] < job->submit_s ? dates_s[0] : -1;
    while (first + 1 < count && dates_s[first] < job->submit_s)
        first++;
    if (dates_s[first] < job->submit_s)
        dates_s[first] = job->submit_s;
    keep_deadlines(self, job, dates_s + first, count - first);
    keep_values(self, job, values + first);
    return 0;
}

/* Reads the deadline. A best-effort row may state one as well (CH-Q9). */
static int read_deadline(struct audit_case *self, const csv_t *csv, struct audit_job *job,
                         struct error *error)
{
    const struct csv_cell cell = csv_get(csv, DEADLINE);
    int64_t deadline_s;

    if (!job->best_effort && memchr(cell.text, ':', cell.length))
        return read_steps(self, csv, job, error);
    if (!job->best_effort && csv_whole(csv, DEADLINE, 0, INT64_MAX / 4, &deadline_s, error) < 0)
        return -1;
    job->past_deadline_s = -1;
    if (!job->best_effort && deadline_s < job->submit_s) { /* the run had --past-deadlines clamp */
        job->past_deadline_s = deadline_s;
        deadline_s = job->submit_s;
    }
    if (!job->best_effort || number_parse_whole(cell.text, cell.length, job->submit_s,
                                                INT64_MAX / 4, &deadline_s) == NUMBER_OK)
        keep_deadlines(self, job, &deadline_s, 1);
    return 0;
}

static bool has_times(const csv_t *csv)
{
    return !strcmp(csv_header_name(csv, csv_place(csv, DEADLINE)), EXPECT_TIMES);
}

/* Reads a flag, which is false if the trace has no such column. */
static int read_flag(const csv_t *csv, size_t column, bool *value, struct error *error)
{
    int64_t flag = 0;

    if (csv_has(csv, column) && csv_whole(csv, column, 0, 1, &flag, error) < 0)
        return -1;
    *value = flag == 1;
    return 0;
}

/* Whether the trace is as Chronus published it: without batch sizes. */
static bool is_published(const csv_t *csv)
{
    return !csv_has(csv, BATCH);
}

/* A trace may lack the batch size if it has the deadlines, durations and GPUs of a Chronus
 * trace. */
static int expect_columns(csv_t *csv, struct error *error)
{
    bool times = false;
    bool duration = false;
    bool gpus = false;
    struct csv_column wanted[COLUMN_COUNT];

    for (size_t i = 0; i < csv_header_count(csv); i++) {
        times |= !strcmp(csv_header_name(csv, i), EXPECT_TIMES);
        duration |= !strcmp(csv_header_name(csv, i), "duration");
        gpus |= !strcmp(csv_header_name(csv, i), "num_gpu");
    }
    memcpy(wanted, columns, sizeof(wanted));
    wanted[BATCH].optional = times && duration && gpus;
    return csv_expect(csv, wanted, COLUMN_COUNT, error);
}

static int settle_published(const csv_t *csv, struct audit_job *job, struct error *error)
{
    job->batch_size = job->gpus > 0 ? job->gpus : 1;
    if (job->duration_s >= 1)
        return 0;
    return csv_complain(csv, DURATION, "at least one second, as no batch size says how fast it is",
                        error);
}

static int read_job(struct audit_case *self, const csv_t *csv, struct audit_job *job,
                    struct error *error)
{
    const struct csv_cell id = csv_get(csv, ID);
    const struct csv_cell model = csv_get(csv, MODEL);

    if (csv_whole(csv, SUBMIT, 0, INT64_MAX / 4, &job->submit_s, error) < 0 ||
        csv_whole(csv, ITERATIONS, 0, INT64_MAX / 4, &job->iterations, error) < 0 ||
        (!is_published(csv) && csv_whole(csv, BATCH, 1, INT32_MAX, &job->batch_size, error) < 0) ||
        read_flag(csv, BEST_EFFORT, &job->best_effort, error) < 0 ||
        read_flag(csv, PROMISE_OR_DECLINE, &job->promise_or_decline, error) < 0)
        return -1;
    if (csv_has(csv, AFTER) && csv_get(csv, AFTER).length > 0)
        job->after = arena_text(self->texts, csv_get(csv, AFTER).text, csv_get(csv, AFTER).length);
    job->value = 1;
    if (csv_has(csv, VALUE) && csv_get(csv, VALUE).length > 0 &&
        csv_whole(csv, VALUE, 1, INT32_MAX, &job->value, error) < 0)
        return -1;
    job->gpus = 0;
    if (csv_has(csv, GPUS) && csv_whole(csv, GPUS, 0, INT32_MAX, &job->gpus, error) < 0)
        return -1;
    job->duration_s = -1;
    if (csv_has(csv, DURATION) &&
        csv_whole(csv, DURATION, 0, INT64_MAX / 4, &job->duration_s, error) < 0)
        return -1;
    if (is_published(csv) && settle_published(csv, job, error) < 0)
        return -1;
    job->deadline_s = AUDIT_DEADLINE_NONE_S;
    if ((has_times(csv) ? read_times : read_deadline)(self, csv, job, error) < 0)
        return -1;
    job->id = arena_text(self->texts, id.text, id.length);
    job->model = arena_text(self->texts, model.text, model.length);
    if (!is_published(csv))
        return look_up(self, csv, job, error);
    keep_own_rates(self, job);
    return 0;
}

static int read_jobs(struct audit_case *self, csv_t *csv, struct error *error)
{
    size_t capacity = 0;
    int got;

    if (expect_columns(csv, error) < 0)
        return -1;
    self->states_values = csv_has(csv, VALUE) && !has_times(csv);
    while ((got = csv_next(csv, error)) > 0) {
        struct audit_job job = {.id = NULL};

        if (read_job(self, csv, &job, error) < 0)
            return -1;
        if (is_published(csv) && job.gpus == 0)
            continue; /* a published job that asks for no GPU is left out */
        self->jobs = grow_array(self->jobs, self->job_count, &capacity, sizeof(*self->jobs));
        self->jobs[self->job_count++] = job;
    }
    if (got == 0 && self->job_count == 0)
        return error_set(error, "%s: no job after the header", csv_path(csv));
    return got;
}

static void note_first_arrival(struct audit_case *self)
{
    self->first_submit_s = INT64_MAX;
    for (size_t i = 0; i < self->job_count; i++)
        if (self->jobs[i].submit_s < self->first_submit_s)
            self->first_submit_s = self->jobs[i].submit_s;
}

static int compare_ids(const void *a, const void *b, void *context)
{
    const struct audit_job *jobs = context;
    const size_t x = *(const size_t *)a;
    const size_t y = *(const size_t *)b;
    const int order = strcmp(jobs[x].id, jobs[y].id);

    if (order != 0)
        return order;
    return x < y ? -1 : x > y;
}

/* Sorts the rows by id for audit_case_find. -1, with `error`, if two rows have the same id. */
static int index_ids(struct audit_case *self, const char *path, struct error *error)
{
    self->by_id = xcalloc(self->job_count, sizeof(*self->by_id));
    for (size_t i = 0; i < self->job_count; i++)
        self->by_id[i] = i;
    qsort_r(self->by_id, self->job_count, sizeof(*self->by_id), compare_ids, self->jobs);
    for (size_t i = 1; i < self->job_count; i++)
        if (!strcmp(self->jobs[self->by_id[i]].id, self->jobs[self->by_id[i - 1]].id))
            return error_set(error, "%s: two jobs are called \"%s\"", path,
                             self->jobs[self->by_id[i]].id);
    return 0;
}

int audit_read_trace(struct audit_case *self, const char *path, struct error *error)
{
    csv_t *csv = csv_open(path, csv_delimiter(path), error);
    int result;

    if (!csv) {
        data_file_suggest(DATA_TRACES, path, error);
        return -1;
    }
    result = read_jobs(self, csv, error);
    csv_destroy(&csv);
    note_first_arrival(self);
    return result < 0 ? -1 : index_ids(self, path, error);
}

size_t audit_case_find(const struct audit_case *self, const char *id)
{
    size_t low = 0;
    size_t high = self->job_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(self->jobs[self->by_id[middle]].id, id);

        if (order == 0)
            return self->by_id[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return AUDIT_NO_JOB;
}
