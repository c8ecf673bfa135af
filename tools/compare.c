/* compare.c - `rubato compare`: compares policies on traces, with one row for each pair. */
#include "common/memory.h"
#include "common/options.h"
#include "common/processes.h"
#include "common/suggestion.h"
#include "scheduler/admission/admission.h"
#include "scheduler/placement/placement.h"
#include "scheduler/policies/policy.h"
#include "scheduler/reference/quirks.h"
#include "scheduler/run/policy_values.h"
#include "scheduler/run/world_options.h"
#include "tools/chart.h"
#include "tools/comparison.h"
#include "tools/operand.h"
#include "tools/slot_note.h"
#include "tools/verbs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLICIES_MAX 32

struct config {
    struct simulation
        simulation;       /* settings of all cells; each policy takes the rules that concern it */
    const char *policies; /* names with commas between them */
    const char *expected;
    const char *columns; /* keys with commas between them; NULL for the usual columns */
    int64_t parallel;
    bool bound;
    bool json;
    bool csv;
    bool bars;
    struct world_setting world;
};

/* Splits "a,b" in place. Returns the number of names. */
static size_t split_names(char *text, const char **names, size_t room)
{
    size_t count = 0;
    char *rest = NULL;

    for (char *name = strtok_r(text, ",", &rest); name && count < room;
         name = strtok_r(NULL, ",", &rest))
        names[count++] = name;
    return count;
}

static bool is_among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

/* The policies of the comparison, and the rules that each follows. */
struct contest {
    const struct policy *policies[POLICIES_MAX];
    char *rules[POLICIES_MAX];
    size_t count;
};

static int list_policies(struct contest *contest, char *text, struct error *error)
{
    const char *names[POLICIES_MAX];

    contest->count = split_names(text, names, POLICIES_MAX);
    for (size_t i = 0; i < contest->count; i++) {
        if (is_among(names[i], names, i))
            return error_set(error, "--policies: %s is listed twice", names[i]);
        contest->policies[i] = policy_find(names[i]);
        if (!contest->policies[i]) {
            char hint[64];

            suggestion_print(names[i], policy_names(), "\"", "\"", hint, sizeof(hint));
            return error_set(error, "--policies: there is no policy \"%s\"%s", names[i], hint);
        }
    }
    if (contest->count == 0)
        return error_set(error, "--policies: expected at least one policy");
    return 0;
}

static int list_rules(struct contest *contest, const char *rules, struct error *error)
{
    if (rules_check(rules, contest->policies, contest->count, error) < 0)
        return -1;
    for (size_t i = 0; i < contest->count; i++)
        contest->rules[i] = rules_for(rules, contest->policies[i]);
    return 0;
}

static int list_cells(struct comparison *comparison, const struct config *config,
                      const struct operands *operands, const struct contest *contest,
                      struct error *error)
{
    const size_t count = contest->count;

    comparison->count = operands->count * count;
    comparison->bound_count = config->bound ? operands->count : 0;
    comparison->cells =
        xcalloc(comparison->count + comparison->bound_count, sizeof(*comparison->cells));
    for (size_t t = 0; t < operands->count; t++) {
        struct simulation simulation = config->simulation;

        if (operand_read(operands->items[t], &simulation, error) < 0)
            return -1;
        if (config->bound)
            comparison->cells[comparison->count + t] =
                (struct cell){.simulation = simulation, .is_bound = true};
        for (size_t p = 0; p < count; p++) {
            struct simulation *own = &comparison->cells[t * count + p].simulation;

            *own = simulation;
            own->policy = contest->policies[p]->name;
            own->rules = contest->rules[p];
        }
    }
    return 0;
}

/* Copies the bounds of a trace to the cells of all policies on it. */
static void spread_bounds(struct comparison *comparison)
{
    const struct cell *bounds = comparison->cells + comparison->count;

    for (size_t i = 0; i < comparison->count && comparison->bound_count > 0; i++) {
        const struct cell *bound = &bounds[i / (comparison->count / comparison->bound_count)];

        comparison->cells[i].figures.has_bounds = bound->state == CELL_DONE;
        comparison->cells[i].figures.bounds = bound->figures.bounds;
    }
}

