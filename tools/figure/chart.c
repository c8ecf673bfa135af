/* chart.c - see chart.h. */
#include "tools/figure/chart.h"

#include "tools/figure/chart_layout.h"
#include "tools/figure/style_marks.h"

#include <assert.h>
#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define GROUP_PART 0.86 /* the part of a category's width that its bars fill */
#define TURN       0.62 /* the angle, in radians, of category names that do not fit */

/* The number of intervals on each curve over time. */
#define CURVE_INTERVALS 8

struct canvas {
    cairo_t *cairo;
    const struct chart *chart;
    struct chart_layout layout;
};

static double x_of(const struct canvas *self, double x)
{
    return self->layout.left + self->layout.plot_width * x / self->chart->x_max;
}

static double bottom_of(const struct canvas *self)
{
    return self->layout.top + self->layout.plot_height;
}

/* The height of the value `y` above the lower edge of the plot, in points. */
static double height_of(const struct canvas *self, double y)
{
    const struct chart *chart = self->chart;
    const double shown = fmax(fmin(y, chart->y_max), chart->y_min);

    if (chart->y_min > 0)
        return self->layout.plot_height * log(shown / chart->y_min) /
               log(chart->y_max / chart->y_min);
    return self->layout.plot_height * shown / chart->y_max;
}

static double y_of(const struct canvas *self, double y)
{
    return bottom_of(self) - height_of(self, y);
}

static void set_black(const struct canvas *self)
{
    cairo_set_source_rgb(self->cairo, 0, 0, 0);
}

/* ---- axes ---- */

static void draw_y_line(const struct canvas *self, double value)
{
    const struct chart_layout *layout = &self->layout;
    const double y = y_of(self, value);
    char text[32];

    cairo_set_source_rgb(self->cairo, 0.85, 0.85, 0.85);
    cairo_move_to(self->cairo, layout->left, y);
    cairo_line_to(self->cairo, layout->left + layout->plot_width, y);
    cairo_stroke(self->cairo);
    set_black(self);
    (void)snprintf(text, sizeof(text), "%g", value);
    image_text(self->cairo, layout->left - 6 * layout->scale, y + 4 * layout->scale, ALIGN_RIGHT,
               text);
}

static void draw_y_grid(const struct canvas *self)
{
    const struct chart *chart = self->chart;
    const double step = chart_grid_step(chart->y_max);

    if (chart->y_min > 0)
        for (int i = 0; chart->y_min * pow(10, i) <= chart->y_max * 1.0001; i++)
            draw_y_line(self, chart->y_min * pow(10, i));
    else
        for (int i = 0; step * i <= chart->y_max * 1.0001; i++)
            draw_y_line(self, step * i);
}

static double category_x(const struct canvas *self, size_t category)
{
    const struct chart *chart = self->chart;
    const size_t count = chart->category_count;
    double place = (double)category;

    if (chart->category_at && count > 1)
        place = (chart->category_at[category] - chart->category_at[0]) /
                (chart->category_at[count - 1] - chart->category_at[0]) * (double)(count - 1);
    return self->layout.left + self->layout.plot_width * (place + 0.5) / (double)count;
}

static void draw_turned(const struct canvas *self, double x, double y, const char *text)
{
    cairo_save(self->cairo);
    cairo_translate(self->cairo, x, y);
    cairo_rotate(self->cairo, -TURN);
    image_text(self->cairo, 0, 0, ALIGN_RIGHT, text);
    cairo_restore(self->cairo);
}

static void draw_categories(const struct canvas *self)
{
    const double scale = self->layout.scale;

    for (size_t i = 0; i < self->chart->category_count; i++)
        if (self->layout.turned)
            draw_turned(self, category_x(self, i) + 4 * scale, bottom_of(self) + 12 * scale,
                        self->chart->categories[i]);
        else
            image_text(self->cairo, category_x(self, i), bottom_of(self) + 18 * scale, ALIGN_CENTRE,
                       self->chart->categories[i]);
}

static void draw_x_axis(const struct canvas *self)
{
    const struct chart_layout *layout = &self->layout;
    const struct chart *chart = self->chart;
    const double step = chart->kind == CHART_STEPS ? chart_grid_step(chart->x_max) : 0;
    char text[32];

    for (int i = 0; step > 0 && step * i <= chart->x_max * 1.0001; i++) {
        (void)snprintf(text, sizeof(text), "%g", step * i);
        image_text(self->cairo, x_of(self, step * i), bottom_of(self) + 18 * layout->scale,
                   ALIGN_CENTRE, text);
    }
    if (step == 0)
        draw_categories(self);
    image_text(self->cairo, layout->left + layout->plot_width / 2,
               layout->height - 10 * layout->scale, ALIGN_CENTRE, chart->x_label);
}

