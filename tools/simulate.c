/* simulate.c - `rubato simulate`: runs one policy on one trace. */
#include "common/json_text.h"
#include "common/options.h"
#include "common/output.h"
#include "common/plural.h"
#include "scheduler/admission/admission.h"
#include "scheduler/placement/placement.h"
#include "scheduler/policies/policy.h"
#include "scheduler/record/record.h"
#include "scheduler/report/result_folder.h"
#include "scheduler/run/policy_values.h"
#include "scheduler/run/simulation.h"
#include "scheduler/run/world_options.h"
#include "tools/given_options.h"
#include "tools/slot_note.h"
#include "tools/unpaid_note.h"
#include "tools/verbs.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_metrics(const struct figures *figures)
{
    printf("preemptions             %" PRId64 ", %" PRId64 " migrations, %" PRId64 " resizes\n",
           figures->preemptions, figures->migrations, figures->resizes);
    printf("queueing delay          mean %.0f s, 99th percentile %.0f s\n",
           figures->queueing_delay_mean_s, figures->queueing_delay_p99_s);
    if (figures->finish_time_fairness_jobs > 0)
        printf("finish-time fairness    mean %.2f, 99th percentile %.2f, worst %.2f; %.1f %% of "
               "%" PRId64 " job%s fair\n",
               figures->finish_time_fairness_mean, figures->finish_time_fairness_p99,
               figures->finish_time_fairness_max, 100 * figures->fair_share,
               figures->finish_time_fairness_jobs, PLURAL(figures->finish_time_fairness_jobs));
    if (figures->queues == 0)
        return;
    printf("service by queue        ");
    for (int i = 0; i < figures->queues; i++)
        printf("%s%" PRId64, i > 0 ? ", " : "", figures->attained_service_gpu_s[i]);
    printf(" GPU s; %" PRId64 " demotions\n", figures->demotions);
}

/* Prints the figure on a line of its own, behind its key. */
static void print_figure(const struct figure *figure, const void *values)
{
    char name[64];
    char text[512];

    (void)snprintf(name, sizeof(name), "%s", figure->key);
    for (char *c = name; *c; c++)
        if (*c == '_')
            *c = ' ';
    if (figure_text(figure, values, text, sizeof(text)))
        printf("%-23s %s%s%s\n", name, text, figure->unit ? " " : "",
               figure->unit ? figure->unit : "");
}

static void print_own(const struct own_figures *own)
{
    const struct policy_figures *table = own->table;

    if (table && table->tell)
        table->tell(own->values);
    else if (table)
        for (const struct figure *item = table->items; item->kind != FIGURE_KIND_END; item++)
            print_figure(item, own->values);
}

static void print_survival(const struct survival_figures *figures)
{
    char chance[CHANCE_BYTES];

    if (figures->losses > 0)
        printf("  %d spare node%-10s%s of such jobs lose no more, where a node fails each %.0f s\n",
               figures->losses, figures->losses == 1 ? "" : "s",
               survival_text(figures->chance, chance), figures->mtbf_s);
}

static void print_outcomes(const struct figures *figures)
{
    const struct outcome_figures *outcomes = &figures->outcomes;

    printf("on time                 %" PRId64 ", %.1f %%\n", outcomes->on_time,
           100 * figures->on_time_share);
    if (outcomes->promises)
        printf("promised                %" PRId64 ", %" PRId64 " of them broken\n",
               outcomes->promised, outcomes->broken);
    else
        printf("promised                none\n");
    if (outcomes->withdrawn > 0)
        printf("  withdrawn             %" PRId64 "\n", outcomes->withdrawn);
    if (outcomes->promised_later > 0)
        printf("  after their arrival   %" PRId64 "\n", outcomes->promised_later);
    print_survival(&outcomes->survival);
    if (outcomes->falls > 0)
        printf("  fell to a later step  %" PRId64 " time%s\n", outcomes->falls,
               PLURAL(outcomes->falls));
    printf("best effort on time     %" PRId64 "\n", outcomes->best_effort_on_time);
    if (outcomes->soft_jobs > 0)
        printf("value kept              %.1f, %" PRId64 " soft deadline%s\n",
               outcomes->value_on_time, outcomes->soft_jobs, PLURAL(outcomes->soft_jobs));
}

static void print_bound(const char *name, const struct bound *bound)
{
    printf("%-24s%" PRId64 "%s%s\n", name, bound->jobs,
           bound->gap > 0 ? ", perhaps too large: " : "", bound->why.text);
}