/* Whether two simulations of one trace failed with the same error. A mistake in an input has the
 * same error under every policy. */
static bool fail_alike(const struct cell *a, const struct cell *b)
{
    return a->state == CELL_FAILED && b->state == CELL_FAILED &&
           !strcmp(a->error.text, b->error.text);
}

static bool begins_with(const char *text, const char *name)
{
    return name && !strncmp(text, name, strlen(name));
}

/* Whether the error already names the trace or the cluster with the mistake. */
static bool names_input(const struct cell *cell)
{
    return cell->is_bound || begins_with(cell->error.text, cell->simulation.trace) ||
           begins_with(cell->error.text, cell->simulation.cluster);
}

static bool same_trace(const struct cell *a, const struct cell *b)
{
    return !strcmp(a->simulation.trace, b->simulation.trace);
}

static bool is_told(const struct comparison *comparison, size_t index)
{
    const struct cell *cell = &comparison->cells[index];

    for (size_t i = 0; i < index; i++)
        if (fail_alike(&comparison->cells[i], cell) &&
            (names_input(cell) || same_trace(&comparison->cells[i], cell)))
            return true;
    return false;
}

/* Prints the error of a cell. If the error does not name the input, the trace and the policies with
 * the same error come before it. */
static int tell_failure(const struct command *command, const struct comparison *comparison,
                        const struct cell *cell)
{
    const struct simulation *simulation = &cell->simulation;
    struct error error = cell->error;
    char policies[256] = "";
    char prefix[512];
    size_t used = 0;

    if (names_input(cell))
        return options_fail(command, &cell->error);
    for (size_t i = 0; i < comparison->count && used < sizeof(policies); i++)
        if (fail_alike(&comparison->cells[i], cell) && same_trace(&comparison->cells[i], cell))
            used += (size_t)snprintf(policies + used, sizeof(policies) - used, "%s%s",
                                     used > 0 ? ", " : "", comparison->cells[i].simulation.policy);
    (void)snprintf(prefix, sizeof(prefix), "%s under %s", simulation->trace, policies);
    (void)error_prefix(&error, prefix);
    return options_fail(command, &error);
}

static size_t count_done(const struct comparison *comparison)
{
    size_t done = 0;

    for (size_t i = 0; i < comparison->count; i++)
        done += comparison->cells[i].state == CELL_DONE;
    return done;
}

/* Prints warnings and errors about all cells. Returns the exit status. */
static int complain(const struct command *command, const struct comparison *comparison)
{
    const size_t count = comparison->count + comparison->bound_count;
    struct error error;
    char expected[64];
    int status = 0;
    size_t stopped = 0;

    for (size_t i = 0; i < count; i++) {
        const struct cell *cell = &comparison->cells[i];

        if (cell->state == CELL_DONE)
            report_warn(command->name, &cell->figures);
        if (cell->state == CELL_FAILED)
            status = is_told(comparison, i) ? status : tell_failure(command, comparison, cell);
        else if (cell->state == CELL_WAITING)
            stopped++;
        else if (!cell->is_bound &&
                 !expected_agrees(comparison->expected, cell, expected, sizeof(expected))) {
            error_set(&error, "%s under %s: %" PRId64 "/%" PRId64 " accepted/declined, expected %s",
                      cell->simulation.trace, cell->simulation.policy, cell->figures.accepted,
                      cell->figures.declined, expected);
            options_fail(command, &error);
            status = status == 0 ? 1 : status;
        }
    }
    if (stopped > 0) {
        error_set(&error, "stopped: %zu of %zu simulations are done", count_done(comparison),
                  comparison->count);
        options_fail(command, &error);
        status = 130;
    }
    return status;
}

/* Notes in `extras` in what the simulations differ, which gets a column each. */
static void choose_differences(const struct comparison *comparison, struct extras *extras)
{
    const struct cell *first = NULL;

    for (size_t i = 0; i < comparison->count; i++) {
        const struct cell *cell = &comparison->cells[i];

        if (cell->state != CELL_DONE)
            continue;
        if (!first)
            first = cell;
        extras->cluster |= !first->simulation.cluster != !cell->simulation.cluster ||
                           (first->simulation.cluster &&
                            strcmp(first->simulation.cluster, cell->simulation.cluster) != 0);
        extras->values |= cell->figures.outcomes.soft_jobs > 0 ||
                          (cell->figures.has_bounds && cell->figures.bounds.has_values);
        extras->slot |= first->simulation.slot_s != cell->simulation.slot_s;
        extras->gpu_type |= strcmp(first->gpu_type, cell->gpu_type) != 0;
    }
}

