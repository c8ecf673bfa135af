/* verb.c - `rubato sweep`: policies on traces and clusters, with every value of each parameter. */
#include "common/memory.h"
#include "common/number.h"
#include "common/options.h"
#include "common/shell_word.h"
#include "scheduler/admission/admission.h"
#include "scheduler/placement/placement.h"
#include "scheduler/policies/policy.h"
#include "scheduler/report/progress.h"
#include "scheduler/run/policy_values.h"
#include "scheduler/run/world_options.h"
#include "tools/slot_note.h"
#include "tools/sweep/sweep.h"
#include "tools/trace_tools/recipe.h"
#include "tools/verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char explanation[] =
    "A cell is a simulation of one policy on one trace and cluster with one value of each "
    "parameter. Cells run side by side, each in a process of its own, and each is kept as soon as "
    "it is done: after any stop the same command goes on where it was, and with more values it "
    "runs "
    "what is new. Cells on inputs that changed since are run anew. DIR gets sweep.db (SQLite), "
    "cells.csv, means.csv over the seeds with half of the confidence interval (Student's t), "
    "differences.csv from the first policy with paired tests, and the traces that were made.";

/* Reads a share, "I/N" with I from 0. */
static int read_share(const char *text, struct sweep *sweep, struct error *error)
{
    const char *slash = text ? strchr(text, '/') : NULL;

    sweep->share = (struct sweep_share){0, 1};
    if (!text)
        return 0;
    sweep->shares = true;
    if (!slash ||
        number_parse_whole(slash + 1, strlen(slash + 1), 1, SHARES_MAX, &sweep->share.count) !=
            NUMBER_OK ||
        number_parse_whole(text, (size_t)(slash - text), 0, sweep->share.count - 1,
                           &sweep->share.number) != NUMBER_OK)
        return error_set(error, "--share: expected I/N, I from 0 to N - 1, found \"%s\"", text);
    return 0;
}

/* Adds the traces of --traces after those of the command line. Returns the text of the added names,
 * which the caller frees last. */
static char *add_traces(struct operands *operands, const char *list)
{
    char *copy = list ? xstrdup(list) : NULL;
    char *rest = copy;
    size_t room = operands->count;

    while (rest) {
        operands->items =
            grow_array(operands->items, operands->count, &room, sizeof(*operands->items));
        operands->items[operands->count++] = strsep(&rest, ",");
    }
    return copy;
}

/* Opens the sweep and finds its pending cells. With --slurm, first waits for a job array that an
 * earlier call left running. */
static int begin(struct sweep *sweep, struct pending *pending)
{
    struct error error;
    const int waited = sweep->by_slurm ? slurm_wait(sweep->grid.folder, &error) : 0;
    int status;

    if (waited == 0 && sweep_open(sweep, &error) == 0 &&
        sweep_find_pending(sweep, pending, &error) == 0)
        return 0;
    status = options_fail(sweep->command, &error);
    return waited > 0 ? 130 : status;
}

static int work(struct sweep *sweep)
{
    struct pending pending = {.cells = NULL};
    int status;

    progress_catch_signals();
    status = begin(sweep, &pending);
    if (status == 0)
        status = sweep->by_slurm ? sweep_run_by_slurm(sweep, &pending) : sweep_run(sweep, &pending);
    if (status != 130 && sweep->store) {
        const int finished = sweep_finish(sweep);

        status = status == 0 ? finished : status;
    }
    pending_clear(&pending);
    return status;
}

/* The words of the command line after the verb, for the tasks of a job array. */
static char *print_arguments(int argc, char **argv)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);

    if (!memory)
        memory_out();
    for (int i = 1; i < argc; i++) {
        (void)fputc(' ', memory);
        shell_word_print(argv[i], memory);
    }
    (void)fclose(memory);
    return text;
}

static int lay_out(struct sweep *sweep, const char *share, const struct operands *traces,
                   struct error *error)
{
    if (traces->count == 0)
        return error_set(error, "expected at least one trace");
    if (!sweep->grid.folder)
        return error_set(error, "name the folder of the results with --results");
    if (read_share(share, sweep, error) < 0)
        return -1;
    sweep->by_slurm = sweep->by_slurm && !sweep->shares; /* a task gets the options of its sweep */
    return grid_lay_out(&sweep->grid, traces, sweep->command->options, error);
}

