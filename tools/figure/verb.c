/* verb.c - `rubato figure`: the figures of the evaluation of ElasticFlow, and figures of a
 * sweep. */
#include "common/options.h"
#include "common/processes.h"
#include "tools/figure/chart_image.h"
#include "tools/figure/figure.h"
#include "tools/figure/look_options.h"
#include "tools/figure/sweep_figure.h"
#include "tools/sweep/result_table.h"
#include "tools/verbs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATUS_STOPPED 130

/* The name of the only figure that does not come from the evaluation. */
#define SWEEP "sweep"

static const char explanation[] =
    "FIGURE is 6a, 6b, 7a, 7b, 8a, 8b, 9, 10, 11a, 11b, 12a, 12b or all: a figure of the "
    "evaluation of ElasticFlow (ASPLOS 2023), run in the set-up of the published artifact. Each "
    "becomes data (figureF.csv) and a picture (.svg, .png, .pdf) with the published values beside "
    "what was measured, and its caption (.txt). Jobs that were drawn for the paper are drawn anew. "
    "Public traces are those in --traces: 195job.csv, elasticVpollux_e.csv, cluster01.csv to "
    "cluster10.csv and philly_103959.csv. Without it, figures 6b, 7a, 7b, 8a and 8b have generated "
    "jobs, which is what their titles say, and no published values. "
    "Figures 12a and 12b are times of a master, workers and trainers on emulated GPUs of this "
    "machine: they have nothing of CUDA, and differ from run to run.\n"
    "FIGURE sweep is of your own sweep: for each of --measures, the means that rubato sweep left "
    "in --results over one parameter, a line a policy, with confidence intervals. Other parameters "
    "that have several values make a picture for each combination.";

static int refuse_seeds(const struct experiment *experiment, struct error *error)
{
    const struct experiment_setting *first = &experiment->settings[0];

    if (first->trace)
        return error_set(error,
                         "--seeds: the jobs of figure %s are those of the public traces, which no "
                         "seed draws",
                         experiment->figure);
    if (first->shipped)
        return error_set(error,
                         "--seeds: the jobs of figure %s are those of the shipped trace %s, which "
                         "no seed draws",
                         experiment->figure, first->shipped);
    return error_set(error, "--seeds: figure %s has no jobs that a seed draws", experiment->figure);
}

/* Refuses options that do not concern the figure. */
static int check_figure(const char *figure, const struct figure_setting *setting,
                        struct error *error)
{
    const struct experiment *experiment = experiment_find(figure, setting->traces != NULL);

    if (!experiment)
        return error_set(error, "there is no figure \"%s\"; `rubato figure --help` lists them",
                         figure);
    if (setting->seeds > 1 && !experiment_is_drawn(experiment))
        return refuse_seeds(experiment, error);
    if (setting->as_published && !experiment_has_fits(experiment->figure))
        return error_set(error,
                         "--as-published: no set-up is known that comes nearer to figure %s than "
                         "the published one; for figures 8a and 8b there are some",
                         experiment->figure);
    return 0;
}

static int check_free(const char *figure, const struct figure_setting *setting, struct error *error)
{
    const bool has_traces = setting->traces != NULL;

    if (strcmp(figure, "all") != 0)
        return figure_check(experiment_find(figure, has_traces), setting, error);
    for (size_t k = 0; k < experiment_count; k++)
        if (figure_check(experiment_find(experiments[k].figure, has_traces), setting, error) < 0)
            return -1;
    return 0;
}

/* Checks all figures before the first one is made. */
static int check_all(const struct operands *operands, const struct figure_setting *setting,
                     struct error *error)
{
    for (size_t i = 0; i < operands->count; i++) {
        const bool all = strcmp(operands->items[i], "all") == 0;

        if (!all && check_figure(operands->items[i], setting, error) < 0)
            return -1;
        if (setting->as_published && !setting->traces)
            return error_set(
                error,
                "--as-published: figure %s is published for the public traces; name their "
                "folder with --traces (docs/reproducing-elasticflow.md says where they "
                "come from)",
                all ? "8a" : operands->items[i]);
        if (check_free(operands->items[i], setting, error) < 0)
            return -1;
    }
    return 0;
}

static int make(const struct command *command, const char *figure,
                const struct figure_setting *setting)
{
    const struct experiment *experiment = experiment_find(figure, setting->traces != NULL);
    struct figure_setting own = *setting;
    struct error error;
    int status;

    if (!experiment_is_drawn(experiment))
        own.seeds = 1;
    status = figure_make(experiment, &own, &error);
    if (status < 0)
        return options_fail(command, &error);
    if (status == 0)
        return 0;
    (void)fprintf(stderr, "%s: %s\n", command->name, error.text);
    return STATUS_STOPPED;
}

