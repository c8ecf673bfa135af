/* style_marks.h - bars, lines and markers of a style, drawn. */
#ifndef FIGURE_STYLE_MARKS_H
#define FIGURE_STYLE_MARKS_H

#include "tools/figure/style.h"

#include <cairo.h>
#include <stdbool.h>

/* In this file `scale` is the scale of everything but data: 1 at a font size of 12 points. */

/* Draws a bar from its upper left corner, filled and hatched. */
void style_bar(cairo_t *cairo, const struct style *style, double scale, double x, double y,
               double width, double height);

/* Sets the pen of a line and begins a new path. */
void style_pen(cairo_t *cairo, const struct style *style, double scale, double width);

/* Draws the marker of a point. */
void style_point(cairo_t *cairo, const struct style *style, double scale, double x, double y);

/* An interval of values at `x`, in the colour of its style or black with a white border. An end
 * that lies outside of the plot has no cap. */
struct marks_interval {
    const struct style *style; /* NULL for black */
    double x;
    double low_y;
    double high_y;
    bool low_capped;
    bool high_capped;
    double cap; /* half of the cap's width */
};
void style_interval(cairo_t *cairo, double scale, const struct marks_interval *interval);

/* Marks of published values that are visible on every colour: a white line with a black core, and a
 * circle. */
void style_published_tick(cairo_t *cairo, double scale, double x, double y, double width);
void style_published_circle(cairo_t *cairo, const struct style *style, double scale, double x,
                            double y);

#endif