static void draw_title(const struct canvas *self)
{
    const struct chart_layout *layout = &self->layout;
    const bool wide = layout->legend_columns == 1 && layout->legend_cell == 0;

    for (int i = 0; i < layout->title_lines; i++)
        image_text(self->cairo, wide ? layout->left : layout->legend_x,
                   (i + 1) * 1.35 * layout->font_pt + (wide ? 8 * layout->scale : 0), ALIGN_LEFT,
                   layout->title[i]);
}

static void draw_axes(const struct canvas *self)
{
    const struct chart_layout *layout = &self->layout;

    cairo_set_line_width(self->cairo, layout->scale);
    draw_y_grid(self);
    draw_x_axis(self);
    cairo_move_to(self->cairo, layout->left, layout->top);
    cairo_line_to(self->cairo, layout->left, bottom_of(self));
    cairo_line_to(self->cairo, layout->left + layout->plot_width, bottom_of(self));
    cairo_stroke(self->cairo);
    draw_title(self);
    cairo_save(self->cairo);
    cairo_translate(self->cairo, 18 * layout->scale, layout->top + layout->plot_height / 2);
    cairo_rotate(self->cairo, -M_PI / 2);
    image_text(self->cairo, 0, 0, ALIGN_CENTRE, self->chart->y_label);
    cairo_restore(self->cairo);
}

/* ---- series ---- */

/* Draws half of the interval around `y`; the half may end outside of the plot. */
static void draw_interval(const struct canvas *self, const struct style *style, double x, double y,
                          double half, double cap)
{
    const struct chart *chart = self->chart;

    if (isnan(y) || isnan(half))
        return;
    style_interval(self->cairo, self->layout.scale,
                   &(struct marks_interval){.style = style,
                                            .x = x,
                                            .low_y = y_of(self, y - half),
                                            .high_y = y_of(self, y + half),
                                            .low_capped = y - half >= chart->y_min,
                                            .high_capped = y + half <= chart->y_max,
                                            .cap = cap});
}

static void draw_bars_of(const struct canvas *self, size_t index)
{
    const struct chart *chart = self->chart;
    const struct chart_series *series = &chart->series[index];
    const double group = GROUP_PART * self->layout.plot_width / (double)chart->category_count;
    const double width = group / (double)chart->series_count;

    for (size_t i = 0; i < chart->category_count; i++) {
        const double x = category_x(self, i) - group / 2 + width * (double)index;

        if (!isnan(series->y[i]))
            style_bar(self->cairo, series->style, self->layout.scale, x, y_of(self, series->y[i]),
                      width, height_of(self, series->y[i]));
        if (series->published && !isnan(series->published[i]))
            style_published_tick(self->cairo, self->layout.scale, x,
                                 y_of(self, series->published[i]), width);
        if (series->half)
            draw_interval(self, NULL, x + width / 2, series->y[i], series->half[i], 0.25 * width);
    }
}

/* The shift of series `index`, by which intervals of several series at one place stand side by
 * side. */
static double beside(const struct canvas *self, size_t index)
{
    return ((double)index - 0.5 * (double)(self->chart->series_count - 1)) * 2.5 *
           self->layout.scale;
}

static void draw_line_of(const struct canvas *self, size_t index)
{
    const struct chart_series *series = &self->chart->series[index];
    const double scale = self->layout.scale;
    const double aside = series->half ? beside(self, index) : 0;

    style_pen(self->cairo, series->style, scale, 2);
    for (size_t i = 0; i < self->chart->category_count; i++)
        if (!isnan(series->y[i]))
            cairo_line_to(self->cairo, category_x(self, i) + aside, y_of(self, series->y[i]));
    cairo_stroke(self->cairo);
    for (size_t i = 0; i < self->chart->category_count; i++) {
        const double x = category_x(self, i) + aside;

        if (series->half)
            draw_interval(self, series->style, x, series->y[i], series->half[i], 2 * scale);
        if (!isnan(series->y[i]))
            style_point(self->cairo, series->style, scale, x, y_of(self, series->y[i]));
        if (series->published && !isnan(series->published[i]))
            style_published_circle(self->cairo, series->style, scale, x,
                                   y_of(self, series->published[i]));
    }
}

/* Draws the intervals of a curve. No two curves have an interval at the same x. */
static void draw_curve_intervals(const struct canvas *self, size_t index)
{
    const struct chart_series *series = &self->chart->series[index];
    const double part = (double)(index + 1) / (double)(self->chart->series_count + 1);

    for (int k = 0; k < CURVE_INTERVALS; k++) {
        const double at = self->chart->x_max * (k + part) / CURVE_INTERVALS;

        for (size_t i = 0; i + 1 < series->count; i++)
            if (series->x[i] <= at && at < series->x[i + 1])
                draw_interval(self, series->style, x_of(self, at), series->y[i], series->half[i],
                              2 * self->layout.scale);
    }
}

