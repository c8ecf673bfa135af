/* figure.c - see figure.h. */
#include "tools/figure/figure.h"

#include "common/output.h"
#include "tools/figure/chart.h"
#include "tools/figure/overheads.h"
#include "tools/figure/result_curves.h"
#include "tools/figure/runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PATH_BYTES 4096

/* A difference that is seen in the picture. */
#define VISIBLE 0.02

/* The plot scripts leave out rows closer than this to the one before. */
#define EFFICIENCY_APART_S 2400
#define BIN_S              600

struct drawing {
    const struct experiment *experiment;
    const struct figure_setting *setting;
    const figure_runs_t *runs;  /* NULL of a figure of overheads */
    struct overheads overheads; /* of such a figure */
    double measured[EXPERIMENT_SERIES_MAX][EXPERIMENT_SETTINGS_MAX];
    struct curve curves[EXPERIMENT_SERIES_MAX];
    const char *curve_names[EXPERIMENT_SERIES_MAX];
    size_t curve_styles[EXPERIMENT_SERIES_MAX];
    size_t curve_count;
};

static bool is_over_time(const struct experiment *experiment)
{
    return experiment->shows == SHOWS_GPUS || experiment->shows == SHOWS_JOBS ||
           experiment->shows == SHOWS_EFFICIENCY;
}

static bool is_of_overheads(const struct experiment *experiment)
{
    return experiment->shows == SHOWS_PRE_RUNS || experiment->shows == SHOWS_CHANGES;
}

static double published(const struct experiment *experiment, size_t series, size_t setting)
{
    return experiment->published ? experiment->published[series][setting] : NAN;
}

/* ---- what is measured ---- */

/* Jobs with a deadline, as the policy counts them. */
static int64_t counted(const struct cell *cell)
{
    return cell->figures.accepted + cell->figures.declined;
}

static double share(const struct cell *cell)
{
    return counted(cell) > 0 ? (double)cell->figures.accepted / (double)counted(cell) : NAN;
}

static int measure_jct(struct drawing *self, struct error *error)
{
    const struct experiment *experiment = self->experiment;

    for (size_t k = 0; k < experiment->setting_count; k++) {
        double reference_s = NAN;

        for (size_t i = 0; i < experiment->series_count; i++) {
            const struct cell *cell = figure_runs_cell(self->runs, i, k);
            double *mean_s = &self->measured[i][k];

            *mean_s = NAN;
            if (cell && result_best_effort_jct(&cell->simulation, mean_s, error) < 0)
                return -1;
            if (cell && !strcmp(cell->simulation.policy, "gandiva"))
                reference_s = *mean_s;
        }
        for (size_t i = 0; i < experiment->series_count; i++)
            self->measured[i][k] = reference_s / self->measured[i][k];
    }
    return 0;
}

static void measure_shares(struct drawing *self)
{
    for (size_t i = 0; i < self->experiment->series_count; i++)
        for (size_t k = 0; k < self->experiment->setting_count; k++) {
            const struct cell *cell = figure_runs_cell(self->runs, i, k);

            self->measured[i][k] = cell ? share(cell) : NAN;
        }
}

static struct curve *add_curve(struct drawing *self, const char *name, size_t style)
{
    self->curve_names[self->curve_count] = name;
    self->curve_styles[self->curve_count] = style;
    return &self->curves[self->curve_count++];
}

static int measure_jobs(struct drawing *self, struct error *error)
{
    const struct simulation *simulation = &figure_runs_cell(self->runs, 0, 0)->simulation;
    char jobs[PATH_BYTES];
    int64_t start_s;

    (void)snprintf(jobs, sizeof(jobs), "%s/jobs.csv", simulation->log_path);
    if (result_start(simulation->log_path, &start_s, error) < 0 ||
        curve_count(add_curve(self, "submitted", 0), simulation->trace, start_s, BIN_S, error) <
            0 ||
        curve_count(add_curve(self, "accepted", 6), jobs, start_s, BIN_S, error) < 0)
        return -1;
    return curve_read(add_curve(self, "running", 5), simulation->log_path, "jobs_running", start_s,
                      BIN_S, error);
}

