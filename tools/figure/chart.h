/* chart.h - a figure of bars or lines, drawn once for SVG, PNG and PDF by cairo.
 *
 * The same data give the same bytes. Series differ in colour and, without colour, in the pattern of
 * their bars or lines. */
#ifndef FIGURE_CHART_H
#define FIGURE_CHART_H

#include "tools/figure/chart_image.h"

#include <stdbool.h>
#include <stddef.h>

#define CHART_SERIES_MAX 9

enum chart_kind {
    CHART_BARS,  /* a group of bars for each category */
    CHART_LINES, /* a point for each category */
    CHART_STEPS, /* values that hold until the next x */
};

/* Of bars and lines y has a value for each category, of steps for each x. NaN is left out. */
struct chart_series {
    const char *name;
    size_t style;    /* its colour and pattern, below CHART_SERIES_MAX */
    const double *x; /* of steps, rising */
    const double *y;
    const double *published; /* drawn beside y, by category; NULL for none */
    size_t count;
};

struct chart {
    enum chart_kind kind;
    const char *title;
    const char *x_label;
    const char *y_label;
    const char *const *categories;
    size_t category_count;
    struct chart_series series[CHART_SERIES_MAX];
    size_t series_count;
    double x_max; /* of steps, from 0 */
    double y_min; /* 0, or above it for a logarithmic axis, in tens from there on */
    double y_max;
};

/* Puts its picture into `out`. -1, with `error`, if it cannot be drawn. */
int chart_write(const struct chart *chart, enum image_format format, output_t *out,
                struct error *error);

#endif
