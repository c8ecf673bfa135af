/* figure.h - a figure of the evaluation: its runs, and what was measured beside what was published.
 *
 * A folder gets figureF.csv, .svg, .png, .pdf and .txt, its caption, for figure F, all at once, in
 * traces/ the traces that were drawn for it, and in runs/ the results of runs of which more than
 * counts are shown. */
#ifndef FIGURE_FIGURE_H
#define FIGURE_FIGURE_H

#include "common/error.h"
#include "tools/figure/chart.h"
#include "tools/figure/experiment.h"

#include <stddef.h>

struct figure_setting {
    const char *traces; /* folder of the public traces, NULL for none */
    const char *output; /* folder */
    size_t parallel;    /* processes */
    size_t seeds;       /* of jobs that are drawn; more than 1 only for such figures */
    bool as_published;  /* in the settings that fit, where some are known */
    bool forced;        /* what is there is replaced */
    struct chart_look look;
};

/* Per cent of the intervals of means over seeds. */
#define FIGURE_CONFIDENCE 95

/* -1, with `error`, if a file of the figure is there and must not be replaced. */
int figure_check(const struct experiment *experiment, const struct figure_setting *setting,
                 struct error *error);

/* Runs the experiment, writes the figure and prints what was measured. 0, 1 if a signal asked to
 * stop, -1 with `error`. */
int figure_make(const struct experiment *experiment, const struct figure_setting *setting,
                struct error *error);

#endif
