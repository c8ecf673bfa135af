/* chart.c - see chart.h.
 *
 * Source of the colours: Okabe and Ito, Color Universal Design, 2008. */
#include "tools/figure/chart.h"

#include <assert.h>
#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* In points. */
#define WIDTH       900.0
#define HEIGHT      400.0
#define LEFT        70.0
#define RIGHT       150.0
#define TOP         40.0
#define BOTTOM      60.0
#define PLOT_WIDTH  (WIDTH - LEFT - RIGHT)
#define PLOT_HEIGHT (HEIGHT - TOP - BOTTOM)
#define GROUP_PART  0.86 /* of the width of a category, which its bars fill */

static const double colours[CHART_SERIES_MAX][3] = {
    {0.60, 0.60, 0.60}, {0.90, 0.62, 0.00}, {0.34, 0.71, 0.91},
    {0.00, 0.62, 0.45}, {0.80, 0.47, 0.65}, {0.00, 0.45, 0.70},
    {0.84, 0.37, 0.00}, {0.94, 0.89, 0.26}, {0.00, 0.00, 0.00},
};

/* Lengths of dashes and gaps of lines; bars have stripes at these distances, 0 for none. */
static const double dashes[CHART_SERIES_MAX][4] = {
    {8, 4, 8, 4}, {2, 3, 2, 3}, {8, 3, 2, 3}, {5, 5, 5, 5},  {12, 3, 12, 3},
    {1, 0, 1, 0}, {1, 0, 1, 0}, {4, 2, 4, 2}, {10, 2, 2, 2},
};
static const double stripes[CHART_SERIES_MAX] = {4, 7, 0, 5, 9, 0, 3, 6, 8};

static void set_colour(cairo_t *cairo, size_t series)
{
    cairo_set_source_rgb(cairo, colours[series][0], colours[series][1], colours[series][2]);
}

static double x_of(const struct chart *chart, double x)
{
    return LEFT + PLOT_WIDTH * x / chart->x_max;
}

/* Of the height of the plot. */
static double height_of(const struct chart *chart, double y)
{
    const double shown = fmax(fmin(y, chart->y_max), chart->y_min);

    if (chart->y_min > 0)
        return PLOT_HEIGHT * log(shown / chart->y_min) / log(chart->y_max / chart->y_min);
    return PLOT_HEIGHT * shown / chart->y_max;
}

static double y_of(const struct chart *chart, double y)
{
    return TOP + PLOT_HEIGHT - height_of(chart, y);
}

/* ---- axes ---- */

/* The distance of some five grid lines: 1, 2 or 5 times a power of ten. */
static double grid_step(double max)
{
    const double rough = max / 5;
    const double power = pow(10, floor(log10(rough)));

    for (int i = 1; i <= 5; i += i == 2 ? 3 : 1)
        if (i != 3 && i != 4 && power * i >= rough * 0.999)
            return power * i;
    return power * 10;
}

static void draw_y_line(cairo_t *cairo, const struct chart *chart, double value)
{
    const double y = y_of(chart, value);
    char text[32];

    cairo_set_source_rgb(cairo, 0.85, 0.85, 0.85);
    cairo_move_to(cairo, LEFT, y);
    cairo_line_to(cairo, LEFT + PLOT_WIDTH, y);
    cairo_stroke(cairo);
    cairo_set_source_rgb(cairo, 0, 0, 0);
    (void)snprintf(text, sizeof(text), "%g", value);
    image_text(cairo, LEFT - 6, y + 4, ALIGN_RIGHT, text);
}

static void draw_y_grid(cairo_t *cairo, const struct chart *chart)
{
    const double step = grid_step(chart->y_max);

    if (chart->y_min > 0)
        for (int i = 0; chart->y_min * pow(10, i) <= chart->y_max * 1.0001; i++)
            draw_y_line(cairo, chart, chart->y_min * pow(10, i));
    else
        for (int i = 0; step * i <= chart->y_max * 1.0001; i++)
            draw_y_line(cairo, chart, step * i);
}

static double category_x(const struct chart *chart, size_t category)
{
    return LEFT + PLOT_WIDTH * ((double)category + 0.5) / (double)chart->category_count;
}

