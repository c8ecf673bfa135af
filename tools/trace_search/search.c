/* search.c - `rubato trace search`: a generated trace under which policies give wanted counts, for
 * a test or an example that shows a certain difference between policies. */
#include "common/options.h"
#include "common/plural.h"
#include "common/processes.h"
#include "scheduler/placement/placement.h"
#include "scheduler/report/progress.h"
#include "scheduler/state/cluster_spec.h"
#include "tools/trace_search/seed_search.h"
#include "tools/trace_tools/tables.h"
#include "tools/trace_tools/trace_file.h"
#include "tools/verbs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct request {
    struct recipe recipe;
    struct simulation simulation;
    const char *want;
    struct option_range seeds;
    int64_t parallel;
    const char *output;
    bool forced;
    output_t *file; /* the output, started before the search */
};

/* Writes the trace of the seed found, in the form that the trace's name and dialect ask for. */
static int write_found(struct request *request, const struct recipe *recipe,
                       const throughput_table_t *table, struct error *error)
{
    if (recipe_write(recipe, table, trace_file_delimiter(request->output), request->file, error) <
        0)
        return -1;
    return output_commit(&request->file, error);
}

static int tell_found(struct request *request, const struct seed_search *search, int64_t seed,
                      struct error *error)
{
    struct recipe recipe = request->recipe;
    FILE *talk;
    char counts[1024];

    recipe.setting.seed = seed;
    if (write_found(request, &recipe, search->trial.table, error) < 0)
        return -1;
    wanted_describe(&search->trial.wanted, counts, sizeof(counts));
    talk = output_talk(request->output);
    (void)fprintf(talk, "seed %" PRId64 " is the first of %" PRId64 ":%" PRId64 " that gives %s\n",
                  seed, search->first, search->last, counts);
    (void)fprintf(talk, "wrote %s: %" PRId64 " job%s, as this command does:\n    ",
                  output_name(request->output), recipe.jobs, PLURAL(recipe.jobs));
    recipe_print_command(&recipe, request->output, talk);
    (void)fputc('\n', talk);
    return 0;
}

static void tell_none(const struct seed_search *search, const struct seed_finding *finding,
                      struct error *error)
{
    char counts[512];

    wanted_describe(&search->trial.wanted, counts, sizeof(counts));
    if (finding->undecided == 0)
        error_set(error, "no seed of %" PRId64 ":%" PRId64 " gives %s", search->first, search->last,
                  counts);
    else
        error_set(error,
                  "no seed of %" PRId64 ":%" PRId64 " gives %s; %" PRId64
                  " cannot be simulated, the first, %" PRId64 ", for this reason: %s",
                  search->first, search->last, counts, finding->undecided, finding->undecided_first,
                  finding->undecided_why.text);
}

static void tell_stopped(const struct seed_search *search, int64_t seed, struct error *error)
{
    if (seed > search->first)
        error_set(error,
                  "stopped: no seed of %" PRId64 ":%" PRId64 " fits, go on with --seeds %" PRId64
                  ":%" PRId64,
                  search->first, seed - 1, seed, search->last);
    else
        error_set(error, "stopped before seed %" PRId64 " was done", seed);
}

/* Searches, and returns the exit status. */
static int run(const struct command *command, struct request *request,
               const struct seed_search *search)
{
    struct seed_finding finding;
    struct error error;

    if (seed_search_run(search, &finding, &error) < 0)
        return options_fail(command, &error);
    if (finding.verdict == SEED_FOUND)
        return tell_found(request, search, finding.seed, &error) < 0 ? options_fail(command, &error)
                                                                     : 0;
    if (finding.verdict == SEED_NONE)
        tell_none(search, &finding, &error);
    else
        tell_stopped(search, finding.seed, &error);
    (void)options_fail(command, &error);
    return finding.verdict == SEED_NONE ? 1 : 130;
}

static int check_seeds(const struct option_range *seeds, struct error *error)
{
    if (seeds->low == floor(seeds->low) && seeds->high == floor(seeds->high))
        return 0;
    return error_set(error, "--seeds: expected whole numbers, found %g:%g", seeds->low,
                     seeds->high);
}

/* Finds, before the search, the errors that every seed would give or that would only appear at the
 * end. */
