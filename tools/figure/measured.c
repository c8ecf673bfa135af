/* measured.c - see measured.h. */
#include "tools/figure/measured.h"

#include "common/memory.h"
#include "tools/statistics/student.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_BYTES 4096

/* The plot scripts leave out a row that is less than EFFICIENCY_APART_S after the row before. */
#define EFFICIENCY_APART_S 2400
#define BIN_S              600

struct measuring {
    struct measured *measured;
    const struct experiment *experiment;
    const figure_runs_t *runs;
};

bool measured_is_over_time(const struct experiment *experiment)
{
    return experiment->shows == SHOWS_GPUS || experiment->shows == SHOWS_JOBS ||
           experiment->shows == SHOWS_EFFICIENCY;
}

bool measured_is_of_overheads(const struct experiment *experiment)
{
    return experiment->shows == SHOWS_PRE_RUNS || experiment->shows == SHOWS_CHANGES;
}

/* ---- tables ---- */

/* The number of jobs with a deadline, as the policy counts them. */
static int64_t counted(const struct cell *cell)
{
    return cell->figures.accepted + cell->figures.declined;
}

static double share(const struct cell *cell)
{
    return counted(cell) > 0 ? (double)cell->figures.accepted / (double)counted(cell) : NAN;
}

/* Finds the mean JCT under gandiva in the setting and with the seed. */
static int find_reference(const struct measuring *self, size_t setting, size_t seed,
                          double *reference_s, struct error *error)
{
    *reference_s = NAN;
    for (size_t i = 0; i < self->experiment->series_count; i++) {
        const struct cell *cell = figure_runs_cell(self->runs, i, setting, seed);

        if (cell && !strcmp(cell->simulation.policy, "gandiva"))
            return result_best_effort_jct(&cell->simulation, reference_s, error);
    }
    return 0;
}

static int find_value(const struct measuring *self, const struct cell *cell, double reference_s,
                      double *value, struct error *error)
{
    double mean_s;

    if (self->experiment->shows != SHOWS_JCT_LINE) {
        *value = share(cell);
        return 0;
    }
    if (result_best_effort_jct(&cell->simulation, &mean_s, error) < 0)
        return -1;
    *value = reference_s / mean_s;
    return 0;
}

static int measure_setting(const struct measuring *self, size_t setting, double *values,
                           struct error *error)
{
    struct measured *measured = self->measured;
    const size_t seeds = measured->seeds;

    for (size_t seed = 0; seed < seeds; seed++) {
        double reference_s = NAN;

        if (self->experiment->shows == SHOWS_JCT_LINE &&
            find_reference(self, setting, seed, &reference_s, error) < 0)
            return -1;
        for (size_t i = 0; i < self->experiment->series_count; i++) {
            const struct cell *cell = figure_runs_cell(self->runs, i, setting, seed);

            values[i * seeds + seed] = NAN;
            if (!cell)
                continue;
            measured->accepted[i][setting] += cell->figures.accepted;
            measured->jobs[i][setting] += counted(cell);
            if (find_value(self, cell, reference_s, &values[i * seeds + seed], error) < 0)
                return -1;
        }
    }
    return 0;
}

static int measure_table(const struct measuring *self, struct error *error)
{
    struct measured *measured = self->measured;
    const size_t seeds = measured->seeds;
    double *values = xcalloc(self->experiment->series_count * seeds, sizeof(*values));
    int status = 0;

    for (size_t k = 0; k < self->experiment->setting_count && status == 0; k++) {
        status = measure_setting(self, k, values, error);
        for (size_t i = 0; i < self->experiment->series_count && status == 0; i++) {
            const struct estimate estimate =
                student_estimate(&values[i * seeds], seeds, FIGURE_CONFIDENCE / 100.0);

            measured->mean[i][k] = estimate.mean;
            measured->half[i][k] = estimate.half;
        }
    }
    free(values);
    return status;
}

/* ---- curves ---- */

static struct result_curve *add_curve(struct measured *self, const char *name, const char *policy)
{
    self->curve_names[self->curve_count] = name;
    self->curve_policies[self->curve_count] = policy;
    return &self->curves[self->curve_count++];
}

static int measure_jobs(const struct measuring *self, struct error *error)
{
    const struct simulation *simulation = &figure_runs_cell(self->runs, 0, 0, 0)->simulation;
    struct measured *measured = self->measured;
    char jobs[PATH_BYTES];
    int64_t start_s;

    (void)snprintf(jobs, sizeof(jobs), "%s/jobs.csv", simulation->log_path);
    if (result_start(simulation->log_path, &start_s, error) < 0 ||
        curve_count(add_curve(measured, "submitted", NULL), simulation->trace, start_s, BIN_S,
                    error) < 0 ||
        curve_count(add_curve(measured, "accepted", NULL), jobs, start_s, BIN_S, error) < 0)
        return -1;
    return curve_read(add_curve(measured, "running", NULL), simulation->log_path, "jobs_running",
                      start_s, BIN_S, error);
}

