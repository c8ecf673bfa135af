/* measured.h - results of the runs of a figure: a table of values, or curves over time. */
#ifndef FIGURE_MEASURED_H
#define FIGURE_MEASURED_H

#include "tools/figure/overheads.h"
#include "tools/figure/result_curves.h"
#include "tools/figure/runs.h"

struct measured {
    size_t seeds;
    /* The table, by series and setting: the mean over the seeds (NaN for none), half of the mean's
     * confidence interval (NaN for a single seed), and the counts of all seeds. */
    double mean[EXPERIMENT_SERIES_MAX][EXPERIMENT_SETTINGS_MAX];
    double half[EXPERIMENT_SERIES_MAX][EXPERIMENT_SETTINGS_MAX];
    int64_t accepted[EXPERIMENT_SERIES_MAX][EXPERIMENT_SETTINGS_MAX];
    int64_t jobs[EXPERIMENT_SERIES_MAX][EXPERIMENT_SETTINGS_MAX];
    /* The curves over time, `curve_count` of them. `halves` has the halves of their intervals if
     * there are several seeds. */
    struct result_curve curves[EXPERIMENT_SERIES_MAX];
    struct result_curve halves[EXPERIMENT_SERIES_MAX];
    const char *curve_names[EXPERIMENT_SERIES_MAX];
    const char *curve_policies[EXPERIMENT_SERIES_MAX]; /* policy of each curve; NULL for none */
    size_t curve_count;
};

bool measured_is_over_time(const struct experiment *experiment);
bool measured_is_of_overheads(const struct experiment *experiment);

/* Finds the results of the runs, or the times of a figure of overheads. Returns -1 with `error`.
 * Even then measured_free must follow. */
int measured_find(struct measured *self, const struct experiment *experiment,
                  const figure_runs_t *runs, const struct overheads *overheads, size_t seeds,
                  struct error *error);
void measured_free(struct measured *self);

#endif
