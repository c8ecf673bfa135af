/* result_table.c - see result_table.h. */
#include "tools/sweep/result_table.h"

#include "common/csv.h"
#include "common/memory.h"
#include "common/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The parameters of a point, in the order of the files, and their names for readers. */
static const struct {
    const char *column;
    const char *name;
    const char *absent; /* meaning of an empty cell */
} parameters[] = {
    {"trace", "", ""},
    {"cluster", "", "32 nodes of 8 GPUs"},
    {"gpu_type", "", ""},
    {"slot_s", "slot (s) ", ""},
    {"load", "load ", ""},
    {"tightness", "tightness ", "as in the trace"},
    {"best_effort", "best-effort share ", ""},
    {"overhead_factor", "overhead factor ", ""},
};
#define PARAMETERS (sizeof(parameters) / sizeof(parameters[0]))

const char *const result_table_axes[] = {"load",        "slot_s",          "tightness",
                                         "best_effort", "overhead_factor", NULL};

/* ---- reading ---- */

static void read_header(struct result_table *self, const csv_t *csv)
{
    self->column_count = csv_header_count(csv);
    self->names = xcalloc(self->column_count, sizeof(*self->names));
    for (size_t i = 0; i < self->column_count; i++)
        self->names[i] = xstrdup(csv_header_name(csv, i));
}

static int read_rows(struct result_table *self, csv_t *csv, struct error *error)
{
    size_t room = 0;
    size_t count = 0;
    int status;

    while ((status = csv_next(csv, error)) > 0) {
        for (size_t i = 0; i < self->column_count; i++) {
            self->cells = grow_array(self->cells, count, &room, sizeof(*self->cells));
            self->cells[count++] = xstrdup(csv_at(csv, i).text);
        }
        self->row_count++;
    }
    return status;
}

/* Checks the columns that all files of a sweep have. */
static int check_header(const struct result_table *self, struct error *error)
{
    size_t column;

    for (size_t i = 0; i < PARAMETERS; i++)
        if (result_table_find(self, parameters[i].column, &column, error) < 0)
            return -1;
    return result_table_find(self, "policy", &column, error);
}

int result_table_open(struct result_table *self, const char *folder, const char *name,
                      struct error *error)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    csv_t *csv;
    int status;

    *self = (struct result_table){.path = xcalloc(size, 1)};
    (void)snprintf(self->path, size, "%s/%s", folder, name);
    csv = csv_open(self->path, ',', error);
    status = csv ? 0 : -1;
    if (status == 0)
        read_header(self, csv);
    if (status == 0)
        status = check_header(self, error);
    if (status == 0)
        status = read_rows(self, csv, error);
    csv_destroy(&csv);
    if (status < 0)
        result_table_close(self);
    return status;
}

void result_table_close(struct result_table *self)
{
    for (size_t i = 0; i < self->row_count * self->column_count; i++)
        free(self->cells[i]);
    for (size_t i = 0; self->names && i < self->column_count; i++)
        free(self->names[i]);
    free(self->cells);
    free(self->names);
    free(self->path);
    *self = (struct result_table){0};
}

/* ---- cells ---- */

static bool has_column(const struct result_table *self, const char *name, size_t *column)
{
    for (size_t i = 0; i < self->column_count; i++)
        if (!strcmp(self->names[i], name)) {
            *column = i;
            return true;
        }
    return false;
}

int result_table_find(const struct result_table *self, const char *name, size_t *column,
                      struct error *error)
{
    if (has_column(self, name, column))
        return 0;
    return error_set(error, "%s: has no column \"%s\"", self->path, name);
}

const char *result_table_text(const struct result_table *self, size_t row, size_t column)
{
    return self->cells[row * self->column_count + column];
}

static bool parse_number(const char *text, size_t length, double *value)
{
    const size_t sign = length > 0 && text[0] == '-';

    if (number_parse_real(text + sign, length - sign, 0, 1e300, value) != NUMBER_OK)
        return false;
    *value = sign ? -*value : *value;
    return true;
}

int result_table_number(const struct result_table *self, size_t row, size_t column, double *value,
                        struct error *error)
{
    const char *text = result_table_text(self, row, column);
    const char *colon = strchr(text, ':');
    double low, high;

    *value = NAN;
    if (*text == '\0' || parse_number(text, strlen(text), value))
        return 0;
    if (colon && parse_number(text, (size_t)(colon - text), &low) &&
        parse_number(colon + 1, strlen(colon + 1), &high)) {
        *value = (low + high) / 2;
        return 0;
    }
    return error_set(error, "%s: row %zu: column %s: expected a number, found \"%s\"", self->path,
                     row + 1, self->names[column], text);
}

/* ---- points ---- */

bool result_table_same_point(const struct result_table *self, size_t a, size_t b, size_t over)
{
    for (size_t i = 0; i < PARAMETERS; i++) {
        size_t column;

        if (has_column(self, parameters[i].column, &column) && column != over &&
            strcmp(result_table_text(self, a, column), result_table_text(self, b, column)) != 0)
            return false;
    }
    return true;
}

bool result_table_begins_point(const struct result_table *self, size_t row, size_t over)
{
    size_t first = 0;

    while (!result_table_same_point(self, first, row, over))
        first++;
    return first == row;
}

const char *result_table_varied(const struct result_table *self)
{
    for (size_t i = 0; result_table_axes[i]; i++) {
        size_t column;

        for (size_t row = 1;
             has_column(self, result_table_axes[i], &column) && row < self->row_count; row++)
            if (strcmp(result_table_text(self, 0, column), result_table_text(self, row, column)) !=
                0)
                return result_table_axes[i];
    }
    return result_table_axes[0];
}

static const char *value_for_readers(const char *text, const char *absent)
{
    const char *slash = strrchr(text, '/');

    if (*text == '\0')
        return absent;
    return slash ? slash + 1 : text;
}

char *result_table_point(const struct result_table *self, size_t row, size_t over)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    const char *comma = "";

    if (!memory)
        memory_out();
    for (size_t i = 0; i < PARAMETERS; i++) {
        size_t column;

        if (!has_column(self, parameters[i].column, &column) || column == over)
            continue;
        (void)fprintf(
            memory, "%s%s%s", comma, parameters[i].name,
            value_for_readers(result_table_text(self, row, column), parameters[i].absent));
        comma = ", ";
    }
    (void)fclose(memory);
    return text;
}
