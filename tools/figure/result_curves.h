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

/* A column of cluster.csv in the result folder `results`, from the hour of `start_s` on; skips rows
 * less than `apart_s` after the last one taken. -1 with `error`. */
int curve_read(struct result_curve *self, const char *results, const char *column, int64_t start_s,
               int64_t apart_s, struct error *error);

/* How many jobs of the column submit_time of `path`, as jobs.csv and traces have it, fall into each
 * `bin_s` seconds from `start_s` on. -1 with `error`. */
int curve_count(struct result_curve *self, const char *path, int64_t start_s, int64_t bin_s,
                struct error *error);

/* The first time in cluster.csv, in `*start_s`. -1 with `error`. */
int result_start(const char *results, int64_t *start_s, struct error *error);

/* The mean JCT of the ended jobs that are best effort by the trace of the run, even if the policy
 * treats them otherwise; NaN if there are none. Their names are their rows, as drawn traces have
 * it. -1 with `error`. */
int result_best_effort_jct(const struct simulation *run, double *mean_s, struct error *error);

#endif
