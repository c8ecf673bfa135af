/* rate_file.c - the auditor's reader of throughput tables. A table is a file of measurements
 * (model, global_batch_size, gpus, iterations_per_s), or a folder of the published artifact with a
 * file for each model, a row for each batch size and a column for each GPU count. */
#include "tools/audit/case.h"

#include "common/csv.h"
#include "common/number.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct audit_rates *find_or_add(struct audit_case *self, const char *model,
                                       int64_t batch_size)
{
    struct audit_rate_table *table = &self->rates;

    for (size_t i = 0; i < table->count; i++)
        if (table->items[i].batch_size == batch_size && !strcmp(table->items[i].model, model))
            return &table->items[i];
    table->items = grow_array(table->items, table->count, &table->capacity, sizeof(*table->items));
    table->items[table->count] = (struct audit_rates){
        .model = arena_text(self->texts, model, strlen(model)), .batch_size = batch_size};
    return &table->items[table->count++];
}

static int add_rate(struct audit_rates *rates, int64_t gpus, struct csv_cell cell)
{
    const int at = rates->count;
    double rate = (double)NAN;

    if (at == AUDIT_LEVELS_MAX)
        return -1;
    if (strcmp(cell.text, "nan") != 0 && cell.length > 0 &&
        number_parse_real(cell.text, cell.length, 0, HUGE_VAL, &rate) != NUMBER_OK)
        return -1;
    rates->gpus[at] = gpus;
    rates->iters_per_s[at] = rate;
    rates->count++;
    return 0;
}

static int read_model_row(struct audit_case *self, const csv_t *csv, const char *model,
                          struct error *error)
{
    const struct csv_cell batch = csv_at(csv, 0);
    struct audit_rates *rates;
    int64_t batch_size;

    if (number_parse_whole(batch.text, batch.length, 1, INT32_MAX, &batch_size) != NUMBER_OK)
        return csv_complain_at(csv, 0, "a global batch size", error);
    rates = find_or_add(self, model, batch_size);
    for (size_t i = 1; i < csv_header_count(csv); i++) {
        const char *name = csv_header_name(csv, i);
        int64_t gpus;

        if (number_parse_whole(name, strlen(name), 1, INT32_MAX, &gpus) != NUMBER_OK)
            return error_set(error, "%s:1: \"%s\" is no number of GPUs", csv_path(csv), name);
        if (add_rate(rates, gpus, csv_at(csv, i)) < 0)
            return csv_complain_at(csv, i, "iterations/s", error);
    }
    return 0;
}

static int read_model_file(struct audit_case *self, const char *folder, const char *name,
                           struct error *error)
{
    char path[4096 + 256];
    char model[256];
    csv_t *csv;
    int got;

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    (void)snprintf(model, sizeof(model), "%.*s", (int)strlen(name) - 4, name);
    csv = csv_open(path, ',', error);
    if (!csv)
        return -1;
    while ((got = csv_next(csv, error)) > 0)
        if (read_model_row(self, csv, model, error) < 0) {
            got = -1;
            break;
        }
    csv_destroy(&csv);
    return got;
}

static int is_model_file(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);

    return length > 4 && !strcmp(entry->d_name + length - 4, ".csv");
}

static int read_model_folder(struct audit_case *self, const char *folder, struct error *error)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, is_model_file, alphasort);
    int result = 0;

    if (count < 0)
        return error_set(error, "%s: cannot be read: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (result == 0)
            result = read_model_file(self, folder, entries[i]->d_name, error);
        free(entries[i]);
    }
    free(entries);
    return result;
}

enum { MODEL, BATCH, GPUS, RATE, COLUMN_COUNT };

static const struct csv_column columns[COLUMN_COUNT] = {[MODEL] = {{"model"}, false},
                                                        [BATCH] = {{"global_batch_size"}, false},
                                                        [GPUS] = {{"gpus"}, false},
                                                        [RATE] = {{"iterations_per_s"}, false}};

static int read_measurement(struct audit_case *self, const csv_t *csv, struct error *error)
{
    int64_t batch_size;
    int64_t gpus;

    if (csv_whole(csv, BATCH, 1, INT32_MAX, &batch_size, error) < 0 ||
        csv_whole(csv, GPUS, 1, INT32_MAX, &gpus, error) < 0)
        return -1;
    if (add_rate(find_or_add(self, csv_get(csv, MODEL).text, batch_size), gpus,
                 csv_get(csv, RATE)) < 0)
        return csv_complain(csv, RATE, "iterations/s", error);
    return 0;
}

static int read_measurements(struct audit_case *self, const char *path, struct error *error)
{
    csv_t *csv = csv_open(path, ',', error);
    int got;

    if (!csv)
        return -1;
    got = csv_expect(csv, columns, COLUMN_COUNT, error);
    while (got >= 0 && (got = csv_next(csv, error)) > 0)
        got = read_measurement(self, csv, error);
    csv_destroy(&csv);
    return got;
}

static bool is_folder(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* The path of the table itself. A summary names the table, but a user may name the folder that
 * contains it. */
static const char *find_table(const char *path, const char *gpu_type, char *found, size_t size)
{
    static const char *const below[] = {"%s/%s.csv", "%s/%s", "%s/throughputs_%s"};

    for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
        const char *pattern = below[i];
        const char *split = strstr(pattern + 2, "%s");

        (void)snprintf(found, size, "%s%.*s%s%s", path, (int)(split - pattern - 2), pattern + 2,
                       gpu_type, split + 2);
        if (access(found, F_OK) == 0)
            return found;
    }
    return path;
}

int audit_read_rates(struct audit_case *self, const char *path, const char *gpu_type,
                     struct error *error)
{
    char found[4096];
    const char *table = is_folder(path) ? find_table(path, gpu_type, found, sizeof(found)) : path;
    const int result = is_folder(table) ? read_model_folder(self, table, error)
                                        : read_measurements(self, table, error);

    self->rates.path = arena_text(self->texts, table, strlen(table));
    if (result == 0 && self->rates.count == 0)
        return error_set(error, "%s: no throughput in it", table);
    return result;
}
