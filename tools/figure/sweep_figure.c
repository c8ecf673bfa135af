/* sweep_figure.c - see sweep_figure.h. */
#include "tools/figure/sweep_figure.h"

#include "common/memory.h"
#include "common/output.h"
#include "tools/figure/figure_files.h"
#include "tools/figure/style.h"
#include "tools/figure/sweep_picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_BYTES 4096

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

struct drawing {
    const struct sweep_figure_setting *setting;
    const char *measure;
    size_t number; /* of the picture, from 1 on; 0: there is no other */
    struct sweep_picture picture;
    char title[256];
};

/* ---- files ---- */

static void write_number(output_t *out, double value)
{
    output_char(out, ',');
    if (!isnan(value))
        output_format(out, "%.6g", value);
}

static void write_data(const struct drawing *self, output_t *out)
{
    output_format(out, "%s,policy,mean,half\n", self->setting->over);
    for (size_t k = 0; k < self->picture.at_count; k++)
        for (size_t i = 0; i < self->picture.policy_count; i++) {
            output_format(out, "%s,%s", self->picture.labels[k], self->picture.policies[i]);
            write_number(out, self->picture.mean[i * self->picture.at_count + k]);
            write_number(out, self->picture.half[i * self->picture.at_count + k]);
            output_char(out, '\n');
        }
}

static void write_seeds(const struct drawing *self, output_t *out)
{
    if (self->picture.seeds_max < 2) {
        output_text(out, " One seed: there are no intervals.");
        return;
    }
    output_format(out, " Values are means over %g", self->picture.seeds_min);
    if (self->picture.seeds_max > self->picture.seeds_min)
        output_format(out, " to %g", self->picture.seeds_max);
    output_format(out, " seeds; intervals hold the mean with a confidence of %g %% (Student's t).",
                  100 * self->picture.confidence);
    if (self->picture.seeds_min < 2)
        output_text(out, " A mean of one seed has none.");
}

static void write_caption(const struct drawing *self, output_t *out)
{
    char *point =
        result_table_point(self->picture.table, self->picture.first, self->picture.columns.over);
    const char *comma = self->picture.columns.of_promises ? " Without a promise:" : " No value of:";

    output_format(out, "%s. Simulated: %s.", self->title, point);
    write_seeds(self, out);
    for (size_t i = 0; i < self->picture.policy_count; i++)
        if (!sweep_picture_has(&self->picture, i)) {
            output_format(out, "%s %s", comma, self->picture.policies[i]);
            comma = ",";
        }
    output_text(out, *comma == ',' ? ".\n" : "\n");
    free(point);
}

static int draw(const struct drawing *self, output_t *files[], struct error *error)
{
    const struct style *styles[CHART_SERIES_MAX];
    char intervals[64];
    struct chart chart = {
        .kind = CHART_LINES,
        .title = self->title,
        .x_label = over_label(self->setting->over),
        .y_label = measure_label(self->measure),
        .interval_label = intervals,
        .categories = self->picture.labels,
        .category_at = self->picture.at,
        .category_count = self->picture.at_count,
        .y_max = chart_axis_end(self->picture.highest > 0 ? self->picture.highest : 1)};

    (void)snprintf(intervals, sizeof(intervals), "%g %%, n = %g", 100 * self->picture.confidence,
                   self->picture.seeds_max);
    if (self->picture.seeds_max > self->picture.seeds_min)
        (void)snprintf(intervals, sizeof(intervals), "%g %%, n = %g to %g",
                       100 * self->picture.confidence, self->picture.seeds_min,
                       self->picture.seeds_max);
    styles_of(self->picture.policies, self->picture.policy_count, styles);
    for (size_t i = 0; i < self->picture.policy_count; i++)
        if (sweep_picture_has(&self->picture, i))
            chart.series[chart.series_count++] =
                (struct chart_series){.name = self->picture.policies[i],
                                      .style = styles[i],
                                      .y = &self->picture.mean[i * self->picture.at_count],
                                      .half = self->picture.seeds_max > 1
                                                  ? &self->picture.half[i * self->picture.at_count]
                                                  : NULL};
    return figure_files_draw(files, &chart, &self->setting->look, error);
}

