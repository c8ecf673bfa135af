/* runs.h - the runs of a figure: each policy in each setting with each seed, side by side. */
#ifndef FIGURE_RUNS_H
#define FIGURE_RUNS_H

#include "tools/cells.h"
#include "tools/figure/figure.h"

typedef struct figure_runs figure_runs_t;

/* Draws the traces that are not public and runs all cells, with result folders if `keeps`. Returns
 * NULL with `error` on failure. If a signal asked to stop, the answer is NULL too, and `stopped` is
 * set. */
figure_runs_t *figure_runs_new(const struct experiment *experiment,
                               const struct figure_setting *setting, bool keeps, bool *stopped,
                               struct error *error);
void figure_runs_destroy(figure_runs_t **self);

/* The cell of a series in a setting with seed number `seed`, counted from 0; NULL for a series
 * without a policy. */
const struct cell *figure_runs_cell(const figure_runs_t *self, size_t series, size_t setting,
                                    size_t seed);

/* The trace of the setting with the first seed. */
const char *figure_runs_trace(const figure_runs_t *self, size_t setting);

#endif
