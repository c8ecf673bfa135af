/* recipe.h - all settings that decide the bytes of a generated trace, and the command that makes
 * the trace again. */
#ifndef TRACE_TOOLS_RECIPE_H
#define TRACE_TOOLS_RECIPE_H

#include "common/error.h"
#include "common/options.h"
#include "common/output.h"
#include "scheduler/state/throughput.h"
#include "tools/trace_tools/dialect.h"
#include "tools/trace_tools/generator.h"

#include <stdint.h>
#include <stdio.h>

#define RECIPE_JOBS_MAX       100000000
#define RECIPE_SEED_MAX       9007199254740991.0 /* 2^53 - 1: options are checked as doubles */
#define RECIPE_START_MAX_S    1e11
#define RECIPE_DURATION_MAX_S 1e9

struct recipe {
    struct generator_setting setting;
    int64_t jobs;
    const char *gpu_type;
    const char *throughputs; /* folder; NULL for the tables that came with the program */
    const char *dialect;
};

/* The recipe with default options. */
struct recipe recipe_default(void);

/* The options, except the seed, of every verb that draws traces. */
#define RECIPE_OPTIONS(recipe)                                                                     \
    OPTION_WHOLE("jobs", "N", &(recipe)->jobs, 1, RECIPE_JOBS_MAX, "how many jobs"),               \
        OPTION_CHOICE("dialect", "NAME", &(recipe)->dialect, dialect_names_of_one_deadline(),      \
                      "how the columns are called"),                                               \
        OPTION_TEXT("gpu-type", "TYPE", &(recipe)->gpu_type, "which throughput table to use"),     \
        OPTION_TEXT("throughputs", "DIR", &(recipe)->throughputs,                                  \
                    "folder of throughput tables, in Rubato's or the artifact's layout (the one "  \
                    "that came with the program without it)"),                                     \
        OPTION_TEXT("models", "LIST", &(recipe)->setting.models,                                   \
                    "models to draw from, separated by commas (without it all that have no rate "  \
                    "of 0)"),                                                                      \
        OPTION_TEXT("gpus-mix", "GPUS:WEIGHT,...", &(recipe)->setting.gpus_mix,                    \
                    "how many GPUs jobs ask for, and how often"),                                  \
        OPTION_WHOLE("start", "SECONDS", &(recipe)->setting.start_s, 0, RECIPE_START_MAX_S,        \
                     "time from which the first gap between arrivals counts"),                     \
        OPTION_REAL("arrival-interval", "SECONDS", &(recipe)->setting.arrival_interval_s, 0, 1e9,  \
                    "mean time between arrivals, exponentially distributed"),                      \
        OPTION_RANGE("duration", "SECONDS", &(recipe)->setting.duration_s, 1,                      \
                     RECIPE_DURATION_MAX_S,                                                        \
                     "run time on the GPUs asked for, LOW:HIGH, log-uniform"),                     \
        OPTION_RANGE("tightness", "RATIO", &(recipe)->setting.tightness, 0, 1000,                  \
                     "time to the deadline as a multiple of the duration, LOW:HIGH, uniform"),     \
        OPTION_REAL("best-effort", "SHARE", &(recipe)->setting.best_effort_share, 0, 1,            \
                    "share of jobs without a deadline")

/* Writes the trace to `output`, with `delimiter` between cells; `table` is the throughput table of
 * `gpu_type`. Returns -1, with `error`, if the setting is invalid or a job exceeds the limits of a
 * trace. */
int recipe_write(const struct recipe *recipe, const throughput_table_t *table, char delimiter,
                 output_t *output, struct error *error);

/* Prints each option with its value, after a blank, quoted for a shell. */
void recipe_print_options(const struct option_spec options[], FILE *out);

/* Prints, without a line end, the command that writes the same bytes to the file called `path`. The
 * command has every option, so that it stays valid when a default changes. */
void recipe_print_command(const struct recipe *recipe, const char *path, FILE *out);

#endif