static void draw_x_axis(cairo_t *cairo, const struct chart *chart)
{
    const double y = TOP + PLOT_HEIGHT + 18;
    const double step = chart->kind == CHART_STEPS ? grid_step(chart->x_max) : 0;
    char text[32];

    for (int i = 0; step > 0 && step * i <= chart->x_max * 1.0001; i++) {
        (void)snprintf(text, sizeof(text), "%g", step * i);
        image_text(cairo, x_of(chart, step * i), y, ALIGN_CENTRE, text);
    }
    for (size_t i = 0; step == 0 && i < chart->category_count; i++)
        image_text(cairo, category_x(chart, i), y, ALIGN_CENTRE, chart->categories[i]);
    image_text(cairo, LEFT + PLOT_WIDTH / 2, y + 24, ALIGN_CENTRE, chart->x_label);
}

static void draw_axes(cairo_t *cairo, const struct chart *chart)
{
    cairo_set_line_width(cairo, 1);
    draw_y_grid(cairo, chart);
    draw_x_axis(cairo, chart);
    cairo_move_to(cairo, LEFT, TOP);
    cairo_line_to(cairo, LEFT, TOP + PLOT_HEIGHT);
    cairo_line_to(cairo, LEFT + PLOT_WIDTH, TOP + PLOT_HEIGHT);
    cairo_stroke(cairo);
    image_text(cairo, LEFT, TOP - 16, ALIGN_LEFT, chart->title);
    cairo_save(cairo);
    cairo_translate(cairo, 20, TOP + PLOT_HEIGHT / 2);
    cairo_rotate(cairo, -M_PI / 2);
    image_text(cairo, 0, 0, ALIGN_CENTRE, chart->y_label);
    cairo_restore(cairo);
}

/* ---- bars ---- */

static void draw_bar(cairo_t *cairo, size_t series, double x, double y, double width, double height)
{
    cairo_save(cairo);
    cairo_rectangle(cairo, x, y, width, height);
    set_colour(cairo, series);
    cairo_fill_preserve(cairo);
    cairo_clip_preserve(cairo);
    cairo_set_source_rgb(cairo, 0.15, 0.15, 0.15);
    cairo_set_line_width(cairo, 0.8);
    cairo_stroke(cairo);
    cairo_set_line_width(cairo, 0.6);
    for (double at = stripes[series]; stripes[series] > 0 && at < width + height;
         at += stripes[series]) {
        cairo_move_to(cairo, x + at, y);
        cairo_line_to(cairo, x, y + at);
    }
    cairo_stroke(cairo);
    cairo_restore(cairo);
}

/* A white line with a black core, so that it shows on every colour. */
static void draw_published_tick(cairo_t *cairo, double x, double y, double width)
{
    for (int core = 0; core < 2; core++) {
        cairo_set_source_rgb(cairo, !core, !core, !core);
        cairo_set_line_width(cairo, core ? 1.6 : 4);
        cairo_move_to(cairo, x, y);
        cairo_line_to(cairo, x + width, y);
        cairo_stroke(cairo);
    }
}

static void draw_bars_of(cairo_t *cairo, const struct chart *chart, size_t index)
{
    const struct chart_series *series = &chart->series[index];
    const double group = GROUP_PART * PLOT_WIDTH / (double)chart->category_count;
    const double width = group / (double)chart->series_count;

    for (size_t i = 0; i < chart->category_count; i++) {
        const double x = category_x(chart, i) - group / 2 + width * (double)index;

        if (!isnan(series->y[i]))
            draw_bar(cairo, series->style, x, y_of(chart, series->y[i]), width,
                     height_of(chart, series->y[i]));
        if (series->published && !isnan(series->published[i]))
            draw_published_tick(cairo, x, y_of(chart, series->published[i]), width);
    }
}

/* ---- lines ---- */

static void set_pen(cairo_t *cairo, size_t series)
{
    cairo_new_path(cairo); /* a text ends in a point */
    set_colour(cairo, series);
    cairo_set_line_width(cairo, 2);
    cairo_set_dash(cairo, dashes[series], dashes[series][1] > 0 ? 4 : 0, 0);
}

static void draw_circle(cairo_t *cairo, double x, double y)
{
    cairo_set_dash(cairo, NULL, 0, 0);
    cairo_set_line_width(cairo, 1.2);
    cairo_new_sub_path(cairo);
    cairo_arc(cairo, x, y, 3.5, 0, 2 * M_PI);
    cairo_stroke(cairo);
}

