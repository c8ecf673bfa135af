/* figure.h - a figure of the evaluation: its runs, and what was measured beside what was published.
 *
 * A folder gets figureF.csv, .svg, .png and .pdf for figure F, all at once, in traces/ the traces
 * that were drawn for it, and in runs/ the results of runs of which more than counts are shown. */
#ifndef FIGURE_FIGURE_H
#define FIGURE_FIGURE_H

#include "common/error.h"
#include "tools/figure/experiment.h"

#include <stddef.h>

struct figure_setting {
    const char *traces; /* folder of the public traces, NULL for none */
    const char *output; /* folder */
    size_t parallel;    /* processes */
};

/* Runs the experiment, writes the figure and prints what was measured. 0, 1 if a signal asked to
 * stop, -1 with `error`. */
int figure_make(const struct experiment *experiment, const struct figure_setting *setting,
                struct error *error);

#endif