static void draw_steps_of(const struct canvas *self, size_t index)
{
    const struct chart_layout *layout = &self->layout;
    const struct chart_series *series = &self->chart->series[index];

    cairo_save(self->cairo);
    cairo_rectangle(self->cairo, layout->left, layout->top - 2, layout->plot_width,
                    layout->plot_height + 4);
    cairo_clip(self->cairo);
    style_pen(self->cairo, series->style, layout->scale, 1.2);
    for (size_t i = 0; i < series->count; i++) {
        if (i > 0)
            cairo_line_to(self->cairo, x_of(self, series->x[i]), y_of(self, series->y[i - 1]));
        cairo_line_to(self->cairo, x_of(self, series->x[i]), y_of(self, series->y[i]));
    }
    cairo_stroke(self->cairo);
    if (series->half)
        draw_curve_intervals(self, index);
    cairo_restore(self->cairo);
}

static void draw_series(const struct canvas *self, size_t index)
{
    switch (self->chart->kind) {
    case CHART_BARS:
        draw_bars_of(self, index);
        break;
    case CHART_LINES:
        draw_line_of(self, index);
        break;
    case CHART_STEPS:
        draw_steps_of(self, index);
        break;
    }
}

/* ---- legend ---- */

static void draw_sample(const struct canvas *self, const struct style *style, double x, double y)
{
    const double scale = self->layout.scale;

    if (self->chart->kind == CHART_BARS) {
        style_bar(self->cairo, style, scale, x, y - 9 * scale, 24 * scale, 11 * scale);
        return;
    }
    style_pen(self->cairo, style, scale, self->chart->kind == CHART_STEPS ? 1.2 : 2);
    cairo_move_to(self->cairo, x, y - 4 * scale);
    cairo_line_to(self->cairo, x + 24 * scale, y - 4 * scale);
    cairo_stroke(self->cairo);
    cairo_set_dash(self->cairo, NULL, 0, 0);
    if (self->chart->kind == CHART_LINES)
        style_point(self->cairo, style, scale, x + 12 * scale, y - 4 * scale);
}

static void draw_sample_published(const struct canvas *self, double x, double y)
{
    static const struct style black = {.red = 0};
    const double scale = self->layout.scale;

    if (self->chart->kind == CHART_BARS)
        style_published_tick(self->cairo, scale, x, y - 4 * scale, 24 * scale);
    else
        style_published_circle(self->cairo, &black, scale, x + 12 * scale, y - 4 * scale);
}

static void draw_sample_interval(const struct canvas *self, double x, double y)
{
    const double scale = self->layout.scale;

    style_interval(self->cairo, scale,
                   &(struct marks_interval){.x = x + 12 * scale,
                                            .low_y = y + 2 * scale,
                                            .high_y = y - 10 * scale,
                                            .low_capped = true,
                                            .high_capped = true,
                                            .cap = 3 * scale});
}

/* Finds the position of an entry of the legend. */
static void find_entry(const struct canvas *self, size_t entry, double *x, double *y)
{
    const struct chart_layout *layout = &self->layout;
    const size_t row = entry / layout->legend_columns;
    const double line = layout->legend_cell > 0 ? 1.35 * layout->font_pt : 20 * layout->scale;

    *x = layout->legend_x + layout->legend_cell * (double)(entry % layout->legend_columns);
    *y = layout->legend_y + line * (double)row;
}

static void draw_entry_name(const struct canvas *self, double x, double y, const char *name)
{
    set_black(self);
    image_text(self->cairo, x + 30 * self->layout.scale, y, ALIGN_LEFT, name);
}

static void draw_legend(const struct canvas *self)
{
    const struct chart *chart = self->chart;
    size_t entry = 0;
    double x;
    double y;

    for (size_t i = 0; i < chart->series_count; i++) {
        find_entry(self, entry++, &x, &y);
        draw_sample(self, chart->series[i].style, x, y);
        draw_entry_name(self, x, y, chart->series[i].name);
    }
    if (chart_has_published(chart)) {
        find_entry(self, entry++, &x, &y);
        draw_sample_published(self, x, y);
        draw_entry_name(self, x, y, chart->published_label);
    }
    if (chart_has_intervals(chart)) {
        find_entry(self, entry, &x, &y);
        draw_sample_interval(self, x, y);
        draw_entry_name(self, x, y, chart->interval_label);
    }
}

static void draw(const struct canvas *self)
{
    set_black(self);
    draw_axes(self);
    for (size_t i = 0; i < self->chart->series_count; i++)
        draw_series(self, i);
    draw_legend(self);
}

int chart_write(const struct chart *chart, const struct chart_look *look, enum image_format format,
                output_t *out, struct error *error)
{
    struct canvas self = {.chart = chart, .layout = chart_layout_of(chart, look)};
    struct image image;

    assert(chart->series_count <= CHART_SERIES_MAX);
    assert(chart->y_max > 0);
    self.cairo = image_open(&image, format, self.layout.width, self.layout.height, look->font,
                            self.layout.font_pt);
    draw(&self);
    return image_write(&image, out, error);
}