static void draw_line_of(cairo_t *cairo, const struct chart *chart, size_t index)
{
    const struct chart_series *series = &chart->series[index];

    set_pen(cairo, chart->series[index].style);
    for (size_t i = 0; i < chart->category_count; i++)
        if (!isnan(series->y[i]))
            cairo_line_to(cairo, category_x(chart, i), y_of(chart, series->y[i]));
    cairo_stroke(cairo);
    for (size_t i = 0; series->published && i < chart->category_count; i++)
        if (!isnan(series->published[i]))
            draw_circle(cairo, category_x(chart, i), y_of(chart, series->published[i]));
}

static void draw_steps_of(cairo_t *cairo, const struct chart *chart, size_t index)
{
    const struct chart_series *series = &chart->series[index];

    cairo_save(cairo);
    cairo_rectangle(cairo, LEFT, TOP - 2, PLOT_WIDTH, PLOT_HEIGHT + 4);
    cairo_clip(cairo);
    set_pen(cairo, chart->series[index].style);
    cairo_set_line_width(cairo, 1.2);
    for (size_t i = 0; i < series->count; i++) {
        if (i > 0)
            cairo_line_to(cairo, x_of(chart, series->x[i]), y_of(chart, series->y[i - 1]));
        cairo_line_to(cairo, x_of(chart, series->x[i]), y_of(chart, series->y[i]));
    }
    cairo_stroke(cairo);
    cairo_restore(cairo);
}

static void draw_series(cairo_t *cairo, const struct chart *chart, size_t index)
{
    switch (chart->kind) {
    case CHART_BARS:
        draw_bars_of(cairo, chart, index);
        break;
    case CHART_LINES:
        draw_line_of(cairo, chart, index);
        break;
    case CHART_STEPS:
        draw_steps_of(cairo, chart, index);
        break;
    }
}

/* ---- legend ---- */

static bool has_published(const struct chart *chart)
{
    for (size_t i = 0; i < chart->series_count; i++)
        if (chart->series[i].published)
            return true;
    return false;
}

static void draw_sample(cairo_t *cairo, const struct chart *chart, size_t index, double x, double y)
{
    if (chart->kind == CHART_BARS) {
        draw_bar(cairo, chart->series[index].style, x, y - 9, 24, 11);
        return;
    }
    set_pen(cairo, chart->series[index].style);
    cairo_move_to(cairo, x, y - 4);
    cairo_line_to(cairo, x + 24, y - 4);
    cairo_stroke(cairo);
    cairo_set_dash(cairo, NULL, 0, 0);
}

static void draw_legend(cairo_t *cairo, const struct chart *chart)
{
    const double x = LEFT + PLOT_WIDTH + 14;
    double y = TOP + 12;

    for (size_t i = 0; i < chart->series_count; i++, y += 20) {
        draw_sample(cairo, chart, i, x, y);
        cairo_set_source_rgb(cairo, 0, 0, 0);
        image_text(cairo, x + 30, y, ALIGN_LEFT, chart->series[i].name);
    }
    if (!has_published(chart))
        return;
    if (chart->kind == CHART_BARS)
        draw_published_tick(cairo, x, y - 4, 24);
    else
        draw_circle(cairo, x + 12, y - 4);
    cairo_set_source_rgb(cairo, 0, 0, 0);
    image_text(cairo, x + 30, y, ALIGN_LEFT, "published");
}

static void draw(cairo_t *cairo, const struct chart *chart)
{
    cairo_set_source_rgb(cairo, 0, 0, 0);
    draw_axes(cairo, chart);
    for (size_t i = 0; i < chart->series_count; i++)
        draw_series(cairo, chart, i);
    draw_legend(cairo, chart);
}

int chart_write(const struct chart *chart, enum image_format format, output_t *out,
                struct error *error)
{
    struct image image;
    cairo_t *cairo;

    assert(chart->series_count <= CHART_SERIES_MAX);
    assert(chart->y_max > 0);
    cairo = image_open(&image, format, WIDTH, HEIGHT);
    draw(cairo, chart);
    return image_write(&image, out, error);
}
