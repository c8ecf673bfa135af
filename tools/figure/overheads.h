/* overheads.h - measures the overheads in figures, with a master, workers and trainers on emulated
 * GPUs of this machine.
 *
 * Emulated models take no time. The times are those of Rubato's own programs, messages, processes
 * and checkpoint files, without CUDA, and differ from run to run. */
#ifndef FIGURE_OVERHEADS_H
#define FIGURE_OVERHEADS_H

#include "tools/figure/figure.h"

/* The overheads of a figure, by series and setting. */
struct overheads {
    double seconds[EXPERIMENT_SERIES_MAX][EXPERIMENT_SETTINGS_MAX]; /* time drawn */
    double own_s[EXPERIMENT_SERIES_MAX][EXPERIMENT_SETTINGS_MAX];   /* time without training */
    int starts[EXPERIMENT_SERIES_MAX][EXPERIMENT_SETTINGS_MAX];     /* number of starts timed */
};

/* Measures the overheads of `experiment`. The commands and the master's output go below runs/ in
 * the output folder. Returns 0; 1, with `error`, if a signal asked to stop; -1 with `error`. */
int overheads_measure(const struct experiment *experiment, const struct figure_setting *setting,
                      struct overheads *overheads, struct error *error);

#endif
