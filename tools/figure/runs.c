/* runs.c - see runs.h. */
#include "tools/figure/runs.h"

#include "common/memory.h"
#include "common/output.h"
#include "scheduler/run/policy_values.h"
#include "tools/trace_tools/recipe.h"
#include "tools/trace_tools/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_BYTES 4096

struct figure_runs {
    const struct experiment *experiment;
    const struct figure_setting *setting;
    char (*traces)[PATH_BYTES]; /* paths of the traces, by setting, then seed */
    char (*results)[PATH_BYTES];
    struct cell *cells;
    size_t *place; /* index of the cell for a series, a setting and a seed; SIZE_MAX for none */
    size_t count;
    policy_values_t **fitted; /* policy values of the cells that --as-published fits */
    size_t fitted_count;
};

/* The recipe of the artifact's generator, whose mix of durations is in generate.c. */
static struct recipe recipe_of(const struct experiment *experiment, const struct drawn_jobs *drawn,
                               size_t seed)
{
    struct recipe recipe = recipe_default();

    recipe.jobs = drawn->jobs;
    recipe.gpu_type = experiment->gpu_type;
    recipe.setting.seed = (int64_t)seed + 1;
    recipe.setting.arrival_interval_s = drawn->gap_s;
    recipe.setting.duration_s = (struct option_range){600, 18974};
    recipe.setting.long_share = 0.2;
    recipe.setting.tightness = drawn->tightness;
    recipe.setting.gpus_mix = "1:83,2:3,4:3,8:10,16:1";
    recipe.setting.best_effort_share = drawn->best_effort_share;
    return recipe;
}

static int draw_trace(const struct recipe *recipe, const char *path, bool forced,
                      struct error *error)
{
    throughput_table_t *table = tables_read(NULL, recipe->gpu_type, error);
    output_t *output = table ? output_new(path, error) : NULL;
    int status = output ? recipe_write(recipe, table, ',', output, error) : -1;

    if (output)
        output_replace(output, forced);
    if (status == 0)
        status = output_commit(&output, error);
    output_destroy(&output);
    throughput_destroy(&table);
    return status;
}

/* Finds the trace of a setting and a seed, and draws a missing one. Settings that differ in the
 * cluster alone share a trace. */
static int find_trace(const figure_runs_t *self, size_t number, size_t seed, char *path,
                      struct error *error)
{
    const struct experiment *experiment = self->experiment;
    const struct experiment_setting *own = &experiment->settings[number];
    struct recipe recipe;
    char tail[32] = "";

    if (own->trace) {
        (void)snprintf(path, PATH_BYTES, "%s/%s.csv", self->setting->traces, own->trace);
        return 0;
    }
    if (own->shipped) {
        (void)snprintf(path, PATH_BYTES, "%s", own->shipped);
        return 0;
    }
    recipe = recipe_of(experiment, &own->drawn, seed);
    (void)snprintf(path, PATH_BYTES, "%s/traces", self->setting->output);
    if (output_make_folder(path, error) < 0)
        return -1;
    if (seed > 0)
        (void)snprintf(tail, sizeof(tail), "-seed%zu", seed + 1);
    (void)snprintf(path, PATH_BYTES, "%s/traces/figure%s-%s%s.csv", self->setting->output,
                   experiment->figure, own->label, tail);
    for (char *c = strrchr(path, '/'); *c; c++)
        if (*c == ' ' || *c == '%')
            *c = '_';
    return draw_trace(&recipe, path, self->setting->forced, error);
}

static size_t place_of(const figure_runs_t *self, size_t series, size_t number, size_t seed)
{
    return (number * self->setting->seeds + seed) * self->experiment->series_count + series;
}

static const policy_values_t *fit_leases(figure_runs_t *self, int64_t lease_s)
{
    policy_values_t *values = policy_values_new('-');
    char text[32];

    (void)snprintf(text, sizeof(text), "%" PRId64, lease_s);
    policy_values_set(values, "solver", "none");
    policy_values_set(values, "lease-term-interval", text);
    policy_values_set(values, "admission-interval", text);
    self->fitted[self->fitted_count++] = values;
    return values;
}

/* With --as-published, changes the simulation to the set-up that comes nearest to the published
 * values. */