static int make_all(const struct command *command, const struct operands *operands,
                    const struct figure_setting *setting)
{
    struct error error;
    int status = 0;

    if (check_all(operands, setting, &error) < 0)
        return options_fail(command, &error);
    for (size_t i = 0; i < operands->count && status == 0; i++) {
        if (strcmp(operands->items[i], "all") != 0)
            status = make(command, operands->items[i], setting);
        else
            for (size_t k = 0; k < experiment_count && status == 0; k++)
                status = make(command, experiments[k].figure, setting);
    }
    return status;
}

static int make_sweep(const struct command *command, const struct sweep_figure_setting *sweep)
{
    struct error error;
    int status;

    if (sweep->results)
        status = sweep_figure_make(sweep, &error);
    else
        status = error_set(&error, "--results: figure sweep needs the folder of a sweep");
    return status < 0 ? options_fail(command, &error) : 0;
}

/* Makes the figures of the evaluation, or the figure of a sweep. */
static int make_asked(const struct command *command, const struct operands *operands,
                      const struct figure_setting *setting, struct sweep_figure_setting *sweep)
{
    const bool is_sweep = operands->count == 1 && strcmp(operands->items[0], SWEEP) == 0;
    struct error error;

    sweep->output = setting->output;
    sweep->look = setting->look;
    sweep->forced = setting->forced;
    if (is_sweep)
        return make_sweep(command, sweep);
    for (size_t i = 0; i < operands->count; i++)
        if (strcmp(operands->items[i], SWEEP) == 0) {
            error_set(&error, "figure sweep is made by itself, without other figures");
            return options_fail(command, &error);
        }
    if (sweep->results) {
        error_set(&error, "--results: belongs to figure sweep alone");
        return options_fail(command, &error);
    }
    return make_all(command, operands, setting);
}

int verb_figure(int argc, char **argv)
{
    struct sweep_figure_setting sweep = {.over = result_table_axes[0],
                                         .measures = SWEEP_FIGURE_MEASURES};
    struct figure_setting setting = {.output = "figures", .look = CHART_LOOK_DEFAULT};
    int64_t parallel = 0;
    int64_t seeds = 1;
    const struct option_spec options[] = {
        OPTION_TEXT("traces", "DIR", &setting.traces, "folder of the public traces"),
        OPTION_TEXT("output", "DIR", &setting.output, "where figures go; made if it is missing"),
        OPTION_SWITCH("force", &setting.forced, "replace figures that are there"),
        OPTION_WHOLE(
            "seeds", "COUNT", &seeds, 1, 1000,
            "of jobs that are drawn (9, 10, 11a, 11b; 8a and 8b without --traces): draw as "
            "many traces, from seed 1 on, and show means with intervals of 95 % "
            "(Student's t)"),
        OPTION_SWITCH("as-published", &setting.as_published,
                      "run 8a and 8b in the set-ups that fit what was published, where they are "
                      "other than those of the run scripts"),
        OPTION_TEXT("results", "DIR", &sweep.results, "sweep: the folder of rubato sweep"),
        OPTION_CHOICE("over", "PARAMETER", &sweep.over, result_table_axes,
                      "sweep: the parameter of the x axis"),
        OPTION_TEXT("measures", "LIST", &sweep.measures,
                    "sweep: figures of means.csv without _mean, with commas between them"),
        OPTIONS_OF_LOOK(&setting.look),
        OPTION_LETTER_WHOLE('j', "parallel", "COUNT", &parallel, 0, 1024,
                            "simulations at a time; 0: one on each processor"),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato figure",
        .summary =
            "Reproduce the figures of the evaluation of ElasticFlow, or draw those of a sweep",
        .operands = "FIGURE...",
        .text = explanation,
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    int status = options_parse(&command, argc, argv, &operands, &error);

    if (status == 0 && operands.count == 0)
        status = error_set(&error, "expected a figure, or all");
    if (status == 0)
        status = image_check_font(setting.look.font, &error);
    if (status < 0)
        status = options_fail(&command, &error);
    else if (status > 0)
        status = 0;
    else {
        setting.parallel = processes_count(parallel);
        setting.seeds = (size_t)seeds;
        status = make_asked(&command, &operands, &setting, &sweep);
        image_close();
    }
    free(operands.items);
    return status;
}
