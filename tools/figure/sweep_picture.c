/* sweep_picture.c - see sweep_picture.h. */
#include "tools/figure/sweep_picture.h"

#include "common/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEASURE_BYTES 64

/* ---- columns ---- */

static bool is_of_promises(const char *measure)
{
    static const char *const measures[] = {"promised", "promised_at_arrival", "promised_later",
                                           "withdrawn", "broken"};

    for (size_t i = 0; i < sizeof(measures) / sizeof(measures[0]); i++)
        if (!strcmp(measures[i], measure))
            return true;
    return false;
}

int sweep_columns_find(struct sweep_columns *columns, const struct result_table *table,
                       const char *over, const char *measure, struct error *error)
{
    char mean[MEASURE_BYTES + 8];
    char half[MEASURE_BYTES + 8];

    if (strlen(measure) >= MEASURE_BYTES)
        return error_set(error, "--measures: \"%.20s...\" is no figure of a sweep", measure);
    (void)snprintf(mean, sizeof(mean), "%s_mean", measure);
    (void)snprintf(half, sizeof(half), "%s_half", measure);
    columns->of_promises = is_of_promises(measure);
    if (result_table_find(table, mean, &columns->mean, error) < 0 ||
        result_table_find(table, half, &columns->half, error) < 0)
        return -1;
    if (result_table_find(table, over, &columns->over, error) < 0 ||
        result_table_find(table, "policy", &columns->policy, error) < 0 ||
        result_table_find(table, "promised_mean", &columns->promised, error) < 0 ||
        result_table_find(table, "seeds", &columns->seeds, error) < 0)
        return -1;
    return result_table_find(table, "confidence", &columns->confidence, error);
}

/* ---- values ---- */

static bool is_of_picture(const struct sweep_picture *self, size_t row)
{
    return result_table_same_point(self->table, self->first, row, self->columns.over);
}

static size_t policy_of(const struct sweep_picture *self, size_t row)
{
    const char *policy = result_table_text(self->table, row, self->columns.policy);
    size_t i = 0;

    while (i < self->policy_count && strcmp(self->policies[i], policy) != 0)
        i++;
    return i;
}

static int add_policy(struct sweep_picture *self, size_t row, struct error *error)
{
    if (policy_of(self, row) < self->policy_count)
        return 0;
    if (self->policy_count == CHART_SERIES_MAX)
        return error_set(error, "%s: has more than %d policies, which are too many for a picture",
                         self->table->path, CHART_SERIES_MAX);
    self->policies[self->policy_count++] =
        result_table_text(self->table, row, self->columns.policy);
    return 0;
}

/* Adds the row's value of the parameter to the sorted list of values. */
static int add_value(struct sweep_picture *self, size_t row, struct error *error)
{
    const char *text = result_table_text(self->table, row, self->columns.over);
    double value;
    size_t i = 0;

    if (*text == '\0')
        return error_set(error,
                         "--over: %s is as in the trace in %s, which is no number to draw over",
                         self->table->names[self->columns.over], self->table->path);
    if (result_table_number(self->table, row, self->columns.over, &value, error) < 0)
        return -1;
    while (i < self->at_count && self->at[i] < value)
        i++;
    if (i < self->at_count && self->at[i] == value) {
        if (!strcmp(self->labels[i], text))
            return 0;
        return error_set(error, "--over: %s and %s have the same middle and would be one point",
                         self->labels[i], text);
    }
    memmove(&self->at[i + 1], &self->at[i], (self->at_count - i) * sizeof(self->at[0]));
    memmove(&self->labels[i + 1], &self->labels[i], (self->at_count - i) * sizeof(text));
    self->at[i] = value;
    self->labels[i] = text;
    self->at_count++;
    return 0;
}

static int find_series(struct sweep_picture *self, struct error *error)
{
    for (size_t row = self->first; row < self->table->row_count; row++)
        if (is_of_picture(self, row) &&
            (add_policy(self, row, error) < 0 || add_value(self, row, error) < 0))
            return -1;
    return 0;
}

static int read_point(struct sweep_picture *self, size_t row, struct error *error)
{
    const struct result_table *table = self->table;
    double over, seeds, mean, half, promised;
    const size_t policy = policy_of(self, row);
    size_t place = 0;

    if (result_table_number(table, row, self->columns.over, &over, error) < 0 ||
        result_table_number(table, row, self->columns.seeds, &seeds, error) < 0 ||
        result_table_number(table, row, self->columns.confidence, &self->confidence, error) < 0 ||
        result_table_number(table, row, self->columns.mean, &mean, error) < 0 ||
        result_table_number(table, row, self->columns.half, &half, error) < 0 ||
        result_table_number(table, row, self->columns.promised, &promised, error) < 0)
        return -1;
    while (self->at[place] != over)
        place++;
    place += policy * self->at_count;
    self->mean[place] = mean;
    self->half[place] = half;
    self->promises[policy] |= promised > 0;
    self->highest = fmax(self->highest, isnan(half) ? mean : mean + half);
    self->seeds_min = fmin(self->seeds_min, seeds);
    self->seeds_max = fmax(self->seeds_max, seeds);
    return 0;
}

/* Drops the values of policies without promises, for which the files have 0. */
static void drop_zeros_without_promise(struct sweep_picture *self)
{
    for (size_t i = 0; i < self->policy_count * self->at_count; i++)
        if (!self->promises[i / self->at_count])
            self->mean[i] = self->half[i] = NAN;
}

static int read_points(struct sweep_picture *self, struct error *error)
{
    const size_t count = self->policy_count * self->at_count;

    self->mean = xcalloc(count, sizeof(*self->mean));
    self->half = xcalloc(count, sizeof(*self->half));
    for (size_t i = 0; i < count; i++)
        self->mean[i] = self->half[i] = NAN;
    self->highest = self->seeds_min = self->seeds_max = NAN;
    for (size_t row = self->first; row < self->table->row_count; row++)
        if (is_of_picture(self, row) && read_point(self, row, error) < 0)
            return -1;
    if (self->columns.of_promises)
        drop_zeros_without_promise(self);
    return 0;
}

bool sweep_picture_has(const struct sweep_picture *self, size_t policy)
{
    for (size_t i = 0; i < self->at_count; i++)
        if (!isnan(self->mean[policy * self->at_count + i]))
            return true;
    return false;
}

int sweep_picture_read(struct sweep_picture *self, struct error *error)
{
    self->at = xcalloc(self->table->row_count, sizeof(*self->at));
    self->labels = xcalloc(self->table->row_count, sizeof(*self->labels));
    return find_series(self, error) < 0 ? -1 : read_points(self, error);
}

void sweep_picture_free(struct sweep_picture *self)
{
    free(self->at);
    free(self->labels);
    free(self->mean);
    free(self->half);
}