static void fit(figure_runs_t *self, struct simulation *simulation, size_t number)
{
    const struct experiment *experiment = self->experiment;
    const struct experiment_fit *fit = self->setting->as_published
                                           ? experiment_fit(experiment->figure, simulation->policy,
                                                            experiment->settings[number].label)
                                           : NULL;

    if (fit && fit->cluster)
        simulation->cluster = fit->cluster;
    if (fit && fit->slot_s > 0)
        simulation->slot_s = fit->slot_s;
    if (fit && fit->lease_s > 0)
        simulation->values = fit_leases(self, fit->lease_s);
}

static void add_cell(figure_runs_t *self, size_t series, size_t number, size_t seed, bool keeps)
{
    const struct experiment *experiment = self->experiment;
    struct simulation simulation = SIMULATION_DEFAULT;
    char tail[32] = "";

    simulation.policy = experiment->series[series].policy;
    simulation.trace = self->traces[number * self->setting->seeds + seed];
    simulation.cluster = experiment->settings[number].cluster;
    simulation.gpu_type = experiment->gpu_type;
    simulation.slot_s = experiment->slot_s;
    fit(self, &simulation, number);
    simulation_find_inputs(&simulation);
    if (keeps) {
        if (seed > 0)
            (void)snprintf(tail, sizeof(tail), "-seed%zu", seed + 1);
        (void)snprintf(self->results[self->count], PATH_BYTES, "%s/runs/figure%s/%s/%zu%s",
                       self->setting->output, experiment->figure, simulation.policy, number + 1,
                       tail);
        simulation.log_path = self->results[self->count];
        simulation.keeps_others = true;
        simulation.forced = self->setting->forced;
    }
    self->place[place_of(self, series, number, seed)] = self->count;
    self->cells[self->count++] = (struct cell){.simulation = simulation};
}

static int list_cells(figure_runs_t *self, bool keeps, struct error *error)
{
    const struct experiment *experiment = self->experiment;
    const size_t seeds = self->setting->seeds;

    for (size_t i = 0; i < experiment->setting_count * seeds; i++) {
        if (find_trace(self, i / seeds, i % seeds, self->traces[i], error) < 0)
            return -1;
        for (size_t k = 0; k < experiment->series_count; k++)
            if (experiment->series[k].policy)
                add_cell(self, k, i / seeds, i % seeds, keeps);
    }
    return 0;
}

static int run_cells(figure_runs_t *self, bool *stopped, struct error *error)
{
    const size_t done = cells_run(self->cells, self->count, self->setting->parallel, "figure");

    if (done == self->count)
        return 0;
    for (size_t i = 0; i < self->count; i++)
        if (self->cells[i].state == CELL_FAILED)
            return error_set(error, "figure %s: %s", self->experiment->figure,
                             self->cells[i].error.text);
    *stopped = true;
    return error_set(error, "figure %s: stopped with %zu of %zu runs done",
                     self->experiment->figure, done, self->count);
}

figure_runs_t *figure_runs_new(const struct experiment *experiment,
                               const struct figure_setting *setting, bool keeps, bool *stopped,
                               struct error *error)
{
    const size_t traces = experiment->setting_count * setting->seeds;
    const size_t most = experiment->series_count * traces;
    figure_runs_t *self = xcalloc(1, sizeof(*self));

    self->experiment = experiment;
    self->setting = setting;
    self->traces = xcalloc(traces, sizeof(*self->traces));
    self->results = xcalloc(most, sizeof(*self->results));
    self->cells = xcalloc(most, sizeof(*self->cells));
    self->fitted = xcalloc(most, sizeof(*self->fitted));
    self->place = xmalloc(most * sizeof(*self->place));
    for (size_t i = 0; i < most; i++)
        self->place[i] = SIZE_MAX;
    if (list_cells(self, keeps, error) < 0 || run_cells(self, stopped, error) < 0)
        figure_runs_destroy(&self);
    return self;
}

void figure_runs_destroy(figure_runs_t **self)
{
    if (!*self)
        return;
    for (size_t i = 0; i < (*self)->fitted_count; i++)
        policy_values_destroy(&(*self)->fitted[i]);
    free((*self)->fitted);
    free((*self)->place);
    free((*self)->cells);
    free((*self)->results);
    free((*self)->traces);
    free(*self);
    *self = NULL;
}

const struct cell *figure_runs_cell(const figure_runs_t *self, size_t series, size_t setting,
                                    size_t seed)
{
    const size_t place = self->place[place_of(self, series, setting, seed)];

    return place == SIZE_MAX ? NULL : &self->cells[place];
}

const char *figure_runs_trace(const figure_runs_t *self, size_t setting)
{
    return self->traces[setting * self->setting->seeds];
}
