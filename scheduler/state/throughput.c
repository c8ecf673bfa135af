/* throughput.c - see throughput.h. */
#include "scheduler/state/throughput.h"

#include "common/csv.h"
#include "common/data_file.h"
#include "common/input.h"
#include "common/memory.h"
#include "common/number.h"
#include "common/number_hint.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Rates beyond these, such as an iteration in eleven days, are typing errors, and would overflow
 * times in seconds. */
#define RATE_MIN      1e-6
#define RATE_MAX      1e9
#define RATE_EXPECTED "iterations/s from 1e-6 to 1e9"

struct throughput_table {
    char *source;
    struct throughput_row *rows;
    size_t count;
    size_t capacity;
    arena_t *names;
};

static throughput_table_t *table_new(const char *source)
{
    throughput_table_t *self = xcalloc(1, sizeof(*self));

    self->source = xstrdup(source);
    self->names = arena_new();
    return self;
}

void throughput_destroy(throughput_table_t **self)
{
    if (!*self)
        return;
    arena_destroy(&(*self)->names);
    free((*self)->rows);
    free((*self)->source);
    free(*self);
    *self = NULL;
}

double throughput_least_gpu_s(const struct throughput_row *row)
{
    double least = INFINITY;

    for (int i = 0; i < row->level_count; i++)
        if (row->iters_per_s[i] > 0)
            least = fmin(least, row->gpus[i] / row->iters_per_s[i]);
    return least;
}

size_t throughput_count(const throughput_table_t *self)
{
    return self->count;
}

const struct throughput_row *throughput_row_at(const throughput_table_t *self, size_t index)
{
    assert(index < self->count);
    return &self->rows[index];
}

const char *throughput_source(const throughput_table_t *self)
{
    return self->source;
}

const struct throughput_row *throughput_find(const throughput_table_t *self, const char *model,
                                             int batch_size)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->rows[i].batch_size == batch_size && !strcmp(self->rows[i].model, model))
            return &self->rows[i];
    return NULL;
}

void throughput_limit(struct throughput_row *row, int gpus_min, int gpus_max)
{
    int left = 0;

    for (int i = 0; i < row->level_count; i++) {
        if (row->gpus[i] < gpus_min || (gpus_max > 0 && row->gpus[i] > gpus_max))
            continue;
        row->gpus[left] = row->gpus[i];
        row->iters_per_s[left] = row->iters_per_s[i];
        row->marked_nan[left] = row->marked_nan[i];
        left++;
    }
    row->level_count = left;
}

bool throughput_has_model(const throughput_table_t *self, const char *model)
{
    for (size_t i = 0; i < self->count; i++)
        if (!strcmp(self->rows[i].model, model))
            return true;
    return false;
}

bool throughput_is_model_name(const char *text, size_t length)
{
    char shown[THROUGHPUT_MODEL_BYTES_MAX + 1];
    size_t plain = 0;

    if (length == 0 || length > THROUGHPUT_MODEL_BYTES_MAX)
        return false;
    while (plain < length && text[plain] >= ' ' && text[plain] <= '~')
        plain++;
    return plain == length || (input_printable(shown, sizeof(shown), text, length) == length &&
                               !memcmp(shown, text, length));
}

static const char *keep_path(throughput_table_t *self, const char *path)
{
    const char *last = self->count > 0 ? self->rows[self->count - 1].file : NULL;

    return last && !strcmp(last, path) ? last : arena_text(self->names, path, strlen(path));
}

/* Adds a row for `model` from the line at hand, of which no level is measured yet. */
static struct throughput_row *add_row(throughput_table_t *self, const csv_t *csv, const char *model,
                                      int batch_size)
{
    const char *file = keep_path(self, csv_path(csv));
    struct throughput_row *row;

    self->rows = grow_array(self->rows, self->count, &self->capacity, sizeof(*self->rows));
    row = &self->rows[self->count++];
    memset(row, 0, sizeof(*row));
    row->model = model;
    row->batch_size = batch_size;
    row->file = file;
    row->line = csv_line(csv);
    return row;
}

/* Reads a rate: a number, 0 for "cannot run", or nothing for "not measured", which is NaN. */
static bool read_rate(struct csv_cell cell, double *rate)
{
    *rate = (double)NAN;
    if (cell.length == 0)
        return true;
    if (number_parse_real(cell.text, cell.length, 0, RATE_MAX, rate) != NUMBER_OK)
        return false;
    /* 1e-999 reads as zero, but does not mean "cannot run". */
    return *rate >= RATE_MIN || !strpbrk(cell.text, "123456789");
}

