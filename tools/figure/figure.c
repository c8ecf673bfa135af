/* figure.c - see figure.h. */
#include "tools/figure/figure.h"

#include "common/output.h"
#include "tools/figure/account.h"
#include "tools/figure/chart.h"
#include "tools/figure/figure_files.h"
#include "tools/figure/measured.h"
#include "tools/figure/overheads.h"
#include "tools/figure/runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PATH_BYTES 4096

struct drawing {
    const struct experiment *experiment;
    const struct figure_setting *setting;
    const figure_runs_t *runs;  /* NULL for a figure of overheads */
    struct overheads overheads; /* only for a figure of overheads */
    struct measured measured;
    struct account account;
    double published[EXPERIMENT_SERIES_MAX][EXPERIMENT_SETTINGS_MAX];
};

/* ---- data ---- */

static void write_number(output_t *out, double value)
{
    output_char(out, ',');
    if (!isnan(value))
        output_format(out, "%.6g", value);
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void write_row(const struct drawing *self, output_t *out, size_t series, size_t setting)
{
    const struct measured *measured = &self->measured;

    output_format(out, "%s,%s", self->experiment->settings[setting].label,
                  self->experiment->series[series].name);
    write_number(out, measured->mean[series][setting]);
    write_number(out, self->published[series][setting]);
    if (!self->runs) {
        output_format(out, ",%d,%.6g\n", self->overheads.starts[series][setting],
                      self->overheads.own_s[series][setting]);
        return;
    }
    if (!self->experiment->series[series].policy) {
        output_text(out, ",,,,,\n");
        return;
    }
    output_format(out, ",%" PRId64 ",%" PRId64 ",%zu", measured->accepted[series][setting],
                  measured->jobs[series][setting], measured->seeds);
    write_number(out, measured->half[series][setting]);
    output_format(out, ",%s\n", name_of(figure_runs_trace(self->runs, setting)));
}

static void write_table(const struct drawing *self, output_t *out)
{
    output_text(out, self->runs
                         ? "setting,policy,measured,published,accepted,jobs,seeds,half,trace\n"
                         : "setting,series,measured,published,starts,overhead\n");
    for (size_t k = 0; k < self->experiment->setting_count; k++)
        for (size_t i = 0; i < self->experiment->series_count; i++)
            write_row(self, out, i, k);
}

static void write_curves(const struct drawing *self, output_t *out)
{
    const struct measured *measured = &self->measured;

    output_text(out, measured->seeds > 1 ? "series,hours,value,half\n" : "series,hours,value\n");
    for (size_t i = 0; i < measured->curve_count; i++)
        for (size_t k = 0; k < measured->curves[i].count; k++) {
            output_format(out, "%s,%.6g,%.6g", measured->curve_names[i], measured->curves[i].x[k],
                          measured->curves[i].y[k]);
            if (measured->seeds > 1)
                output_format(out, ",%.6g", measured->halves[i].y[k]);
            output_char(out, '\n');
        }
}

static void write_data(const struct drawing *self, output_t *out)
{
    if (measured_is_over_time(self->experiment))
        write_curves(self, out);
    else
        write_table(self, out);
}

/* ---- picture ---- */

static void chart_curves(const struct drawing *self, struct chart *chart)
{
    const struct measured *measured = &self->measured;
    const struct style *styles[EXPERIMENT_SERIES_MAX];

    chart->kind = CHART_STEPS;
    chart->x_max = self->experiment->x_max;
    chart->series_count = measured->curve_count;
    if (measured->curve_policies[0])
        styles_of(measured->curve_policies, measured->curve_count, styles);
    for (size_t i = 0; i < measured->curve_count; i++)
        chart->series[i] = (struct chart_series){
            .name = measured->curve_names[i],
            .style = measured->curve_policies[0] ? styles[i] : style_of_no_policy(3 * i),
            .x = measured->curves[i].x,
            .y = measured->curves[i].y,
            .half = measured->seeds > 1 ? measured->halves[i].y : NULL,
            .count = measured->curves[i].count};
}

/* Whether the series has a published value or, unless `published` is set, a measured value. */
static bool is_known(const struct drawing *self, size_t series, bool published)
{
    for (size_t k = 0; k < self->experiment->setting_count; k++)
        if ((!published && !isnan(self->measured.mean[series][k])) ||
            !isnan(self->published[series][k]))
            return true;
    return false;
}

/* Finds the styles of the series. A policy with published values only has a style by its name, a
 * model has a style of no policy. */
static void find_styles(const struct experiment *experiment, const struct style *styles[])
{
    const char *names[EXPERIMENT_SERIES_MAX];

    for (size_t i = 0; i < experiment->series_count; i++)
        names[i] = experiment->series[i].policy ? experiment->series[i].policy
                                                : experiment->series[i].name;
    styles_of(names, experiment->series_count, styles);
    for (size_t i = 0; i < experiment->series_count && measured_is_of_overheads(experiment); i++)
        styles[i] = style_of_no_policy(i);
}

static void chart_table(const struct drawing *self, const char *labels[], struct chart *chart)
{
    const struct experiment *experiment = self->experiment;
    const struct measured *measured = &self->measured;
    const struct style *styles[EXPERIMENT_SERIES_MAX];

    chart->kind = experiment->shows == SHOWS_SHARE || measured_is_of_overheads(experiment)
                      ? CHART_BARS
                      : CHART_LINES;
    chart->categories = labels;
    chart->category_count = experiment->setting_count;
    for (size_t k = 0; k < experiment->setting_count; k++)
        labels[k] = experiment->settings[k].label;
    find_styles(experiment, styles);
    for (size_t i = 0; i < experiment->series_count; i++)
        if (is_known(self, i, false))
            chart->series[chart->series_count++] = (struct chart_series){
                .name = experiment->series[i].name,
                .style = styles[i],
                .y = measured->mean[i],
                .half = measured->seeds > 1 ? measured->half[i] : NULL,
                .published = is_known(self, i, true) ? self->published[i] : NULL};
}

static int draw(const struct drawing *self, output_t *files[], struct error *error)
{
    const struct experiment *experiment = self->experiment;
    const char *labels[EXPERIMENT_SETTINGS_MAX];
    struct chart chart = {.title = self->account.title,
                          .x_label = experiment->x_label,
                          .y_label = experiment->y_label,
                          .interval_label = self->account.intervals,
                          .published_label = account_published_label(&self->account),
                          .y_min = experiment->y_min,
                          .y_max = experiment->y_max};

    if (measured_is_over_time(experiment))
        chart_curves(self, &chart);
    else
        chart_table(self, labels, &chart);
    return figure_files_draw(files, &chart, &self->setting->look, error);
}

/* ---- files ---- */

/* Writes all files of the figure, or none. */
static int write_files(const struct drawing *self, const char *stem, struct error *error)
{
    output_t *files[FIGURE_FILES];

    if (figure_files_open(files, stem, self->setting->forced, error) == 0 &&
        draw(self, files, error) == 0) {
        write_data(self, files[FIGURE_DATA]);
        account_write_caption(&self->account, files[FIGURE_CAPTION]);
        return output_commit_all(files, FIGURE_FILES, error);
    }
    figure_files_destroy(files);
    return -1;
}

static void name_stem(char stem[PATH_BYTES], const struct experiment *experiment,
                      const struct figure_setting *setting)
{
    (void)snprintf(stem, PATH_BYTES, "%s/figure%s", setting->output, experiment->figure);
}

int figure_check(const struct experiment *experiment, const struct figure_setting *setting,
                 struct error *error)
{
    char stem[PATH_BYTES];

    name_stem(stem, experiment, setting);
    return setting->forced ? 0 : figure_files_check(stem, error);
}

static int show(struct drawing *self, struct error *error)
{
    const struct experiment *experiment = self->experiment;
    char stem[PATH_BYTES];
    int status = measured_find(&self->measured, experiment, self->runs, &self->overheads,
                               self->setting->seeds, error);

    name_stem(stem, experiment, self->setting);
    if (status == 0) {
        account_of(&self->account, experiment, self->setting, &self->measured, self->runs);
        for (size_t i = 0; i < experiment->series_count; i++)
            for (size_t k = 0; k < experiment->setting_count; k++)
                self->published[i][k] = account_published(&self->account, i, k);
        status = write_files(self, stem, error);
    }
    if (status == 0)
        account_print(&self->account, stem);
    measured_free(&self->measured);
    return status;
}

static int show_runs(struct drawing *self, struct error *error)
{
    const struct experiment *experiment = self->experiment;
    const bool keeps = measured_is_over_time(experiment) || experiment->shows == SHOWS_JCT_LINE;
    bool stopped = false;
    figure_runs_t *runs = figure_runs_new(experiment, self->setting, keeps, &stopped, error);
    int status;

    if (!runs)
        return stopped ? 1 : -1;
    self->runs = runs;
    status = show(self, error);
    figure_runs_destroy(&runs);
    return status;
}

static int show_overheads(struct drawing *self, struct error *error)
{
    const int status = overheads_measure(self->experiment, self->setting, &self->overheads, error);

    return status == 0 ? show(self, error) : status;
}

int figure_make(const struct experiment *experiment, const struct figure_setting *setting,
                struct error *error)
{
    struct drawing self = {.experiment = experiment, .setting = setting};
    const int made = output_make_folder(setting->output, error);
    int status;

    if (made < 0)
        return -1;
    status = measured_is_of_overheads(experiment) ? show_overheads(&self, error)
                                                  : show_runs(&self, error);
    if (status != 0)
        output_remove_folders(setting->output, made);
    return status;
}
