/* style_marks.c - see style_marks.h. */
#include "tools/figure/style_marks.h"

#include <math.h>

#define DARK      50.0 /* lightness below which hatching is white */
#define POINT_PTS 3.6  /* half of a marker's width */

static void set_colour(cairo_t *cairo, const struct style *style)
{
    cairo_set_source_rgb(cairo, style->red, style->green, style->blue);
}

/* ---- bars ---- */

struct box {
    double x, y, width, height;
};

/* Adds slanted lines of the hatching: x + y is constant along a line, or x - y if the line
 * falls. */
static void add_slanted(cairo_t *cairo, const struct box *box, double apart, bool falls)
{
    for (int i = 1; i * apart < box->width + box->height; i++) {
        const double at = i * apart;

        cairo_move_to(cairo, box->x + at, falls ? box->y + box->height : box->y);
        cairo_line_to(cairo, box->x + at - box->height, falls ? box->y : box->y + box->height);
    }
}

static void add_level(cairo_t *cairo, const struct box *box, double apart)
{
    for (int i = 1; i * apart < box->height; i++) {
        const double at = i * apart;

        cairo_move_to(cairo, box->x, box->y + box->height - at);
        cairo_line_to(cairo, box->x + box->width, box->y + box->height - at);
    }
}

static void add_upright(cairo_t *cairo, const struct box *box, double apart)
{
    for (int i = 0; (i + 0.5) * apart < box->width; i++) {
        const double at = (i + 0.5) * apart;

        cairo_move_to(cairo, box->x + at, box->y);
        cairo_line_to(cairo, box->x + at, box->y + box->height);
    }
}

static void add_hatching(cairo_t *cairo, const struct style *style, const struct box *box,
                         double apart)
{
    if (style->hatch == HATCH_RISING || style->hatch == HATCH_CROSSED)
        add_slanted(cairo, box, apart, false);
    if (style->hatch == HATCH_FALLING || style->hatch == HATCH_CROSSED)
        add_slanted(cairo, box, apart, true);
    if (style->hatch == HATCH_LEVEL || style->hatch == HATCH_SQUARES)
        add_level(cairo, box, apart);
    if (style->hatch == HATCH_UPRIGHT || style->hatch == HATCH_SQUARES)
        add_upright(cairo, box, apart);
}

void style_bar(cairo_t *cairo, const struct style *style, double scale, double x, double y,
               double width, double height)
{
    const struct box box = {x, y, width, height};
    const double grey = style_lightness(style) < DARK ? 1 : 0.15;

    cairo_save(cairo);
    cairo_set_dash(cairo, NULL, 0, 0);
    cairo_rectangle(cairo, x, y, width, height);
    set_colour(cairo, style);
    cairo_fill_preserve(cairo);
    cairo_clip_preserve(cairo);
    cairo_set_source_rgb(cairo, 0.15, 0.15, 0.15);
    cairo_set_line_width(cairo, 0.8 * scale);
    cairo_stroke(cairo);
    cairo_set_source_rgb(cairo, grey, grey, grey);
    cairo_set_line_width(cairo, 0.6 * scale);
    add_hatching(cairo, style, &box, style->apart * scale);
    cairo_stroke(cairo);
    cairo_restore(cairo);
}

/* ---- lines ---- */

void style_pen(cairo_t *cairo, const struct style *style, double scale, double width)
{
    double dashes[STYLE_DASHES];

    for (int i = 0; i < STYLE_DASHES; i++)
        dashes[i] = style->dashes[i] * scale;
    cairo_new_path(cairo); /* drops the point at which a text ended */
    set_colour(cairo, style);
    cairo_set_line_width(cairo, width * scale);
    cairo_set_dash(cairo, dashes, dashes[0] > 0 ? STYLE_DASHES : 0, 0);
}

static void add_corners(cairo_t *cairo, double x, double y, double radius, int corners,
                        double first)
{
    cairo_new_sub_path(cairo);
    for (int i = 0; i < corners; i++) {
        const double turn = (first + (double)i / corners) * 2 * M_PI;

        cairo_line_to(cairo, x + radius * cos(turn), y + radius * sin(turn));
    }
    cairo_close_path(cairo);
}