/* Complains of a rate, and says how to write one. Returns -1. */
static int complain_rate(const csv_t *csv, size_t place, const char *expected, struct error *error)
{
    const struct csv_cell cell = csv_at(csv, place);

    (void)csv_complain_at(csv, place, expected, error);
    return error_append(error, "%s", number_hint_real(cell.text, cell.length));
}

static int check_divisible(const csv_t *csv, size_t place, const struct throughput_row *row,
                           size_t level, struct error *error)
{
    char expected[96];

    if (!(row->iters_per_s[level] > 0) || row->batch_size % row->gpus[level] == 0)
        return 0;
    (void)snprintf(expected, sizeof(expected),
                   "nothing, since a global batch of %d cannot be shared by %d GPUs",
                   row->batch_size, row->gpus[level]);
    return csv_complain_at(csv, place, expected, error);
}

/* The layout of the artifact: GPU counts stand in the header. */

static int parse_levels(const csv_t *csv, struct throughput_row *model, struct error *error)
{
    const size_t count = csv_header_count(csv) - 1;

    if (strcmp(csv_header_name(csv, 0), "global_batch_size") != 0)
        return csv_complain_name(csv, 0, "global_batch_size", error);
    if (count < 1 || count > THROUGHPUT_LEVELS_MAX)
        return error_set(error, "%s:%" PRId64 ": expected 1 to %d columns of GPU counts, found %zu",
                         csv_path(csv), csv_line(csv), THROUGHPUT_LEVELS_MAX, count);
    for (size_t i = 0; i < count; i++) {
        const char *name = csv_header_name(csv, i + 1);
        int64_t gpus;

        if (number_parse_whole(name, strlen(name), 1, THROUGHPUT_GPUS_MAX, &gpus) != NUMBER_OK)
            return csv_complain_name(csv, i + 1, "a number of GPUs from 1 to 65536", error);
        if (i > 0 && gpus <= model->gpus[i - 1])
            return csv_complain_name(csv, i + 1, "more GPUs than in the column before", error);
        model->gpus[i] = (int)gpus;
    }
    model->level_count = (int)count;
    return 0;
}

static int parse_model_row(throughput_table_t *self, const csv_t *csv,
                           const struct throughput_row *model, struct error *error)
{
    static const char *const expected = "a global batch size from 1 to 100000000";
    const struct csv_cell cell = csv_at(csv, 0);
    struct throughput_row *row;
    int64_t batch_size;

    if (number_parse_whole(cell.text, cell.length, 1, BATCH_SIZE_MAX, &batch_size) != NUMBER_OK)
        return csv_complain_at(csv, 0, expected, error);
    if (throughput_find(self, model->model, (int)batch_size))
        return csv_complain_at(csv, 0, "a batch size that no earlier row has", error);
    row = add_row(self, csv, model->model, (int)batch_size);
    row->level_count = model->level_count;
    memcpy(row->gpus, model->gpus, sizeof(row->gpus));
    for (size_t i = 0; i < (size_t)row->level_count; i++) {
        struct csv_cell rate = csv_at(csv, i + 1);

        row->marked_nan[i] = !strcmp(rate.text, "nan");
        if (row->marked_nan[i])
            rate.length = 0;
        if (!read_rate(rate, &row->iters_per_s[i]))
            return complain_rate(csv, i + 1, RATE_EXPECTED ", 0, nan or nothing", error);
        if (check_divisible(csv, i + 1, row, i, error) < 0)
            return -1;
    }
    return 0;
}

static int read_model_rows(throughput_table_t *self, csv_t *csv, const char *name,
                           struct error *error)
{
    struct throughput_row model = {.model = name};
    const size_t before = self->count;
    int got;

    if (parse_levels(csv, &model, error) < 0)
        return -1;
    while ((got = csv_next(csv, error)) > 0)
        if (parse_model_row(self, csv, &model, error) < 0)
            return -1;
    if (got == 0 && self->count == before)
        return error_set(error, "%s:%" PRId64 ": expected a row after the header, found the end",
                         csv_path(csv), csv_line(csv));
    return got;
}