static void print_table(const struct config *config, struct comparison *comparison)
{
    struct extras extras = {.reference = config->expected != NULL, .bound = config->bound};
    const struct look look = look_of_stdout();

    choose_differences(comparison, &extras);
    if (!config->columns)
        comparison->columns = columns_usual(&extras);
    comparison_print_table(comparison);
    if (config->bars)
        chart_print(comparison, &look);
}

static int run(const struct command *command, const struct config *config,
               struct comparison *comparison)
{
    (void)cells_run(comparison->cells, comparison->count + comparison->bound_count,
                    processes_count(config->parallel), "compare");
    spread_bounds(comparison);
    if (config->json)
        comparison_print_json(comparison);
    else if (config->csv)
        comparison_print_csv(comparison);
    else if (count_done(comparison) > 0)
        print_table(config, comparison);
    return complain(command, comparison);
}

static int choose_columns(const struct config *config, struct columns *columns, struct error *error)
{
    const struct extras extras = {.reference = config->expected != NULL, .bound = config->bound};

    if (config->columns)
        return columns_choose(config->columns, &extras, columns, error);
    *columns = config->json ? columns_all(&extras) : columns_usual(&extras);
    return 0;
}

/* Refuses expected counts that have no row for this comparison, because every comparison would
 * agree with them. */
static int check_expected(const struct comparison *comparison, const char *path,
                          struct error *error)
{
    int64_t counts[2];

    if (!comparison->expected)
        return 0;
    for (size_t i = 0; i < comparison->count; i++)
        if (expected_find(comparison->expected, comparison->cells[i].simulation.trace,
                          comparison->cells[i].simulation.policy, &counts[0], &counts[1]) == 0)
            return 0;
    return error_set(error, "--reference: %s has no row for any of these traces and policies",
                     path);
}

static int prepare_and_run(const struct command *command, const struct config *config,
                           const struct operands *operands)
{

    struct comparison comparison = {.cells = NULL};
    struct contest contest = {.count = 0};
    char *text = xstrdup(config->policies ? config->policies : PUBLISHED_POLICIES);
    struct error error;
    int status = 0;

    if (list_policies(&contest, text, &error) < 0 ||
        policy_values_check(config->simulation.values, contest.policies, contest.count, &error) <
            0 ||
        policies_check_admission(config->simulation.admission, contest.policies, contest.count,
                                 &error) < 0 ||
        list_rules(&contest, config->simulation.rules, &error) < 0 ||
        choose_columns(config, &comparison.columns, &error) < 0)
        status = options_fail(command, &error);
    else
        policy_values_note(config->simulation.values, contest.policies, contest.count,
                           command->name);
    if (status == 0 && config->expected) {
        comparison.expected = expected_read(config->expected, &error);
        if (!comparison.expected)
            status = options_fail(command, &error);
    }
    if (status == 0) {
        status = list_cells(&comparison, config, operands, &contest, &error) < 0 ||
                         check_expected(&comparison, config->expected, &error) < 0
                     ? options_fail(command, &error)
                     : run(command, config, &comparison);
    }
    expected_destroy(&comparison.expected);
    free(comparison.cells);
    for (size_t i = 0; i < POLICIES_MAX; i++)
        free(contest.rules[i]);
    free(text);
    return status;
}

/* --bars is refused with --json and --csv, except on a terminal, where bars are the default. */
static int check_form(const struct config *config, struct error *error)
{
    if (config->json && config->csv)
        return error_set(error, "--json does not go with --csv: name one of them");
    if (config->bars && !look_of_stdout().terminal && (config->json || config->csv))
        return error_set(error, "--bars goes with the table, not with --%s",
                         config->json ? "json" : "csv");
    return 0;
}

