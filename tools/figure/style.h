/* style.h - the look of a series: a policy has the same style in every figure.
 *
 * Any two styles differ in lightness, in dashes and in hatching, and any two styles of the table in
 * markers too, so that readers can tell series apart in a figure printed in grey. The styles of
 * policies without a row in the table of style.c follow from their names. */
#ifndef FIGURE_STYLE_H
#define FIGURE_STYLE_H

#include <stddef.h>

#define STYLES_MAX   22
#define STYLE_DASHES 4

enum hatch {
    HATCH_NONE,
    HATCH_RISING,
    HATCH_FALLING,
    HATCH_CROSSED,
    HATCH_LEVEL,
    HATCH_UPRIGHT,
    HATCH_SQUARES,
};

enum marker {
    MARKER_DISC,
    MARKER_SQUARE,
    MARKER_DIAMOND,
    MARKER_TRIANGLE,
    MARKER_WEDGE, /* a triangle pointing down */
    MARKER_PLUS,
    MARKER_CROSS,
    MARKER_STAR,
};

struct style {
    double red, green, blue;
    double dashes[STYLE_DASHES]; /* dash and gap in turn, in points; {0} is a solid line */
    enum hatch hatch;
    double apart; /* distance of hatching lines in points; 0: no hatching */
    enum marker marker;
    int hollow; /* whether the marker is an outline */
};

/* The styles of a figure's series by the names of their policies, all different. A name without a
 * row in the table, such as that of a user's program, takes one of the other styles: the style that
 * its letters select, or the next free one. At most STYLES_MAX names. */
void styles_of(const char *const names[], size_t count, const struct style *styles[]);

/* A style of no known policy, for series without a policy; `index` is taken modulo the number of
 * such styles. */
const struct style *style_of_no_policy(size_t index);

/* The style at `index`; `*policy` becomes its policy, or NULL for none. For tests. */
const struct style *style_at(size_t index, const char **policy);

/* CIE 1976 lightness of the colour, from 0 (black) to 100. */
double style_lightness(const struct style *self);

#endif
