/* sweep_chart.h - one picture of a sweep as a chart: the means of one measure of the sweep's
 * simulations over one parameter, with a line for each policy and the confidence intervals of
 * means.csv. */
#ifndef FIGURE_SWEEP_CHART_H
#define FIGURE_SWEEP_CHART_H

#include "common/error.h"
#include "tools/figure/chart.h"
#include "tools/figure/sweep_picture.h"

struct sweep_chart {
    struct sweep_picture picture;
    struct chart chart; /* has no series if no policy has a value */
    char title[256];
    char intervals[64]; /* meaning of the intervals */
};

/* Reads the chart of `measure`, a column without "_mean", over the column `over`, for the rows of
 * means.csv (`table`, lent) that have the other parameters of row `first`. Returns -1 with `error`;
 * even then sweep_chart_free must follow. */
int sweep_chart_read(struct sweep_chart *self, const struct result_table *table, const char *over,
                     const char *measure, size_t first, struct error *error);
void sweep_chart_free(struct sweep_chart *self);

/* The caption: the measure drawn, its simulations and the meaning of the intervals. The caller
 * frees the text. */
char *sweep_chart_caption(const struct sweep_chart *self);

#endif
