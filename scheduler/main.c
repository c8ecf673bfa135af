/* main.c - the scheduler, with the command line of the published ElasticFlow artifact. */
#include "common/descriptors.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/output.h"
#include "common/plural.h"
#include "scheduler/admission/admission.h"
#include "scheduler/live.h"
#include "scheduler/placement/placement.h"
#include "scheduler/policies/policy.h"
#include "scheduler/record/record.h"
#include "scheduler/reference/published_options.h"
#include "scheduler/report/result_folder.h"
#include "scheduler/run/policy_values.h"
#include "scheduler/run/simulation.h"
#include "scheduler/testbed/testbed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct config {
    struct simulation simulation;
    struct published_options published;
    struct testbed testbed;
    bool simulate;
    bool print;
    const char *unknown_model;
    char **words; /* a copy of the command line from before it was parsed */
};

static void print_figures(const struct simulation *simulation,
                          const struct simulation_result *result)
{
    const struct figures *figures = &result->figures;
    const struct outcome_figures *outcomes = &figures->outcomes;

    printf("policy: %s\nrules: %s\ntrace: %s\ncluster: %d node%s, %d GPU%s\nslot: %" PRId64 " s\n",
           simulation->policy, simulation->rules, simulation->trace, result->nodes,
           PLURAL(result->nodes), result->gpus, PLURAL(result->gpus), simulation->slot_s);
    printf("jobs: %" PRId64 "\non time: %" PRId64 " of %" PRId64 " with a deadline\n",
           figures->jobs, outcomes->on_time, figures->deadline_jobs);
    if (outcomes->promises)
        printf("promised: %" PRId64 "\nbroken: %" PRId64 "\nbest effort on time: %" PRId64 "\n",
               outcomes->promised, outcomes->broken, outcomes->best_effort_on_time);
    else
        printf("promised: none\n");
    printf("finished: %" PRId64 "\nrounds: %" PRId64 "\n", figures->finished, figures->rounds);
    printf("artifact deadline satisfaction: %.4f\nmean JCT: %.1f s\n99th percentile JCT: %.0f s\n",
           figures->deadline_satisfaction, figures->jct_mean_s, figures->jct_p99_s);
    printf("makespan: %" PRId64 " s\nGPU utilisation: %.4f\n", figures->makespan_s,
           figures->gpu_utilisation);
}

/* Tells of failed jobs. Returns the exit status: a run with a failed job did not do all that was
 * asked. */
static int tell_failed(const struct command *command, const struct figures *figures)
{
    struct error error;

    if (figures->outcomes.failed == 0)
        return 0;
    error_set(&error, "%" PRId64 " of %" PRId64 " jobs failed", figures->outcomes.failed,
              figures->jobs);
    (void)options_fail(command, &error);
    return 1;
}

static int run(const struct command *command, struct config *config)
{
    struct simulation_result result;
    struct error error;
    int status;

    if (published_options_settle(&config->published, &config->simulation, &error) < 0)
        return options_fail(command, &error);
    if (!config->simulation.trace) {
        error_set(&error, "--trace_file is missing");
        return options_fail(command, &error);
    }
    if (config->simulate && config->testbed.state) {
        error_set(&error, "--state is of a run on a real cluster: --simulation=False is missing");
        return options_fail(command, &error);
    }
    config->simulation.unknown_model = !strcmp(config->unknown_model, "resnet50")
                                           ? UNKNOWN_MODEL_IS_RESNET50
                                           : UNKNOWN_MODEL_REFUSED;
    simulation_find_inputs(&config->simulation);
    config->simulation.counts_only = !config->simulation.log_path; /* print_figures has counts */
    config->simulation.label = config->simulation.policy;
    status = config->simulate
                 ? simulation_run(&config->simulation, &result, &error)
                 : live_run(&config->testbed, &config->simulation, config->words, &result, &error);
    if (status != 0)
        return status > 0 ? (void)options_fail(command, &error),
               130        : options_fail(command, &error);
    if (config->simulation.only_check)
        return 0;
    report_tell(command->name, config->simulation.log_path);
    record_tell(command->name, config->simulation.record);
    report_warn(command->name, &result.figures);
    if (config->print)
        print_figures(&config->simulation, &result);
    printf("accepted jobs: %" PRId64 "\ndeclined jobs: %" PRId64 "\n", result.figures.accepted,
           result.figures.declined);
    if (output_check_stdout(&error) < 0)
        return options_fail(command, &error);
    return tell_failed(command, &result.figures);
}