int verb_sweep(int argc, char **argv)
{
    char *arguments = print_arguments(argc, argv); /* before parsing cuts the arguments */
    struct sweep sweep = {.confidence = 95, .slurm = {.tasks = 16, .arguments = arguments}};
    struct sweep_grid *grid = &sweep.grid;
    struct simulation *simulation = &grid->simulation;
    struct axis *axes = grid->axes;
    const char *traces = NULL;
    const char *share = NULL;
    policy_values_t *values = policy_values_new('-');
    const struct option_spec options[] = {
        OPTION_TEXT("results", "DIR", &grid->folder, "where cells are kept and results go"),
        OPTION_SWITCH("force", &sweep.forced,
                      "replace a cells.csv, means.csv or differences.csv in a folder that holds no "
                      "sweep.db"),
        OPTION_TEXT("traces", "LIST", &traces,
                    "traces, with commas between them, beside those named as operands"),
        OPTION_TEXT("clusters", "LIST", &grid->clusters,
                    "clusters of every trace that names none, with commas between them (32 nodes "
                    "of 8 GPUs without it)"),
        OPTION_WORDS("policies", "LIST", &axes[AXIS_POLICY].list, policy_choices(),
                     "policies, with commas between them (all published ones without it)"),
        OPTION_TEXT("slots", "LIST", &axes[AXIS_SLOT].list,
                    "lengths of a scheduling slot in seconds (60 without it)" SLOT_NOTE_HELP),
        OPTION_TEXT("loads", "LIST", &axes[AXIS_LOAD].list,
                    "how many times as many jobs arrive in the same time as in the trace"),
        OPTION_TEXT("tightness", "LIST", &axes[AXIS_TIGHTNESS].list,
                    "time to the deadline as a multiple of the duration, each a number or a range "
                    "LOW:HIGH to draw from (as in the trace without it)"),
        OPTION_TEXT("best-effort", "LIST", &axes[AXIS_BEST_EFFORT].list,
                    "shares of the jobs, from 0 to 1, that lose their deadline"),
        OPTION_TEXT("overhead-factors", "LIST", &axes[AXIS_OVERHEAD].list,
                    "how many times what is planned for them starts, resizes, moves and restarts "
                    "take"),
        OPTION_TEXT(
            "seeds", "LIST", &axes[AXIS_SEED].list,
            "seeds of what is drawn; one other than 0 also puts the gaps between arrivals in "
            "another order"),
        OPTION_TEXT("rules", "RULES", &simulation->rules,
                    "reference, clean, or the quirks of the reference to put right, with commas "
                    "between them; each policy follows those that concern it"),
        OPTION_CHOICE("placement", "SCHEME", &simulation->placement, placement_names(),
                      "which GPUs a job gets, if not as the policy has it"),
        OPTION_CHOICE("admission", "MODULE", &simulation->admission, admission_names(),
                      ADMISSION_HELP),
        OPTION_WHOLE("restart-threshold", "ROUNDS", &simulation->restart_threshold, 0, 1000000000,
                     "rounds between restarts of all trainers, 0 for none; the published policies "
                     "heed it only if EF-Q3 is put right"),
        OPTION_TEXT("gpu-type", "TYPE", &simulation->gpu_type,
                    "throughput table to use, where the cluster names no GPU type"),
        OPTION_TEXT("throughputs", "DIR", &simulation->throughputs,
                    "folder of throughput tables, in Rubato's or the artifact's layout"),
        OPTIONS_OF_POLICIES(values),
        OPTIONS_OF_DISTURBANCES(&grid->world),
        OPTION_REAL("interval-confidence", "PERCENT", &sweep.confidence, 1, 99.999,
                    "confidence of the intervals of means"),
        OPTION_LETTER_WHOLE(
            'j', "parallel", "COUNT", &sweep.parallel, 0, 1024,
            "how many simulations run at the same time, 0 for one on each processor"),
        OPTION_TEXT("share", "I/N", &share,
                    "run only every Nth cell, from number I on, counted from 0; the sweep without "
                    "it collects what such shares leave"),
        OPTION_SWITCH("slurm", &sweep.by_slurm,
                      "have a Slurm cluster run the cells as a job array, and collect them"),
        OPTION_WHOLE("slurm-tasks", "COUNT", &sweep.slurm.tasks, 1, SHARES_MAX,
                     "with --slurm: tasks of the array, each of which runs its share of the cells, "
                     "one after the other or -j at the same time"),
        OPTION_TEXT("slurm-options", "OPTIONS", &sweep.slurm.options,
                    "with --slurm: more options of sbatch, such as --partition=NAME"),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato sweep",
        .summary = "Run policies on traces with all values of the parameters",
        .operands = "TRACE[@CLUSTER][@SLOT][@GPU]...",
        .text = explanation,
        .options = policy_values_join(values, options),
    };
    struct operands operands = {NULL, 0};
    struct error error;
    char *listed = NULL;
    int status;

    grid_init(grid);
    simulation->values = values;
    simulation->shares_values = true;
    sweep.command = &command;
    status = options_parse(&command, argc, argv, &operands, &error);
    if (status != 0) {
        status = status < 0 ? options_fail(&command, &error) : 0;
    } else {
        listed = add_traces(&operands, traces);
        status = lay_out(&sweep, share, &operands, &error) < 0 ? options_fail(&command, &error)
                                                               : work(&sweep);
    }
    store_close(&sweep.store);
    grid_clear(grid);
    free(operands.items);
    free(listed);
    free(arguments);
    policy_values_destroy(&values);
    return status;
}
