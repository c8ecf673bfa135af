/* verb.c - `rubato figure`: the figures of the evaluation of ElasticFlow. */
#include "common/options.h"
#include "common/processes.h"
#include "tools/figure/chart_image.h"
#include "tools/figure/figure.h"
#include "tools/verbs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATUS_STOPPED 130

static const char explanation[] =
    "FIGURE is 6a, 6b, 7a, 7b, 8a, 8b, 9, 10, 11a, 11b, 12a, 12b or all: a figure of the "
    "evaluation of ElasticFlow (ASPLOS 2023), run in the set-up of the published artifact. Each "
    "becomes data (figureF.csv) and a picture (.svg, .png, .pdf) with the published values beside "
    "what was measured. Jobs that were drawn for the paper are drawn anew. Public traces are those "
    "in --traces: 195job.csv, elasticVpollux_e.csv, cluster01.csv to cluster10.csv and "
    "philly_103959.csv; without it, others that come with Rubato or are drawn stand for them. "
    "Figures 12a and 12b are times of a master, workers and trainers on emulated GPUs of this "
    "machine: they have nothing of CUDA, and differ from run to run.";

static int make(const struct command *command, const char *figure,
                const struct figure_setting *setting)
{
    const struct experiment *experiment = experiment_find(figure);
    struct error error;
    int status;

    if (!experiment) {
        error_set(&error, "there is no figure \"%s\"; `rubato figure --help` lists them", figure);
        return options_fail(command, &error);
    }
    status = figure_make(experiment, setting, &error);
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
    int status = 0;

    for (size_t i = 0; i < operands->count && status == 0; i++) {
        if (strcmp(operands->items[i], "all") != 0)
            status = make(command, operands->items[i], setting);
        else
            for (size_t k = 0; k < experiment_count && status == 0; k++)
                status = make(command, experiments[k].figure, setting);
    }
    return status;
}

int verb_figure(int argc, char **argv)
{
    struct figure_setting setting = {.output = "figures"};
    int64_t parallel = 0;
    const struct option_spec options[] = {
        OPTION_TEXT("traces", "DIR", &setting.traces, "folder of the public traces"),
        OPTION_TEXT("output", "DIR", &setting.output, "where figures go; made if it is missing"),
        OPTION_LETTER_WHOLE('j', "parallel", "COUNT", &parallel, 0, 1024,
                            "simulations at a time; 0: one on each processor"),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato figure",
        .summary = "Reproduce the figures of the evaluation of ElasticFlow",
        .operands = "FIGURE...",
        .text = explanation,
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    int status = options_parse(&command, argc, argv, &operands, &error);

    if (status == 0 && operands.count == 0)
        status = error_set(&error, "expected a figure, or all");
    if (status < 0)
        status = options_fail(&command, &error);
    else if (status > 0)
        status = 0;
    else {
        setting.parallel = processes_count(parallel);
        status = make_all(&command, &operands, &setting);
        image_close();
    }
    free(operands.items);
    return status;
}
