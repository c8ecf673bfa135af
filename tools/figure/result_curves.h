/* result_curves.h - the curves of a figure over time, read from the results of a run. */
#ifndef FIGURE_RESULT_CURVES_H
#define FIGURE_RESULT_CURVES_H

#include "common/error.h"
#include "scheduler/run/simulation.h"

#include <stddef.h>
#include <stdint.h>

struct result_curve {
    double *x; /* hours since the first round */
    double *y;
    size_t count;
    size_t x_room;
    size_t y_room;
};

void curve_add(struct result_curve *self, double x, double y);
void curve_free(struct result_curve *self);

/* Reads a column of cluster.csv in the result folder `results`, from the hour of `start_s` on. Rows
 * less than `apart_s` after the last row taken are skipped. Returns -1 with `error`. */
int curve_read(struct result_curve *self, const char *results, const char *column, int64_t start_s,
               int64_t apart_s, struct error *error);

/* Counts the jobs that fall into each `bin_s` seconds from `start_s` on, by the column submit_time
 * of `path`, a jobs.csv or a trace. Returns -1 with `error`. */
int curve_count(struct result_curve *self, const char *path, int64_t start_s, int64_t bin_s,
                struct error *error);

/* Reads the first time in cluster.csv into `*start_s`. Returns -1 with `error`. */
int result_start(const char *results, int64_t *start_s, struct error *error);

/* The mean JCT of ended jobs that the trace of the run marks as best effort, even if the policy
 * treats them otherwise; NaN without such jobs. Job names must be row numbers, as in drawn traces.
 * Returns -1 with `error`. */
int result_best_effort_jct(const struct simulation *run, double *mean_s, struct error *error);

#endif