/* Adds strokes through the point. */
static void add_spokes(cairo_t *cairo, double x, double y, double radius, int lines, double first)
{
    for (int i = 0; i < lines; i++) {
        const double turn = (first + (double)i / lines / 2) * 2 * M_PI;

        cairo_move_to(cairo, x - radius * cos(turn), y - radius * sin(turn));
        cairo_line_to(cairo, x + radius * cos(turn), y + radius * sin(turn));
    }
}

static void add_marker(cairo_t *cairo, enum marker marker, double x, double y, double radius)
{
    switch (marker) {
    case MARKER_DISC:
        cairo_new_sub_path(cairo);
        cairo_arc(cairo, x, y, radius, 0, 2 * M_PI);
        break;
    case MARKER_SQUARE:
        add_corners(cairo, x, y, radius * 1.25, 4, 0.125);
        break;
    case MARKER_DIAMOND:
        add_corners(cairo, x, y, radius * 1.3, 4, 0);
        break;
    case MARKER_TRIANGLE:
        add_corners(cairo, x, y, radius * 1.3, 3, 0.75);
        break;
    case MARKER_WEDGE:
        add_corners(cairo, x, y, radius * 1.3, 3, 0.25);
        break;
    case MARKER_PLUS:
        add_spokes(cairo, x, y, radius * 1.2, 2, 0);
        break;
    case MARKER_CROSS:
        add_spokes(cairo, x, y, radius * 1.3, 2, 0.125);
        break;
    case MARKER_STAR:
        add_spokes(cairo, x, y, radius * 1.3, 3, 0.25);
        break;
    }
}

void style_point(cairo_t *cairo, const struct style *style, double scale, double x, double y)
{
    const bool strokes = style->marker >= MARKER_PLUS;

    cairo_save(cairo);
    cairo_new_path(cairo);
    cairo_set_dash(cairo, NULL, 0, 0);
    add_marker(cairo, style->marker, x, y, POINT_PTS * scale);
    if (strokes && style->hollow)
        add_marker(cairo, MARKER_DISC, x, y, POINT_PTS * 0.6 * scale);
    if (!strokes) {
        if (style->hollow)
            cairo_set_source_rgb(cairo, 1, 1, 1);
        else
            set_colour(cairo, style);
        cairo_fill_preserve(cairo);
    }
    set_colour(cairo, style);
    cairo_set_line_width(cairo, 1.3 * scale);
    cairo_stroke(cairo);
    cairo_restore(cairo);
}

/* ---- intervals and published values ---- */

void style_interval(cairo_t *cairo, double scale, const struct marks_interval *interval)
{
    cairo_save(cairo);
    cairo_set_dash(cairo, NULL, 0, 0);
    cairo_new_path(cairo);
    cairo_move_to(cairo, interval->x, interval->low_y);
    cairo_line_to(cairo, interval->x, interval->high_y);
    for (int high = 0; high < 2; high++) {
        const double y = high ? interval->high_y : interval->low_y;

        if (!(high ? interval->high_capped : interval->low_capped))
            continue;
        cairo_move_to(cairo, interval->x - interval->cap, y);
        cairo_line_to(cairo, interval->x + interval->cap, y);
    }
    if (interval->style) {
        set_colour(cairo, interval->style);
    } else {
        cairo_set_source_rgb(cairo, 1, 1, 1);
        cairo_set_line_width(cairo, 2.4 * scale);
        cairo_stroke_preserve(cairo);
        cairo_set_source_rgb(cairo, 0, 0, 0);
    }
    cairo_set_line_width(cairo, 0.9 * scale);
    cairo_stroke(cairo);
    cairo_restore(cairo);
}

void style_published_tick(cairo_t *cairo, double scale, double x, double y, double width)
{
    for (int core = 0; core < 2; core++) {
        cairo_set_source_rgb(cairo, !core, !core, !core);
        cairo_set_line_width(cairo, (core ? 1.6 : 4) * scale);
        cairo_move_to(cairo, x, y);
        cairo_line_to(cairo, x + width, y);
        cairo_stroke(cairo);
    }
}

void style_published_circle(cairo_t *cairo, const struct style *style, double scale, double x,
                            double y)
{
    cairo_save(cairo);
    cairo_set_dash(cairo, NULL, 0, 0);
    cairo_new_path(cairo);
    cairo_arc(cairo, x, y, 5 * scale, 0, 2 * M_PI);
    set_colour(cairo, style);
    cairo_set_line_width(cairo, 1.2 * scale);
    cairo_stroke(cairo);
    cairo_restore(cairo);
}