static int measure_curves(struct drawing *self, const char *column, int64_t apart_s,
                          struct error *error)
{
    for (size_t i = 0; i < self->experiment->series_count; i++) {
        const struct cell *cell = figure_runs_cell(self->runs, i, 0);
        int64_t start_s;

        if (!cell)
            continue;
        if (result_start(cell->simulation.log_path, &start_s, error) < 0 ||
            curve_read(add_curve(self, self->experiment->series[i].name, i),
                       cell->simulation.log_path, column, start_s, apart_s, error) < 0)
            return -1;
    }
    return 0;
}

static int measure(struct drawing *self, struct error *error)
{
    switch (self->experiment->shows) {
    case SHOWS_SHARE:
    case SHOWS_SHARE_LINE:
        measure_shares(self);
        return 0;
    case SHOWS_JCT_LINE:
        return measure_jct(self, error);
    case SHOWS_GPUS:
        return measure_curves(self, "gpus_used", 0, error);
    case SHOWS_JOBS:
        return measure_jobs(self, error);
    case SHOWS_EFFICIENCY:
        return measure_curves(self, "efficiency", EFFICIENCY_APART_S, error);
    case SHOWS_PRE_RUNS:
    case SHOWS_CHANGES:
        memcpy(self->measured, self->overheads.seconds, sizeof(self->measured));
        return 0;
    }
    return 0;
}

/* ---- data ---- */

static void write_number(output_t *out, double value)
{
    output_char(out, ',');
    if (!isnan(value))
        output_format(out, "%.6g", value);
}

static void write_row(const struct drawing *self, output_t *out, size_t series, size_t setting)
{
    const struct experiment *experiment = self->experiment;
    const struct cell *cell = self->runs ? figure_runs_cell(self->runs, series, setting) : NULL;

    output_format(out, "%s,%s", experiment->settings[setting].label,
                  experiment->series[series].name);
    write_number(out, self->measured[series][setting]);
    write_number(out, published(experiment, series, setting));
    if (!self->runs)
        output_format(out, ",%d,%.6g\n", self->overheads.starts[series][setting],
                      self->overheads.own_s[series][setting]);
    else if (cell)
        output_format(out, ",%" PRId64 ",%" PRId64 "\n", cell->figures.accepted, counted(cell));
    else
        output_text(out, ",,\n");
}

static void write_table(const struct drawing *self, output_t *out)
{
    output_text(out, self->runs ? "setting,policy,measured,published,accepted,jobs\n"
                                : "setting,series,measured,published,starts,overhead\n");
    for (size_t k = 0; k < self->experiment->setting_count; k++)
        for (size_t i = 0; i < self->experiment->series_count; i++)
            write_row(self, out, i, k);
}

static void write_curves(const struct drawing *self, output_t *out)
{
    output_text(out, "series,hours,value\n");
    for (size_t i = 0; i < self->curve_count; i++)
        for (size_t k = 0; k < self->curves[i].count; k++)
            output_format(out, "%s,%.6g,%.6g\n", self->curve_names[i], self->curves[i].x[k],
                          self->curves[i].y[k]);
}

static void write_data(const struct drawing *self, output_t *out)
{
    if (is_over_time(self->experiment))
        write_curves(self, out);
    else
        write_table(self, out);
}

/* ---- picture ---- */

static void chart_curves(const struct drawing *self, struct chart *chart)
{
    chart->kind = CHART_STEPS;
    chart->x_max = self->experiment->x_max;
    chart->series_count = self->curve_count;
    for (size_t i = 0; i < self->curve_count; i++)
        chart->series[i] = (struct chart_series){.name = self->curve_names[i],
                                                 .style = self->curve_styles[i],
                                                 .x = self->curves[i].x,
                                                 .y = self->curves[i].y,
                                                 .count = self->curves[i].count};
}

/* Whether there is anything to draw of the series. */
static bool is_known(const struct drawing *self, size_t series)
{
    for (size_t k = 0; k < self->experiment->setting_count; k++)
        if (!isnan(self->measured[series][k]) || !isnan(published(self->experiment, series, k)))
            return true;
    return false;
}

static void chart_table(const struct drawing *self, const char *labels[], struct chart *chart)
{
    const struct experiment *experiment = self->experiment;

    chart->kind =
        experiment->shows == SHOWS_SHARE || is_of_overheads(experiment) ? CHART_BARS : CHART_LINES;
    chart->categories = labels;
    chart->category_count = experiment->setting_count;
    for (size_t k = 0; k < experiment->setting_count; k++)
        labels[k] = experiment->settings[k].label;
    for (size_t i = 0; i < experiment->series_count; i++)
        if (is_known(self, i))
            chart->series[chart->series_count++] = (struct chart_series){
                .name = experiment->series[i].name,
                .style = i,
                .y = self->measured[i],
                .published = experiment->published ? experiment->published[i] : NULL};
}

