/* measured.h - results of the runs of a figure: a table of values, or curves over time. */
#ifndef FIGURE_MEASURED_H
#define FIGURE_MEASURED_H

#include "tools/figure/overheads.h"
#include "tools/figure/result_curves.h"
#include "tools/figure/runs.h"

struct measured {
    size_t seeds;
    /* For a table, by series and setting: the mean over the seeds, NaN for none; half of its
     * confidence interval, NaN for one seed; and the counts of all seeds. */
    double mean[EXPERIMENT_SERIES_MAX][EXPERIMENT_SETTINGS_MAX];
    double half[EXPERIMENT_SERIES_MAX][EXPERIMENT_SETTINGS_MAX];
    int64_t accepted[EXPERIMENT_SERIES_MAX][EXPERIMENT_SETTINGS_MAX];
    int64_t jobs[EXPERIMENT_SERIES_MAX][EXPERIMENT_SETTINGS_MAX];
    /* For curves over time: `curve_count` curves. `halves` are those of more than one seed. */
    struct result_curve curves[EXPERIMENT_SERIES_MAX];
    struct result_curve halves[EXPERIMENT_SERIES_MAX];
    const char *curve_names[EXPERIMENT_SERIES_MAX];
    const char *curve_policies[EXPERIMENT_SERIES_MAX]; /* NULL for a curve of no policy */
    size_t curve_count;
};

bool measured_is_over_time(const struct experiment *experiment);
bool measured_is_of_overheads(const struct experiment *experiment);

/* Finds the results of the runs, or the times of a figure of overheads. -1 with `error`;
 * measured_free must follow even then. */
int measured_find(struct measured *self, const struct experiment *experiment,
                  const figure_runs_t *runs, const struct overheads *overheads, size_t seeds,
                  struct error *error);
void measured_free(struct measured *self);

#endif
