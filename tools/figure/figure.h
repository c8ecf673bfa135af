/* figure.h - a figure of the evaluation: its runs, and measured values beside published ones.
 *
 * The output folder gets figureF.csv, .svg, .png, .pdf and .txt (the caption) for figure F, all at
 * once. The folder traces/ in it gets the traces that were drawn for the figure, and runs/ the
 * results of runs whose curves the figure shows. */
#ifndef FIGURE_FIGURE_H
#define FIGURE_FIGURE_H

#include "common/error.h"
#include "tools/figure/chart.h"
#include "tools/figure/experiment.h"

#include <stddef.h>

struct figure_setting {
    const char *traces; /* folder of the public traces, NULL if missing */
    const char *output; /* the output folder */
    size_t parallel;    /* number of processes */
    size_t seeds;       /* number of seeds of drawn jobs; 1 for a figure whose jobs are not drawn */
    bool as_published;  /* uses the set-ups that fit the published values best, where known */
    bool forced;        /* existing files are replaced */
    struct chart_look look;
};

/* The confidence, in per cent, of the intervals of means over seeds. */
#define FIGURE_CONFIDENCE 95

/* Checks that no file of the figure exists that must not be replaced. Returns -1, with `error`, if
 * one does. */
int figure_check(const struct experiment *experiment, const struct figure_setting *setting,
                 struct error *error);

/* Runs the experiment, writes the figure and prints the measured values. Returns 0; 1 if a signal
 * asked to stop; -1 with `error`. */
int figure_make(const struct experiment *experiment, const struct figure_setting *setting,
                struct error *error);

#endif