static void print_value_bound(const char *name, const struct bound *bound)
{
    printf("%-24s%.1f%s%s\n", name, bound_value(bound->jobs),
           bound->gap > 0 ? ", perhaps too large: " : "", bound->why.text);
}

static void print_bounds(const struct trace_bounds *bounds)
{
    print_bound("bound", &bounds->free);
    print_bound("bound with overheads", &bounds->with_overheads);
    if (!bounds->has_values)
        return;
    print_value_bound("value bound", &bounds->value);
    print_value_bound("value with overheads", &bounds->value_with_overheads);
}

static void print_pools(const struct cluster_spec *cluster)
{
    for (int i = 0; i < cluster->pool_count; i++) {
        const struct pool_spec *pool = &cluster->pools[i];

        printf("%s%d %s on %d node%s of %d, pool %s\n",
               i == 0 ? "pools                   " : "                        ",
               pool_spec_gpus(pool), pool->gpu_type, pool_spec_nodes(pool),
               PLURAL(pool_spec_nodes(pool)), pool->gpus_per_node, pool->name);
    }
}

static void print_notes(const struct simulation *simulation)
{
    char note[SLOT_NOTE_BYTES];
    char unpaid[UNPAID_NOTE_BYTES];

    if (unpaid_note(simulation, unpaid))
        printf("%s\n", unpaid);
    if (slot_note(simulation, note))
        printf("%s\n", note);
}

static void print_figures(const struct simulation_result *result)
{
    const struct figures *figures = &result->figures;

    printf("jobs                    %" PRId64 ", %" PRId64 " with a deadline\n", figures->jobs,
           figures->deadline_jobs);
    print_outcomes(figures);
    if (figures->has_bounds)
        print_bounds(&figures->bounds);
    printf("artifact accepted       %" PRId64 ", deadline satisfaction %.1f %%\n",
           figures->accepted, 100 * figures->deadline_satisfaction);
    printf("artifact declined       %" PRId64 "\n", figures->declined);
    printf("JCT                     mean %.0f s, 99th percentile %.0f s\n", figures->jct_mean_s,
           figures->jct_p99_s);
    printf("makespan                %" PRId64 " s in %" PRId64 " round%s\n", figures->makespan_s,
           figures->rounds, PLURAL(figures->rounds));
    printf("GPU utilisation         %.1f %% of %d GPU%s on %d node%s\n",
           100 * figures->gpu_utilisation, result->gpus, PLURAL(result->gpus), result->nodes,
           PLURAL(result->nodes));
    if (result->cluster.pool_count > 1)
        print_pools(&result->cluster);
    print_metrics(figures);
    print_own(&figures->own);
    printf("simulated in            %.3f s\n", figures->wall_s);
}

static int check(const struct simulation *simulation, struct error *error)
{
    const struct world_setting *world = simulation->world;

    if (simulation->record && output_is_stdout(simulation->record))
        return error_set(error,
                         "--record: standard output has the figures of the run; name a file");
    if (simulation->with_inputs && !simulation->log_path)
        return error_set(error, "--with-inputs: name the folder of the results with --results");
    if (simulation->wants_bounds && (world->speed_error > 0 || world->overhead_factor != 1))
        return error_set(error, "--bound: is of speeds and overheads as the tables have them, not "
                                "of a world with --speed-error or --overhead-factor");
    return 0;
}

static int run(const struct command *command, const struct simulation *simulation, bool json)
{
    struct simulation_result result;
    struct error error;
    int exit_status = 0;
    int status;

    if (check(simulation, &error) < 0)
        return options_fail(command, &error);
    status = simulation_run(simulation, &result, &error);
    if (status != 0) {
        exit_status = options_fail(command, &error);
        return status > 0 ? 130 : exit_status;
    }
    report_tell(command->name, simulation->log_path);
    record_tell(command->name, simulation->record);
    report_warn(command->name, &result.figures);
    if (json) {
        exit_status = json_print(result.summary);
    } else {
        print_figures(&result);
        print_notes(simulation);
    }
    json_decref(result.summary);
    return exit_status;
}

/* Options that the summary has as fields of its own, or that do not change the run. */
static const char *const told_otherwise[] = {
    "policy",  "rules",       "placement", "admission", "gpu-type", "slot",   "restart-threshold",
    "cluster", "throughputs", "faults",    "results",   "force",    "record", "bound",
    "json",    "with-inputs", NULL};