static int check_inputs(struct request *request, const struct simulation *simulation,
                        const throughput_table_t *table, struct error *error)
{
    generator_t *generator = generator_new(&request->recipe.setting, table, error);
    struct cluster_spec cluster;

    if (!generator)
        return -1;
    generator_destroy(&generator);
    if (simulation->cluster && cluster_spec_read(simulation->cluster, &cluster, error) < 0)
        return -1;
    request->file = trace_file_new(request->output, request->forced, error);
    return request->file ? output_claim(request->file, request->forced, error) : -1;
}

static int check_words(const struct request *request, struct wanted *wanted, struct error *error)
{
    if (!request->want)
        return error_set(error, "name the counts to look for with --want");
    if (!request->output)
        return error_set(error, "name the trace to write with --output");
    if (wanted_parse(request->want, wanted, error) < 0 ||
        wanted_check_jobs(wanted, request->recipe.jobs,
                          request->recipe.setting.best_effort_share > 0, error) < 0)
        return -1;
    return check_seeds(&request->seeds, error);
}

static int prepare_and_search(const struct command *command, struct request *request)
{
    struct seed_search setting = {
        .trial = {.recipe = request->recipe, .simulation = request->simulation},
        .first = (int64_t)request->seeds.low,
        .last = (int64_t)request->seeds.high,
        .parallel = processes_count(request->parallel)};
    throughput_table_t *table = NULL;
    struct error error;
    int status = check_words(request, &setting.trial.wanted, &error);

    simulation_find_inputs(&setting.trial.simulation);
    if (status == 0) {
        table = tables_read(request->recipe.throughputs, request->recipe.gpu_type, &error);
        status = table ? check_inputs(request, &setting.trial.simulation, table, &error) : -1;
    }
    if (status == 0) {
        setting.trial.table = table;
        setting.trial.simulation.gpu_type = request->recipe.gpu_type;
        setting.trial.simulation.throughputs = request->recipe.throughputs;
        status = run(command, request, &setting);
    } else {
        status = options_fail(command, &error);
    }
    output_destroy(&request->file);
    throughput_destroy(&table);
    return status;
}

static const char explanation[] =
    "Draws the trace of one seed after the other, as rubato trace generate does, and simulates it "
    "under the policies of --want until one of them accepts or declines another number of jobs. "
    "The lowest seed under which none does is written to --output, and with it goes the command "
    "that writes it again. It is the same seed whatever --parallel is.\n"
    "Status 1 says that no seed of the range fits. After SIGINT a sentence says which seeds are "
    "done, so that another search can go on there; when standard error is a terminal, a line there "
    "says where the search is, and SIGUSR1 asks for that line anywhere.";

int verb_trace_search(int argc, char **argv)
{
    struct request request = {
        .recipe = recipe_default(), .simulation = SIMULATION_DEFAULT, .seeds = {1, 1000000}};
    struct simulation *simulation = &request.simulation;
    const struct option_spec options[] = {
        OPTION_TEXT("want", "POLICY=ACCEPTED/DECLINED,...", &request.want,
                    "the counts to look for"),
        OPTION_RANGE("seeds", "FIRST:LAST", &request.seeds, 0, RECIPE_SEED_MAX,
                     "the seeds to look at"),
        OPTION_TEXT("output", "FILE", &request.output, "the trace to write, - for standard output"),
        OPTION_SWITCH("force", &request.forced, TRACE_FORCE_HELP),
        OPTION_TEXT("cluster", "FILE", &simulation->cluster,
                    "cluster to schedule them on, CSV or the name of one that came with Rubato, "
                    "such as n4g8 (32 nodes of 8 GPUs without it)"),
        OPTION_CHOICE("placement", "SCHEME", &simulation->placement, placement_names(),
                      "which GPUs a job gets"),
        OPTION_WHOLE("slot", "SECONDS", &simulation->slot_s, 1, 1000000,
                     "length of a scheduling slot"),
        OPTION_LETTER_WHOLE('j', "parallel", "COUNT", &request.parallel, 0, 1024,
                            "how many processes look, 0 for one on each processor"),
        RECIPE_OPTIONS(&request.recipe),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato trace search",
        .summary = "Look for a seed whose trace gives wanted counts",
        .text = explanation,
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    const int parsed = options_parse(&command, argc, argv, &operands, &error);

    if (parsed != 0)
        return parsed < 0 ? options_fail(&command, &error) : 0;
    progress_catch_signals();
    return prepare_and_search(&command, &request);
}
