/* sweep_chart.c - see sweep_chart.h. */
#include "tools/figure/sweep_chart.h"

#include "tools/figure/chart_layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *measure_label(const char *measure)
{
    static const struct {
        const char *measure;
        const char *label;
    } labels[] = {
        {"on_time", "Jobs on time"},    {"promised", "Jobs promised"},
        {"broken", "Promises broken"},  {"deadline_satisfaction", "Deadline satisfactory ratio"},
        {"jct_mean_s", "Mean JCT (s)"}, {"gpu_utilisation", "GPU utilisation"}};

    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
        if (!strcmp(labels[i].measure, measure))
            return labels[i].label;
    return measure;
}

static const char *over_label(const char *over)
{
    static const struct {
        const char *over;
        const char *label;
    } labels[] = {{"load", "Load"},
                  {"slot_s", "Slot (s)"},
                  {"tightness", "Deadline tightness"},
                  {"best_effort", "Best-effort share"},
                  {"overhead_factor", "Overhead factor"}};

    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
        if (!strcmp(labels[i].over, over))
            return labels[i].label;
    return over;
}

/* ---- the chart ---- */

static void name(struct sweep_chart *self, const char *over, const char *measure)
{
    const struct sweep_picture *picture = &self->picture;

    (void)snprintf(self->title, sizeof(self->title), "%s over %s", measure_label(measure), over);
    for (char *c = self->title; *c; c++)
        *c = (char)(*c == '_' ? ' ' : *c);
    if (picture->seeds_max > picture->seeds_min)
        (void)snprintf(self->intervals, sizeof(self->intervals), "%g %%, n = %g to %g",
                       100 * picture->confidence, picture->seeds_min, picture->seeds_max);
    else
        (void)snprintf(self->intervals, sizeof(self->intervals), "%g %%, n = %g",
                       100 * picture->confidence, picture->seeds_max);
}

static void add_series(struct sweep_chart *self)
{
    const struct sweep_picture *picture = &self->picture;
    const struct style *styles[CHART_SERIES_MAX];

    styles_of(picture->policies, picture->policy_count, styles);
    for (size_t i = 0; i < picture->policy_count; i++)
        if (sweep_picture_has(picture, i))
            self->chart.series[self->chart.series_count++] = (struct chart_series){
                .name = picture->policies[i],
                .style = styles[i],
                .y = &picture->mean[i * picture->at_count],
                .half = picture->seeds_max > 1 ? &picture->half[i * picture->at_count] : NULL};
}

int sweep_chart_read(struct sweep_chart *self, const struct result_table *table, const char *over,
                     const char *measure, size_t first, struct error *error)
{
    *self = (struct sweep_chart){.picture = {.table = table, .first = first}};
    if (sweep_columns_find(&self->picture.columns, table, over, measure, error) < 0 ||
        sweep_picture_read(&self->picture, error) < 0)
        return -1;
    name(self, over, measure);
    self->chart = (struct chart){
        .kind = CHART_LINES,
        .title = self->title,
        .x_label = over_label(over),
        .y_label = measure_label(measure),
        .interval_label = self->intervals,
        .categories = self->picture.labels,
        .category_at = self->picture.at,
        .category_count = self->picture.at_count,
        .y_max = chart_axis_end(self->picture.highest > 0 ? self->picture.highest : 1)};
    add_series(self);
    return 0;
}

void sweep_chart_free(struct sweep_chart *self)
{
    sweep_picture_free(&self->picture);
}

/* ---- the caption ---- */

static void write_seeds(const struct sweep_picture *picture, FILE *out)
{
    if (picture->seeds_max < 2) {
        (void)fputs(" One seed: there are no intervals.", out);
        return;
    }
    (void)fprintf(out, " Values are means over %g", picture->seeds_min);
    if (picture->seeds_max > picture->seeds_min)
        (void)fprintf(out, " to %g", picture->seeds_max);
    (void)fprintf(out, " seeds; intervals hold the mean with a confidence of %g %% (Student's t).",
                  100 * picture->confidence);
    if (picture->seeds_min < 2)
        (void)fputs(" A mean of one seed has none.", out);
}

char *sweep_chart_caption(const struct sweep_chart *self)
{
    const struct sweep_picture *picture = &self->picture;
    const char *comma = picture->columns.of_promises ? " Without a promise:" : " No value of:";
    char *point = result_table_point(picture->table, picture->first, picture->columns.over);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        abort();
    (void)fprintf(out, "%s. Simulated: %s.", self->title, point);
    write_seeds(picture, out);
    for (size_t i = 0; i < picture->policy_count; i++)
        if (!sweep_picture_has(picture, i)) {
            (void)fprintf(out, "%s %s", comma, picture->policies[i]);
            comma = ",";
        }
    if (*comma == ',')
        (void)fputc('.', out);
    (void)fclose(out);
    free(point);
    return text;
}
