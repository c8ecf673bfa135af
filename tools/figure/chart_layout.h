/* chart_layout.h - the positions of the parts of a chart, in points.
 *
 * A wide chart has its legend to the right of the plot. A narrow chart, for the column of a paper,
 * has its legend above the plot, and turns the names of categories that do not fit. Widths of texts
 * are estimated, so that no byte of a picture depends on the fonts of a machine. */
#ifndef FIGURE_CHART_LAYOUT_H
#define FIGURE_CHART_LAYOUT_H

#include "tools/figure/chart.h"

#define LAYOUT_TITLE_LINES 4
#define LAYOUT_TITLE_BYTES 160

struct chart_layout {
    double font_pt;
    double scale; /* scale of everything but data: 1 at a font size of 12 */
    double width;
    double height;
    double left; /* edges of the plot */
    double top;
    double plot_width;
    double plot_height;
    char title[LAYOUT_TITLE_LINES][LAYOUT_TITLE_BYTES];
    int title_lines;
    double legend_x; /* position of the first sample */
    double legend_y; /* baseline of the first sample */
    double legend_cell;
    size_t legend_columns;
    bool turned; /* whether names of categories are turned */
};

struct chart_layout chart_layout_of(const struct chart *chart, const struct chart_look *look);

/* Whether the legend has an entry for published values, or an entry for intervals. */
bool chart_has_published(const struct chart *chart);
bool chart_has_intervals(const struct chart *chart);

/* The end of an axis from 0 that fits `most`: a multiple of 1, 2 or 5 times a power of ten. */
double chart_axis_end(double most);

/* The distance of some five grid lines up to `max`: 1, 2 or 5 times a power of ten. */
double chart_grid_step(double max);

#endif
