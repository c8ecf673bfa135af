/* overheads.h - what the figures of overheads show, measured with a master, workers and trainers on
 * emulated GPUs of this machine.
 *
 * Emulated models take no time: what is measured is what the programs of Rubato take, messages,
 * processes and checkpoint files, and nothing of CUDA. The times of two runs differ. */
#ifndef FIGURE_OVERHEADS_H
#define FIGURE_OVERHEADS_H

#include "tools/figure/figure.h"

/* By series and setting. */
struct overheads {
    double seconds[EXPERIMENT_SERIES_MAX][EXPERIMENT_SETTINGS_MAX]; /* what is drawn */
    double own_s[EXPERIMENT_SERIES_MAX][EXPERIMENT_SETTINGS_MAX];   /* without training */
    int starts[EXPERIMENT_SERIES_MAX][EXPERIMENT_SETTINGS_MAX];     /* that were timed */
};

/* Writes the commands and what the master says of them below runs/ in the output folder. 0, 1 if a
 * signal asked to stop, -1 with `error`; of a stop, too. */
int overheads_measure(const struct experiment *experiment, const struct figure_setting *setting,
                      struct overheads *overheads, struct error *error);

#endif
