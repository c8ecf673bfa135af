/* sweep_picture.h - the values of one picture of a sweep, from means.csv: by policy and by value of
 * one parameter, a mean and half of the mean's confidence interval. */
#ifndef FIGURE_SWEEP_PICTURE_H
#define FIGURE_SWEEP_PICTURE_H

#include "common/error.h"
#include "tools/figure/chart.h"
#include "tools/sweep/result_table.h"

#include <stdbool.h>
#include <stddef.h>

/* The columns of means.csv that a picture needs. */
struct sweep_columns {
    size_t over, policy, seeds, confidence, promised, mean, half;
    bool of_promises; /* whether the measure is about promises */
};

/* Finds the columns of `measure` over the parameter `over`. Returns -1 with `error` if the table
 * lacks a column. */
int sweep_columns_find(struct sweep_columns *columns, const struct result_table *table,
                       const char *over, const char *measure, struct error *error);

struct sweep_picture {
    const struct result_table *table; /* lent, as are its texts */
    struct sweep_columns columns;
    size_t first; /* first row of the picture's point in the table */

    const char *policies[CHART_SERIES_MAX];
    bool promises[CHART_SERIES_MAX]; /* whether the policy makes promises */
    size_t policy_count;
    double *at; /* values of the parameter, rising */
    const char **labels;
    size_t at_count;
    double *mean; /* by policy and value; NaN for no mean, such as that of broken promises of a
                     policy without promises */
    double *half;
    double highest;
    double seeds_min, seeds_max, confidence;
};

/* Reads the values at the point of the row `first`. Returns -1 with `error`; even then
 * sweep_picture_free must follow. */
int sweep_picture_read(struct sweep_picture *self, struct error *error);
void sweep_picture_free(struct sweep_picture *self);

/* Whether the policy has a value. */
bool sweep_picture_has(const struct sweep_picture *self, size_t policy);

#endif