/* `name` must live as long as the table. */
static int read_model_file(throughput_table_t *self, const char *path, const char *name,
                           struct error *error)
{
    csv_t *csv = csv_open(path, ',', error);
    int result;

    if (!csv)
        return -1;
    result = read_model_rows(self, csv, name, error);
    csv_destroy(&csv);
    return result;
}

static int only_csv(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);

    return length > 4 && !strcmp(entry->d_name + length - 4, ".csv");
}

static char *join_path(const char *folder, const char *name, const char *suffix)
{
    const size_t size = strlen(folder) + strlen(name) + strlen(suffix) + 2;
    char *path = xmalloc(size);

    (void)snprintf(path, size, "%s/%s%s", folder, name, suffix);
    return path;
}

static int read_entries(throughput_table_t *self, const char *folder, struct dirent **entries,
                        int count, struct error *error)
{
    for (int i = 0; i < count; i++) {
        const char *file = entries[i]->d_name;
        const size_t length = strlen(file) - strlen(".csv");
        char *name;
        char *path;
        int result;

        if (!throughput_is_model_name(file, length))
            return error_set(error, "%s: file %d of its *.csv: expected %s before the .csv", folder,
                             i + 1, THROUGHPUT_MODEL_EXPECTED);
        path = join_path(folder, file, "");
        name = arena_text(self->names, file, length);
        result = read_model_file(self, path, name, error);
        free(path);
        if (result < 0)
            return -1;
    }
    return 0;
}

/* Reads the files in the order of their names, so that nothing depends on the file system. */
static throughput_table_t *read_model_folder(const char *folder, struct error *error)
{
    throughput_table_t *self = table_new(folder);
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, only_csv, alphasort);
    int result;

    if (count < 0)
        result = error_set(error, "%s: cannot be read: %s", folder, strerror(errno));
    else if (count == 0)
        result = error_set(error, "%s: no throughput table (MODEL.csv) in this folder", folder);
    else
        result = read_entries(self, folder, entries, count, error);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    if (result < 0)
        throughput_destroy(&self);
    return self;
}

/* The project's own layout: a row is one measurement. */

enum { COLUMN_MODEL, COLUMN_BATCH, COLUMN_GPUS, COLUMN_RATE, COLUMN_COUNT };

static const struct csv_column columns[COLUMN_COUNT] = {
    [COLUMN_MODEL] = {{"model"}, false},
    [COLUMN_BATCH] = {{"global_batch_size"}, false},
    [COLUMN_GPUS] = {{"gpus"}, false},
    [COLUMN_RATE] = {{"iterations_per_s"}, false},
};

static int parse_model_name(const csv_t *csv, struct error *error)
{
    const struct csv_cell cell = csv_get(csv, COLUMN_MODEL);

    if (!throughput_is_model_name(cell.text, cell.length))
        return csv_complain(csv, COLUMN_MODEL, THROUGHPUT_MODEL_EXPECTED, error);
    return 0;
}

static int complain_order(const csv_t *csv, const struct throughput_row *row, struct error *error)
{
    char expected[128];

    (void)snprintf(expected, sizeof(expected),
                   "more than the %d GPUs in the row before it of this model and batch size",
                   row->gpus[row->level_count - 1]);
    return csv_complain(csv, COLUMN_GPUS, expected, error);
}

static struct throughput_row *find_or_add(throughput_table_t *self, const csv_t *csv,
                                          const char *model, int batch_size)
{
    struct throughput_row *last = self->count > 0 ? &self->rows[self->count - 1] : NULL;
    const struct throughput_row *found;

    if (last && last->batch_size == batch_size && !strcmp(last->model, model))
        return last;
    found = throughput_find(self, model, batch_size);
    if (found)
        return &self->rows[found - self->rows];
    return add_row(self, csv, arena_text(self->names, model, strlen(model)), batch_size);
}

static bool has_odd_count(const struct throughput_row *row)
{
    for (int i = 0; i < row->level_count; i++)
        if (row->gpus[i] & (row->gpus[i] - 1))
            return true;
    return false;
}

static void add_level(struct throughput_row *row, int gpus, double rate, int64_t line)
{
    const bool was_odd = has_odd_count(row);
    const int last = row->level_count++;

    row->gpus[last] = gpus;
    row->iters_per_s[last] = rate;
    row->marked_nan[last] = isnan(rate);
    if (!was_odd && has_odd_count(row))
        row->line = line;
}