int verb_simulate(int argc, char **argv)
{
    static const char *const unknown_models[] = {"refuse", "resnet50", NULL};
    const char *unknown_model = "refuse";
    bool json = false;
    struct world_setting world = WORLD_DEFAULT;
    struct simulation simulation = SIMULATION_DEFAULT;
    policy_values_t *values = policy_values_new('-');
    const struct option_spec options[] = {
        OPTION_CHOICE("policy", "POLICY", &simulation.policy, policy_choices(),
                      "how GPUs are shared among jobs"),
        OPTION_WORDS("rules", "RULES", &simulation.rules, rules_words(),
                     "reference, clean, or the quirks of the reference to put right, with commas "
                     "between them"),
        OPTION_TEXT("cluster", "FILE", &simulation.cluster,
                    "cluster to schedule them on, CSV or the name of one that came with Rubato, "
                    "such as n4g8 (32 nodes of 8 GPUs without it)"),
        OPTION_CHOICE("placement", "SCHEME", &simulation.placement, placement_names(),
                      "which GPUs a job gets, if not as the policy has it"),
        OPTION_CHOICE("admission", "MODULE", &simulation.admission, admission_names(),
                      ADMISSION_HELP),
        OPTION_WHOLE("slot", "SECONDS", &simulation.slot_s, 0, 1000000,
                     "length of a scheduling slot: between two rounds at least; 0 for a round "
                     "whenever something happens" SLOT_NOTE_HELP),
        OPTION_WHOLE("restart-threshold", "ROUNDS", &simulation.restart_threshold, 0, 1000000000,
                     "rounds between restarts of all trainers, 0 for none; the published policies "
                     "heed it only if EF-Q3 is put right"),
        OPTION_TEXT("gpu-type", "TYPE", &simulation.gpu_type,
                    "throughput table to use, where the cluster names no GPU type"),
        OPTION_TEXT("throughputs", "DIR", &simulation.throughputs,
                    "folder of throughput tables, in Rubato's or the artifact's layout"),
        OPTION_CHOICE("unknown-model", "WHAT", &unknown_model, unknown_models,
                      "what to do with a model that has no throughput table"),
        OPTION_CHOICE("past-deadlines", "WHAT", &simulation.past_deadlines,
                      simulation_past_deadlines, PAST_DEADLINES_HELP),
        OPTIONS_OF_POLICIES(values),
        OPTIONS_OF_WORLD(&world),
        OPTION_TEXT("results", "DIR", &simulation.log_path, RESULTS_HELP),
        OPTION_SWITCH("force", &simulation.forced, RESULTS_FORCE_HELP),
        OPTION_SWITCH("with-inputs", &simulation.with_inputs,
                      "keep copies of the trace, the cluster, the tables and the faults in the "
                      "folder of --results, so that the folder can be given away"),
        OPTION_TEXT("record", "FILE", &simulation.record, RECORD_HELP),
        OPTION_SWITCH("bound", &simulation.wants_bounds, BOUNDS_HELP),
        OPTION_SWITCH("json", &json, "print the figures as JSON"),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato simulate",
        .summary = "Simulate one policy on a trace of jobs",
        .operands = "TRACE",
        .options = policy_values_join(values, options),
    };
    struct operands operands = {NULL, 0};
    struct error error;
    json_t *before;
    int status;

    simulation.policy = SIMULATION_OWN_POLICY;
    simulation.values = values;
    before = given_options_now(command.options);
    status = options_parse(&command, argc, argv, &operands, &error);
    simulation.options = given_options(command.options, before, told_otherwise);
    json_decref(before);
    if (status == 0 && operands.count != 1)
        status = error_set(&error, "expected one trace, found %zu", operands.count);
    if (status == 0) {
        simulation.trace = operands.items[0];
        simulation_find_inputs(&simulation);
        simulation.label = simulation.policy;
        simulation.world = &world;
        simulation.unknown_model =
            !strcmp(unknown_model, "resnet50") ? UNKNOWN_MODEL_IS_RESNET50 : UNKNOWN_MODEL_REFUSED;
        simulation.wants_summary = json;
        simulation.keeps_others = true;
        status = run(&command, &simulation, json);
    } else {
        status = status < 0 ? options_fail(&command, &error) : 0;
    }
    json_decref(simulation.options);
    free(operands.items);
    policy_values_destroy(&values);
    return status;
}