int verb_compare(int argc, char **argv)
{
    struct config config = {
        .simulation = SIMULATION_DEFAULT,
        .world = WORLD_DEFAULT,
        .bars = look_of_stdout().terminal,
    };
    struct simulation *simulation = &config.simulation;
    policy_values_t *values = policy_values_new('-');
    const struct option_spec options[] = {
        OPTION_WORDS("policies", "LIST", &config.policies, policy_choices(),
                     "policies, with commas between them (all published ones without it)"),
        OPTION_WORDS("rules", "RULES", &simulation->rules, rules_words(),
                     "reference, clean, or the quirks of the reference to put right, with commas "
                     "between them; each policy follows those that concern it"),
        OPTION_TEXT("cluster", "FILE", &simulation->cluster,
                    "cluster of every trace that names none, CSV or the name of one that came with "
                    "Rubato, such as n4g8 (32 nodes of 8 GPUs without it)"),
        OPTION_CHOICE("placement", "SCHEME", &simulation->placement, placement_names(),
                      "which GPUs a job gets, if not as the policy has it"),
        OPTION_CHOICE("admission", "MODULE", &simulation->admission, admission_names(),
                      ADMISSION_HELP),
        OPTION_CHOICE("past-deadlines", "WHAT", &config.simulation.past_deadlines,
                      simulation_past_deadlines, PAST_DEADLINES_HELP),
        OPTION_WHOLE("slot", "SECONDS", &simulation->slot_s, 0, 1000000,
                     "length of a scheduling slot" SLOT_NOTE_HELP),
        OPTION_WHOLE("restart-threshold", "ROUNDS", &simulation->restart_threshold, 0, 1000000000,
                     "rounds between restarts of all trainers, 0 for none; the published policies "
                     "heed it only if EF-Q3 is put right"),
        OPTION_TEXT("gpu-type", "TYPE", &simulation->gpu_type,
                    "throughput table to use, where the cluster names no GPU type"),
        OPTION_TEXT("throughputs", "DIR", &simulation->throughputs,
                    "folder of throughput tables, in Rubato's or the artifact's layout"),
        OPTION_LETTER_WHOLE(
            'j', "parallel", "COUNT", &config.parallel, 0, 1024,
            "how many simulations run at the same time, 0 for one on each processor"),
        OPTION_TEXT("reference", "FILE", &config.expected,
                    "print these counts (CSV: trace,policy,accepted,declined) beside the others "
                    "and fail if they differ"),
        OPTION_SWITCH("bound", &config.bound, BOUNDS_HELP),
        OPTIONS_OF_POLICIES(values),
        OPTIONS_OF_WORLD(&config.world),
        OPTION_WORDS("columns", "LIST", &config.columns, columns_keys(),
                     "what to print, names of the CSV header with commas between them, or all"),
        OPTION_SWITCH("json", &config.json, "print JSON"),
        OPTION_SWITCH("csv", &config.csv, "print CSV"),
        OPTION_SWITCH(
            "bars", &config.bars,
            "draw below the table how many jobs were on time, and how many GPUs were used "
            "over time, as on a terminal"),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato compare",
        .summary = "Run policies on traces and print them side by side",
        .operands = "TRACE[@CLUSTER][@SLOT][@GPU]...",
        .text =
            "A trace may name the cluster, the slot in seconds and the GPU type that it runs with: "
            "testbed195@n16g8@240. "
            "Every simulation runs in a process of its own; WALL is the time of that process. "
            "ON TIME are the jobs that ended by their deadline, overheads included; BROKEN are "
            "those that were promised and did not. BOUND is how many any policy could end on "
            "time at most, where starts cost nothing. ARTIFACT ACCEPTED and ARTIFACT DECLINED are "
            "counted as the published artifact counts.",
        .options = policy_values_join(values, options),
    };
    struct operands operands = {NULL, 0};
    struct error error;
    int status = options_parse(&command, argc, argv, &operands, &error);

    simulation->world = &config.world;
    simulation->values = values;
    simulation->shares_values = true;
    if (status == 0 && operands.count == 0)
        status = error_set(&error, "expected at least one trace");
    if (status == 0)
        status = check_form(&config, &error);
    if (status != 0)
        status = status < 0 ? options_fail(&command, &error) : 0;
    else
        status = prepare_and_run(&command, &config, &operands);
    free(operands.items);
    policy_values_destroy(&values);
    return status;
}