static int parse_measurement(throughput_table_t *self, const csv_t *csv, struct error *error)
{
    struct throughput_row *row;
    double rate;
    int64_t batch_size;
    int64_t gpus;
    int last;

    if (parse_model_name(csv, error) < 0 ||
        csv_whole(csv, COLUMN_BATCH, 1, BATCH_SIZE_MAX, &batch_size, error) < 0 ||
        csv_whole(csv, COLUMN_GPUS, 1, THROUGHPUT_GPUS_MAX, &gpus, error) < 0)
        return -1;
    if (!read_rate(csv_get(csv, COLUMN_RATE), &rate))
        return complain_rate(csv, csv_place(csv, COLUMN_RATE), RATE_EXPECTED ", 0 or nothing",
                             error);
    if (rate > 0 && batch_size % gpus != 0)
        return csv_complain(csv, COLUMN_GPUS, "a number of GPUs that divides the batch size",
                            error);
    row = find_or_add(self, csv, csv_get(csv, COLUMN_MODEL).text, (int)batch_size);
    last = row->level_count;
    if (last == THROUGHPUT_LEVELS_MAX)
        return csv_complain(csv, COLUMN_GPUS, "at most 16 GPU counts a batch size", error);
    if (last > 0 && gpus <= row->gpus[last - 1])
        return complain_order(csv, row, error);
    add_level(row, (int)gpus, rate, csv_line(csv));
    return 0;
}

static int read_measurements(throughput_table_t *self, csv_t *csv, struct error *error)
{
    int got;

    if (csv_expect(csv, columns, COLUMN_COUNT, error) < 0)
        return -1;
    while ((got = csv_next(csv, error)) > 0)
        if (parse_measurement(self, csv, error) < 0)
            return -1;
    if (got == 0 && self->count == 0)
        return error_set(error, "%s:%" PRId64 ": expected a row after the header, found the end",
                         csv_path(csv), csv_line(csv));
    return got;
}

static throughput_table_t *read_own_file(const char *path, struct error *error)
{
    csv_t *csv = csv_open(path, ',', error);
    throughput_table_t *self;

    if (!csv)
        return NULL;
    self = table_new(path);
    if (read_measurements(self, csv, error) < 0)
        throughput_destroy(&self);
    csv_destroy(&csv);
    return self;
}

static bool is_folder(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Whether the file has a column of the project's own layout. */
static bool is_own_file(const char *path)
{
    struct error ignored;
    csv_t *csv = csv_open(path, ',', &ignored);
    bool found = false;

    for (size_t i = 0; csv && i < csv_header_count(csv); i++)
        found = found || !strcmp(csv_header_name(csv, i), columns[COLUMN_RATE].names[0]);
    csv_destroy(&csv);
    return found;
}

/* Whether the files of the folder are one for each model, not one for each GPU type. */
static bool has_model_files(const char *folder)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, only_csv, alphasort);
    char *first = count > 0 ? join_path(folder, entries[0]->d_name, "") : NULL;
    const bool result = first && !is_own_file(first);

    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    free(first);
    return result;
}

throughput_table_t *throughput_read(const char *folder, const char *gpu_type, struct error *error)
{
    char *own = join_path(folder, gpu_type, ".csv");
    char *nested = join_path(folder, gpu_type, "");
    char *published = join_path(folder, "throughputs_", gpu_type);
    throughput_table_t *self = NULL;

    if (!is_folder(folder))
        error_set(error, "%s: no such folder of throughput tables", folder);
    else if (strchr(gpu_type, '/'))
        error_set(error, "\"%s\" is not a GPU type", gpu_type);
    else if (access(own, F_OK) == 0)
        self = read_own_file(own, error);
    else if (is_folder(nested))
        self = read_model_folder(nested, error);
    else if (is_folder(published))
        self = read_model_folder(published, error);
    else if (has_model_files(folder))
        self = read_model_folder(folder, error);
    else
        /* The published programs take an unknown GPU type for a T4. No guess is made here. */
        error_set(error, "%s: no throughput table for GPU type %s (%s.csv)", folder, gpu_type,
                  gpu_type);
    free(published);
    free(nested);
    free(own);
    return self;
}

char *throughput_default_folder(void)
{
    return data_folder(DATA_THROUGHPUTS);
}