static int draw(const struct drawing *self, output_t *pictures[], struct error *error)
{
    const struct experiment *experiment = self->experiment;
    const char *labels[EXPERIMENT_SETTINGS_MAX];
    struct chart chart = {.title = experiment->title,
                          .x_label = experiment->x_label,
                          .y_label = experiment->y_label,
                          .y_min = experiment->y_min,
                          .y_max = experiment->y_max};

    if (is_over_time(experiment))
        chart_curves(self, &chart);
    else
        chart_table(self, labels, &chart);
    for (enum image_format format = 0; format < IMAGE_FORMATS; format++)
        if (chart_write(&chart, format, pictures[format], error) < 0)
            return -1;
    return 0;
}

/* ---- files ---- */

/* The pictures by their format, and the data. */
enum { DATA = IMAGE_FORMATS, FILES };

static int open_files(output_t *files[], const char *stem, struct error *error)
{
    for (int i = 0; i < FILES; i++) {
        char path[PATH_BYTES + 8];

        (void)snprintf(path, sizeof(path), "%s.%s", stem,
                       i == DATA ? "csv" : image_ending((enum image_format)i));
        files[i] = output_new(path, error);
        if (!files[i])
            return -1;
    }
    return 0;
}

/* All of them, or none. */
static int write_files(const struct drawing *self, const char *stem, struct error *error)
{
    output_t *files[FILES] = {NULL};

    if (open_files(files, stem, error) == 0 && draw(self, files, error) == 0) {
        write_data(self, files[DATA]);
        return output_commit_all(files, FILES, error);
    }
    for (size_t i = 0; i < FILES; i++)
        output_destroy(&files[i]);
    return -1;
}

/* ---- what is said ---- */

static void say_value(const struct drawing *self, size_t series, size_t setting)
{
    const struct experiment *experiment = self->experiment;
    const struct experiment_series *of = &experiment->series[series];
    const char *label = experiment->settings[setting].label;
    const double value = self->measured[series][setting];
    const double wanted = published(experiment, series, setting);
    const char *cause;

    if (isnan(value) || isnan(wanted) || fabs(value - wanted) < VISIBLE)
        return;
    cause = experiment_difference(experiment->figure, of->policy, label);
    printf("  %-18s%-14s %.3f, published %.3f%s%s\n", of->name, label, value, wanted,
           cause ? ": " : "", cause ? cause : "");
}

static void say(const struct drawing *self, const char *stem)
{
    const struct experiment *experiment = self->experiment;
    size_t compared = 0;
    size_t alike = 0;

    printf("figure %s: %s.svg, .png, .pdf, .csv\n", experiment->figure, stem);
    for (size_t k = 0; experiment->published && k < experiment->setting_count; k++)
        for (size_t i = 0; i < experiment->series_count; i++) {
            const double gap = fabs(self->measured[i][k] - published(experiment, i, k));

            compared += isnan(gap) ? 0 : 1;
            alike += gap < VISIBLE;
            say_value(self, i, k);
        }
    if (compared > 0)
        printf("  %zu of %zu published values are met to within %g\n", alike, compared, VISIBLE);
}

static int show(struct drawing *self, struct error *error)
{
    char stem[PATH_BYTES];

    (void)snprintf(stem, sizeof(stem), "%s/figure%s", self->setting->output,
                   self->experiment->figure);
    if (measure(self, error) < 0 || write_files(self, stem, error) < 0)
        return -1;
    say(self, stem);
    return 0;
}

static int show_runs(struct drawing *self, struct error *error)
{
    const struct experiment *experiment = self->experiment;
    const bool keeps = is_over_time(experiment) || experiment->shows == SHOWS_JCT_LINE;
    bool stopped = false;
    figure_runs_t *runs = figure_runs_new(experiment, self->setting, keeps, &stopped, error);
    int status;

    if (!runs)
        return stopped ? 1 : -1;
    self->runs = runs;
    status = show(self, error);
    for (size_t i = 0; i < self->curve_count; i++)
        curve_free(&self->curves[i]);
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

    if (output_make_folder(setting->output, error) < 0)
        return -1;
    return is_of_overheads(experiment) ? show_overheads(&self, error) : show_runs(&self, error);
}
