/* chart.h - a figure of bars or lines, drawn once for SVG, PNG and PDF by cairo.
 *
 * The same data give the same bytes. Series differ in colour and, without colour, in lightness, in
 * the hatching of bars and in the dashes and markers of lines. */
#ifndef FIGURE_CHART_H
#define FIGURE_CHART_H

#include "tools/figure/chart_image.h"
#include "tools/figure/style.h"

#include <stdbool.h>
#include <stddef.h>

#define CHART_SERIES_MAX STYLES_MAX

enum chart_kind {
    CHART_BARS,  /* a group of bars for each category */
    CHART_LINES, /* a point for each category */
    CHART_STEPS, /* values that hold until the next x */
};

/* The values of one series. Bars and lines have a y for each category, steps a y for each x. A y
 * that is NaN is not drawn. */
struct chart_series {
    const char *name;
    const struct style *style;
    const double *x; /* x of steps, rising */
    const double *y;
    const double *half;      /* half of the interval of each y, NaN for none; NULL: no intervals */
    const double *published; /* published value of each category, drawn beside y; NULL for none */
    size_t count;            /* number of steps */
};

struct chart {
    enum chart_kind kind;
    const char *title;
    const char *x_label;
    const char *y_label;
    const char *interval_label;  /* legend of the intervals */
    const char *published_label; /* legend of the published values */
    const char *const *categories;
    const double *category_at; /* positions of the categories on the x axis, rising; NULL: evenly
                                  spaced */
    size_t category_count;
    struct chart_series series[CHART_SERIES_MAX];
    size_t series_count;
    double x_max; /* end of the x axis of steps, which begins at 0 */
    double y_min; /* lower end of the y axis: 0, or above 0 for a logarithmic axis */
    double y_max;
};

/* The user's settings for pictures. */
struct chart_look {
    double width_pt;
    const char *font; /* the family of the font */
    double font_pt;   /* the font size; 0: a size that fits the width */
    bool untitled;
};

#define CHART_WIDTH_PT 900
#define CHART_FONT     "DejaVu Sans"
#define CHART_LOOK_DEFAULT                                                                         \
    {                                                                                              \
        .width_pt = CHART_WIDTH_PT, .font = CHART_FONT                                             \
    }

/* Draws the chart into `out`. Returns -1, with `error`, if drawing fails. */
int chart_write(const struct chart *chart, const struct chart_look *look, enum image_format format,
                output_t *out, struct error *error);

#endif
