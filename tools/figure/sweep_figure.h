/* sweep_figure.h - the results of a sweep as pictures: the means of one measure of the sweep's
 * simulations over one parameter, with a line for each policy and the confidence intervals of
 * means.csv.
 *
 * The output folder gets sweep-MEASURE.svg, .png, .pdf, .csv and .txt (the caption) for each
 * measure. If other parameters have several values too, each combination of their values has a
 * picture, sweep-MEASURE-N. */
#ifndef FIGURE_SWEEP_FIGURE_H
#define FIGURE_SWEEP_FIGURE_H

#include "common/error.h"
#include "tools/figure/chart.h"

#include <stdbool.h>

#define SWEEP_FIGURE_MEASURES "on_time,promised,broken"

struct sweep_figure_setting {
    const char *results;  /* folder of the sweep */
    const char *output;   /* the output folder */
    const char *over;     /* column of the parameter */
    const char *measures; /* columns, separated by commas */
    bool forced;          /* existing pictures with other bytes are replaced */
    struct chart_look look;
};

/* Draws all pictures and prints their names. Returns -1 with `error`; each picture is then there
 * whole or not at all. */
int sweep_figure_make(const struct sweep_figure_setting *setting, struct error *error);

#endif
