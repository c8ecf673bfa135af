/* generate.c - `rubato trace generate`: a trace of random jobs, the same for the same options. */
#include "common/options.h"
#include "common/output.h"
#include "common/plural.h"
#include "tools/trace_tools/recipe.h"
#include "tools/trace_tools/tables.h"
#include "tools/trace_tools/trace_file.h"
#include "tools/verbs.h"

#include <inttypes.h>
#include <stdio.h>

static int generate(const struct recipe *recipe, const char *path, bool forced, struct error *error)
{
    throughput_table_t *table = tables_read(recipe->throughputs, recipe->gpu_type, error);
    output_t *output = table ? trace_file_new(path, forced, error) : NULL;
    int status = output ? 0 : -1;

    if (status == 0)
        status = recipe_write(recipe, table, trace_file_delimiter(path), output, error);
    if (status == 0)
        status = output_commit(&output, error);
    output_destroy(&output);
    throughput_destroy(&table);
    return status;
}

static const char explanation[] =
    "The same options give the same bytes. For each job a GPU count is drawn from --gpus-mix, then "
    "a model among those whose throughput table has a rate above 0 on that many GPUs, each as "
    "likely as the others, then one of its batch sizes that has such a rate. So the mix is exact, "
    "and a model that cannot run on a count is never drawn with it. A model with a rate of 0 (\"it "
    "cannot run\") at any GPU count is left out unless --models names it.\n"
    "The duration is the run time on the GPUs asked for; iterations = duration x rate, rounded, at "
    "least 1; --duration 600:18974 --long-jobs 0.2 is the mix of the published evaluation; "
    "deadline = submission + duration x tightness, rounded. Each of arrivals, durations, "
    "GPU counts, models, batch sizes, tightness and best effort has a random stream of its own, so "
    "changing one parameter does not shift what the others draw. A column best_effort is written "
    "when --best-effort is above 0; the deadline of a best-effort job means nothing. An --output "
    "that ends in .txt is separated by blanks, as the reader expects.";

int verb_trace_generate(int argc, char **argv)
{
    struct recipe recipe = recipe_default();
    const char *path = NULL;
    bool forced = false;
    const struct option_spec options[] = {
        OPTION_WHOLE("seed", "S", &recipe.setting.seed, 0, RECIPE_SEED_MAX,
                     "what all random draws start from"),
        OPTION_TEXT("output", "FILE", &path, "the trace to write, - for standard output"),
        OPTION_SWITCH("force", &forced, TRACE_FORCE_HELP),
        RECIPE_OPTIONS(&recipe),
        OPTION_REAL("long-jobs", "SHARE", &recipe.setting.long_share, 0, 1,
                    "share of jobs whose run time is that of --long-duration"),
        OPTION_RANGE("long-duration", "SECONDS", &recipe.setting.long_duration_s, 1,
                     RECIPE_DURATION_MAX_S, "run time of long jobs, LOW:HIGH, log-uniform"),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato trace generate",
        .summary = "Make a trace of random jobs from a seed",
        .text = explanation,
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    const int parsed = options_parse(&command, argc, argv, &operands, &error);

    if (parsed != 0)
        return parsed < 0 ? options_fail(&command, &error) : 0;
    if (!path) {
        error_set(&error, "name the trace to write with --output");
        return options_fail(&command, &error);
    }
    if (generate(&recipe, path, forced, &error) < 0)
        return options_fail(&command, &error);
    (void)fprintf(output_talk(path), "wrote %s: %" PRId64 " job%s\n", output_name(path),
                  recipe.jobs, PLURAL(recipe.jobs));
    return output_flush_stdout() == 0 ? 0 : 1;
}
