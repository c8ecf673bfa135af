/* chart_layout.c - see chart_layout.h. */
#include "tools/figure/chart_layout.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FONT_WIDE    12.0
#define FONT_NARROW  8.0
#define WIDE_FROM_PT 480.0

/* A letter's usual width, a digit's width and the height of a line, as parts of the font size. */
#define LETTER 0.53
#define DIGIT  0.64
#define LINE   1.35

/* Sine of the angle by which names of categories are turned. */
#define TURN_SINE 0.58

bool chart_has_published(const struct chart *chart)
{
    for (size_t i = 0; i < chart->series_count; i++)
        if (chart->series[i].published)
            return true;
    return false;
}

bool chart_has_intervals(const struct chart *chart)
{
    for (size_t i = 0; i < chart->series_count; i++)
        if (chart->series[i].half)
            return true;
    return false;
}

static double text_width(const struct chart_layout *self, const char *text)
{
    return (double)strlen(text) * LETTER * self->font_pt;
}

/* Breaks the title at blanks into lines of `width`. */
static void break_title(struct chart_layout *self, const char *title, double width)
{
    const size_t room =
        (size_t)fmin(fmax(width / (LETTER * self->font_pt), 16), LAYOUT_TITLE_BYTES - 1);

    while (*title && self->title_lines < LAYOUT_TITLE_LINES) {
        size_t length = strlen(title);

        if (length > room) {
            length = room;
            while (length > 1 && title[length] != ' ')
                length--;
        }
        (void)snprintf(self->title[self->title_lines++], LAYOUT_TITLE_BYTES, "%.*s", (int)length,
                       title);
        title += length + strspn(title + length, " ");
    }
}

static double longest_category(const struct chart_layout *self, const struct chart *chart)
{
    double longest = 0;

    for (size_t i = 0; i < chart->category_count; i++)
        longest = fmax(longest, text_width(self, chart->categories[i]));
    return longest;
}

/* The left edge of the plot, to the right of the label and the grid values of the y axis. */
static double left_of(const struct chart_layout *self, const struct chart *chart, double usual)
{
    const double step = chart_grid_step(chart->y_max);
    double longest = 0;
    char text[32];

    for (int i = 0; chart->y_min <= 0 && step * i <= chart->y_max * 1.0001; i++)
        longest = fmax(longest, snprintf(text, sizeof(text), "%g", step * i));
    return fmax(usual * self->scale, 30 * self->scale + longest * DIGIT * self->font_pt);
}

static double longest_entry(const struct chart_layout *self, const struct chart *chart)
{
    double longest = 0;

    for (size_t i = 0; i < chart->series_count; i++)
        longest = fmax(longest, text_width(self, chart->series[i].name));
    if (chart_has_published(chart))
        longest = fmax(longest, text_width(self, chart->published_label));
    if (chart_has_intervals(chart))
        longest = fmax(longest, text_width(self, chart->interval_label));
    return longest;
}

static size_t count_entries(const struct chart *chart)
{
    return chart->series_count + chart_has_published(chart) + chart_has_intervals(chart);
}

/* Lays out a wide chart: the legend to the right of the plot, the title above the plot. */
static void lay_out_wide(struct chart_layout *self, const struct chart *chart, double right)
{
    self->left = left_of(self, chart, 70);
    self->plot_width = self->width - self->left - right;
    self->top =
        (self->title_lines > 0 ? 24 : 10) * self->scale + self->title_lines * LINE * self->font_pt;
    self->legend_x = self->left + self->plot_width + 14 * self->scale;
    self->legend_y = self->top + 12 * self->scale;
    self->legend_columns = 1;
    self->plot_height = fmax(self->width / 3, (double)count_entries(chart) * 20 * self->scale);
}

/* Lays out a narrow chart: the legend below the title and above the plot. */
static void lay_out_narrow(struct chart_layout *self, const struct chart *chart)
{
    const size_t entries = count_entries(chart);
    const double room = self->width - 8 * self->scale;
    size_t rows;

    self->legend_cell = longest_entry(self, chart) + 40 * self->scale;
    self->legend_columns = (size_t)fmax(1, floor(room / self->legend_cell));
    rows = (entries + self->legend_columns - 1) / self->legend_columns;
    self->legend_x = 6 * self->scale;
    self->legend_y = (self->title_lines + 1) * LINE * self->font_pt;
    self->left = left_of(self, chart, 62);
    self->plot_width = self->width - self->left - 10 * self->scale;
    self->top = self->legend_y + ((double)rows - 0.2) * LINE * self->font_pt;
    self->plot_height = 0.5 * self->width;
}

struct chart_layout chart_layout_of(const struct chart *chart, const struct chart_look *look)
{
    const bool wide = look->width_pt >= WIDE_FROM_PT;
    struct chart_layout self = {.width = look->width_pt};
    double right;
    double names;

    self.font_pt = look->font_pt > 0 ? look->font_pt : wide ? FONT_WIDE : FONT_NARROW;
    self.scale = self.font_pt / FONT_WIDE;
    right = fmax(150 * self.scale, longest_entry(&self, chart) + 50 * self.scale);
    if (!look->untitled)
        break_title(&self, chart->title, self.width - (wide ? 80 : 12) * self.scale);
    if (wide)
        lay_out_wide(&self, chart, right);
    else
        lay_out_narrow(&self, chart);
    names = longest_category(&self, chart);
    self.turned = chart->kind != CHART_STEPS && chart->category_count > 1 &&
                  names > self.plot_width / (double)chart->category_count;
    self.height = self.top + self.plot_height + 24 * self.scale +
                  (self.turned ? names * TURN_SINE : 0) +
                  (*chart->x_label ? 2 * LINE * self.font_pt : 0) + 4 * self.scale;
    return self;
}

double chart_grid_step(double max)
{
    const double rough = max / 5;
    const double power = pow(10, floor(log10(rough)));

    for (int i = 1; i <= 5; i += i == 2 ? 3 : 1)
        if (power * i >= rough * 0.999)
            return power * i;
    return power * 10;
}

double chart_axis_end(double most)
{
    const double step = chart_grid_step(most > 0 ? most : 1);

    return step * fmax(1, ceil(most / step - 1e-9));
}
