/* figure.h - a figure of the evaluation: its runs, and measured beside published values.
 *
 * A folder gets figureF.csv, .svg, .png, .pdf and .txt, its caption, for figure F, all at once, in
 * traces/ the traces that were drawn for it, and in runs/ the results of runs whose curves are
 * shown. */
#ifndef FIGURE_FIGURE_H
#define FIGURE_FIGURE_H

#include "common/error.h"
#include "tools/figure/chart.h"
#include "tools/figure/experiment.h"

#include <stddef.h>

struct figure_setting {
    const char *traces; /* folder of the public traces, NULL if missing */
    const char *output; /* folder */
    size_t parallel;    /* processes */
    size_t seeds;       /* number of seeds of drawn jobs; above 1 only for such figures */
    bool as_published;  /* uses the set-ups that fit the published values best, where known */
    bool forced;        /* existing files are replaced */
    struct chart_look look;
};

/* Per cent of the intervals of means over seeds. */
#define FIGURE_CONFIDENCE 95

/* -1, with `error`, if a file of the figure exists and must not be replaced. */
int figure_check(const struct experiment *experiment, const struct figure_setting *setting,
                 struct error *error);

/* Runs the experiment, writes the figure and prints the measured values. 0, 1 if a signal asked to
 * stop, -1 with `error`. */
int figure_make(const struct experiment *experiment, const struct figure_setting *setting,
                struct error *error);

#endif