static int read_curve(struct result_curve *curve, const struct cell *cell, const char *column,
                      int64_t apart_s, struct error *error)
{
    int64_t start_s;

    if (result_start(cell->simulation.log_path, &start_s, error) < 0)
        return -1;
    return curve_read(curve, cell->simulation.log_path, column, start_s, apart_s, error);
}

/* The value at `x` of a curve whose values hold until the next x: 0 after its end. */
static double value_at(const struct result_curve *curve, double x)
{
    size_t low = 0;
    size_t high = curve->count;

    if (high == 0 || x < curve->x[0] || x > curve->x[high - 1])
        return 0;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        if (curve->x[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return curve->y[low];
}

/* Averages the curves of all seeds at equally spaced x. */
static void average(struct measured *measured, const struct result_curve seeds[], size_t at,
                    double x_max, double apart)
{
    double *values = xcalloc(measured->seeds, sizeof(*values));

    for (int step = 0; step * apart <= x_max; step++) {
        struct estimate estimate;

        for (size_t i = 0; i < measured->seeds; i++)
            values[i] = value_at(&seeds[i], step * apart);
        estimate = student_estimate(values, measured->seeds, FIGURE_CONFIDENCE / 100.0);
        curve_add(&measured->curves[at], step * apart, estimate.mean);
        curve_add(&measured->halves[at], step * apart, estimate.half);
    }
    free(values);
}

static int measure_seeds(const struct measuring *self, size_t series, const char *column,
                         int64_t apart_s, struct error *error)
{
    struct measured *measured = self->measured;
    struct result_curve *seeds = xcalloc(measured->seeds, sizeof(*seeds));
    int status = 0;

    for (size_t i = 0; i < measured->seeds && status >= 0; i++)
        status =
            read_curve(&seeds[i], figure_runs_cell(self->runs, series, 0, i), column, 0, error);
    if (status >= 0)
        average(measured, seeds, measured->curve_count - 1, self->experiment->x_max,
                (double)apart_s / 3600);
    for (size_t i = 0; i < measured->seeds; i++)
        curve_free(&seeds[i]);
    free(seeds);
    return status;
}

static int measure_curves(const struct measuring *self, const char *column, int64_t apart_s,
                          struct error *error)
{
    for (size_t i = 0; i < self->experiment->series_count; i++) {
        const struct experiment_series *series = &self->experiment->series[i];
        struct result_curve *curve;
        int status;

        if (!series->policy)
            continue;
        curve = add_curve(self->measured, series->name, series->policy);
        status =
            self->measured->seeds > 1
                ? measure_seeds(self, i, column, apart_s, error)
                : read_curve(curve, figure_runs_cell(self->runs, i, 0, 0), column, apart_s, error);
        if (status < 0)
            return -1;
    }
    return 0;
}

/* ---- all ---- */

static int measure_overheads(struct measured *self, const struct overheads *overheads)
{
    memcpy(self->mean, overheads->seconds, sizeof(self->mean));
    for (size_t i = 0; i < EXPERIMENT_SERIES_MAX; i++)
        for (size_t k = 0; k < EXPERIMENT_SETTINGS_MAX; k++)
            self->half[i][k] = NAN;
    return 0;
}

int measured_find(struct measured *self, const struct experiment *experiment,
                  const figure_runs_t *runs, const struct overheads *overheads, size_t seeds,
                  struct error *error)
{
    const struct measuring measuring = {self, experiment, runs};

    *self = (struct measured){.seeds = seeds};
    switch (experiment->shows) {
    case SHOWS_SHARE:
    case SHOWS_SHARE_LINE:
    case SHOWS_JCT_LINE:
        return measure_table(&measuring, error);
    case SHOWS_GPUS:
        return measure_curves(&measuring, "gpus_used", 0, error);
    case SHOWS_JOBS:
        return measure_jobs(&measuring, error);
    case SHOWS_EFFICIENCY:
        return measure_curves(&measuring, "efficiency", EFFICIENCY_APART_S, error);
    case SHOWS_PRE_RUNS:
    case SHOWS_CHANGES:
        return measure_overheads(self, overheads);
    }
    return 0;
}

void measured_free(struct measured *self)
{
    for (size_t i = 0; i < self->curve_count; i++) {
        curve_free(&self->curves[i]);
        curve_free(&self->halves[i]);
    }
}