static int write_picture(struct drawing *self, struct error *error)
{
    output_t *files[FIGURE_FILES];
    char stem[PATH_BYTES];
    char number[24] = "";

    if (self->number > 0)
        (void)snprintf(number, sizeof(number), "-%zu", self->number);
    (void)snprintf(stem, sizeof(stem), "%s/sweep-%s%s", self->setting->output, self->measure,
                   number);
    if (figure_files_open(files, stem, error) < 0 || draw(self, files, error) < 0) {
        figure_files_destroy(files);
        return -1;
    }
    write_data(self, files[FIGURE_DATA]);
    write_caption(self, files[FIGURE_CAPTION]);
    if (output_commit_all(files, FIGURE_FILES, error) < 0)
        return -1;
    printf("%s over %s: %s.svg, .png, .pdf, .csv, .txt\n", self->measure, self->setting->over,
           stem);
    return 0;
}

/* ---- all pictures ---- */

static bool has_any(const struct drawing *self)
{
    for (size_t i = 0; i < self->picture.policy_count; i++)
        if (sweep_picture_has(&self->picture, i))
            return true;
    return false;
}

static int make_picture(struct drawing *self, struct error *error)
{
    int status;

    (void)snprintf(self->title, sizeof(self->title), "%s over %s", measure_label(self->measure),
                   self->setting->over);
    for (char *c = self->title; *c; c++)
        *c = (char)(*c == '_' ? ' ' : *c);
    status = sweep_picture_read(&self->picture, error);
    if (status == 0 && has_any(self))
        status = write_picture(self, error);
    else if (status == 0)
        printf("%s: no policy has a value to draw\n", self->measure);
    sweep_picture_free(&self->picture);
    return status;
}

/* Whether no row before `row` is at its point. */
static bool is_first(const struct result_table *table, size_t row, size_t over)
{
    for (size_t i = 0; i < row; i++)
        if (result_table_same_point(table, i, row, over))
            return false;
    return true;
}

static int make_measure(const struct sweep_figure_setting *setting,
                        const struct result_table *table, const char *measure, struct error *error)
{
    struct sweep_columns columns;
    size_t points = 0;
    size_t number = 0;

    if (sweep_columns_find(&columns, table, setting->over, measure, error) < 0)
        return -1;
    for (size_t row = 0; row < table->row_count; row++)
        points += is_first(table, row, columns.over);
    for (size_t row = 0; row < table->row_count; row++) {
        struct drawing drawing = {
            .setting = setting,
            .measure = measure,
            .number = points > 1 ? number + 1 : 0,
            .picture = {.table = table, .columns = columns, .first = row},
        };

        if (!is_first(table, row, columns.over))
            continue;
        if (make_picture(&drawing, error) < 0)
            return -1;
        number++;
    }
    return 0;
}

int sweep_figure_make(const struct sweep_figure_setting *setting, struct error *error)
{
    struct result_table table;
    char *measures = xstrdup(setting->measures);
    char *rest = measures;
    int made;
    int status = result_table_open(&table, setting->results, "means.csv", error);

    if (status == 0) {
        if (table.row_count == 0)
            status = error_set(error, "%s: has no rows: no cell of the sweep is done", table.path);
        made = status == 0 ? output_make_folder(setting->output, error) : 0;
        if (made < 0)
            status = -1;
        while (status == 0 && rest)
            status = make_measure(setting, &table, strsep(&rest, ","), error);
        if (status < 0 && made > 0)
            output_remove_folders(setting->output, made);
        result_table_close(&table);
    }
    free(measures);
    return status;
}