static bool is_to_serve(char **words)
{
    for (size_t i = 1; words[i]; i++)
        if (!strcmp(words[i], "--serve"))
            return true;
    return false;
}

static char **copy_words(int argc, char **argv)
{
    char **copy = xcalloc((size_t)argc + 1, sizeof(*copy));

    for (int i = 0; i < argc; i++)
        copy[i] = argv[i];
    return copy;
}

/* Runs what the command line asks for. Returns the exit status. */
static int run_line(const struct command *command, int argc, char **argv, struct config *config)
{
    struct operands operands = {NULL, 0};
    struct error error;
    int status;

    config->words = copy_words(argc, argv);
    status = options_parse(command, argc, argv, &operands, &error);
    if (status < 0)
        status = options_fail(command, &error);
    else
        status = status > 0 ? 0 : run(command, config);
    free(config->words);
    return status;
}

int main(int argc, char **argv)
{
    static const char *const unknown_models[] = {"refuse", "resnet50", NULL};
    struct config config = {
        .simulation = SIMULATION_DEFAULT,
        .testbed = TESTBED_DEFAULT,
        .simulate = true,
        .unknown_model = "refuse",
    };
    struct simulation *simulation = &config.simulation;
    policy_values_t *values = policy_values_new('_');
    const struct option_spec options[] = {
        OPTION_TEXT("trace_file", "FILE", &simulation->trace, "jobs to schedule, CSV"),
        OPTION_TEXT("cluster_spec", "FILE", &simulation->cluster,
                    "cluster to schedule them on, CSV or the name of one that came with Rubato, "
                    "such as n4g8 (32 nodes of 8 GPUs without it)"),
        OPTION_CHOICE("schedule", "POLICY", &simulation->policy, policy_choices(),
                      "how GPUs are shared among jobs"),
        OPTION_WORDS("rules", "RULES", &simulation->rules, rules_words(),
                     "reference, clean, or the quirks of the reference to put right, with commas "
                     "between them"),
        OPTION_CHOICE("scheme", "SCHEME", &simulation->placement, placement_names(),
                      "which GPUs a job gets, if not as the policy has it"),
        OPTION_CHOICE("admission", "MODULE", &simulation->admission, admission_names(),
                      ADMISSION_HELP),
        OPTION_TEXT("log_path", "DIR", &simulation->log_path, RESULTS_HELP),
        OPTION_SWITCH("force", &simulation->forced, RESULTS_FORCE_HELP),
        OPTION_TEXT("record", "FILE", &simulation->record, RECORD_HELP),
        OPTION_SWITCH("simulation", &config.simulate, "simulate instead of driving workers"),
        OPTIONS_OF_TESTBED(&config.testbed),
        OPTION_WHOLE("scheduling_slot", "SECONDS", &simulation->slot_s, 1, 1000000,
                     "length of a scheduling slot"),
        OPTION_WHOLE("restart_threshold", "ROUNDS", &simulation->restart_threshold, 0, 1000000000,
                     "rounds between restarts of all trainers, 0 for none; the published policies "
                     "heed it only where --rules put them right"),
        OPTION_TEXT("gpu_type", "TYPE", &simulation->gpu_type,
                    "throughput table to use, where the cluster names no GPU type"),
        OPTION_TEXT("throughputs", "DIR", &simulation->throughputs,
                    "folder of throughput tables, in Rubato's or the artifact's layout"),
        OPTION_CHOICE("past-deadlines", "WHAT", &config.simulation.past_deadlines,
                      simulation_past_deadlines, PAST_DEADLINES_HELP),
        OPTION_CHOICE("unknown_model", "WHAT", &config.unknown_model, unknown_models,
                      "what to do with a model that has no throughput table"),
        OPTIONS_OF_POLICIES(values),
        OPTION_SWITCH("print", &config.print, "print the figures of the run"),
        OPTION_SWITCH("check", &simulation->only_check,
                      "read and check all that the run needs, and stop without a run"),
        OPTIONS_OF_PUBLISHED(&config.published),
        OPTION_END,
    };
    const struct command command = {
        .name = "scheduler",
        .summary = "Schedule deadline-aware elastic training jobs on a GPU cluster",
        .text = "The last two lines on standard output are the numbers of accepted and of declined "
                "jobs.",
        .options = policy_values_join(values, options),
    };
    struct error error;
    int status;

    descriptors_open_standard();
    simulation->values = values;
    if (live_begin(argv, &error) < 0)
        status = options_fail(&command, &error);
    else
        status =
            is_to_serve(argv) ? live_serve(argc, argv) : run_line(&command, argc, argv, &config);
    policy_values_destroy(&values);
    return status;
}
