/* bound.c - `rubato bound`: the most jobs of a trace that can end on time. */
#include "common/busy_line.h"
#include "common/json_text.h"
#include "common/options.h"
#include "scheduler/run/bounds.h"
#include "tools/verbs.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define SCHEMA_VERSION 1

struct asked {
    struct simulation simulation; /* inputs of the bounds; the policy is unused */
    const char *starts;
    int64_t slot_s; /* 0 for no bounds in slots */
    int64_t time_limit_s;
    bool integer;
    bool json;
};

static void print_bound(const char *name, const struct bound *bound)
{
    printf("%-24s%" PRId64, name, bound->jobs);
    if (bound->gap == 0)
        printf("\n");
    else
        printf(", perhaps too large: %s\n", bound->why.text);
}

static void print_value_bound(const char *name, const struct bound *bound)
{
    printf("%-24s%.1f", name, bound_value(bound->jobs));
    if (bound->gap == 0)
        printf("\n");
    else
        printf(", perhaps too large: %s\n", bound->why.text);
}

static void print_in_slots(const struct trace_bounds *bounds)
{
    print_bound("bound in slots", &bounds->free_in_slots);
    print_bound("in slots with overheads", &bounds->with_overheads_in_slots);
    printf("                        of schedulers whose rounds come at multiples of %" PRId64
           " s\n",
           bounds->slot_s);
}

static void print(const struct asked *asked, const struct trace_bounds *bounds)
{
    const struct bound *bound = &bounds->with_overheads;

    printf("jobs                    %" PRId64 ", %" PRId64 " with a deadline\n", bounds->jobs,
           bounds->deadline_jobs);
    printf("on time alone           %" PRId64 " of them, each on an empty cluster of %d GPUs\n",
           bounds->alone, bounds->gpus);
    print_bound("bound", &bounds->free);
    print_bound("bound with overheads", bound);
    printf("                        of policies that pay for starts by the tables: not of edf "
           "(EF-Q38), themis (TH-Q4),\n"
           "                        gandiva (GA-Q10) and chronus as published\n");
    if (bounds->has_values) {
        print_value_bound("value bound", &bounds->value);
        print_value_bound("value with overheads", &bounds->value_with_overheads);
    }
    if (bounds->slot_s > 0)
        print_in_slots(bounds);
    if (asked->integer)
        printf("integer                 %" PRId64 ", with a gap of %" PRId64 "\n",
               bound->jobs - bound->gap, bound->gap);
}

static void add_in_slots(json_t *root, const struct trace_bounds *bounds)
{
    const struct bound *bound = &bounds->free_in_slots;
    const struct bound *paid = &bounds->with_overheads_in_slots;

    json_object_set_new(root, "slot", json_integer((json_int_t)bounds->slot_s));
    json_object_set_new(root, "bound_in_slots", json_integer((json_int_t)bound->jobs));
    json_object_set_new(root, "bound_in_slots_closed", json_boolean(bound->gap == 0));
    json_object_set_new(root, "bound_in_slots_with_overheads",
                        json_integer((json_int_t)paid->jobs));
    json_object_set_new(root, "bound_in_slots_with_overheads_closed", json_boolean(paid->gap == 0));
}

static void add_value(json_t *root, const char *name, const char *closed, const struct bound *bound)
{
    json_object_set_new(root, name, json_real(bound_value(bound->jobs)));
    json_object_set_new(root, closed, json_boolean(bound->gap == 0));
}

static int print_json(const struct asked *asked, const struct trace_bounds *bounds)
{
    const struct bound *bound = &bounds->with_overheads;
    json_t *root = json_pack(
        "{s:i, s:s, s:i, s:s, s:I, s:I, s:I, s:I, s:b, s:I, s:b}", "schema_version", SCHEMA_VERSION,
        "trace", asked->simulation.trace, "gpus", bounds->gpus, "starts", asked->starts, "jobs",
        (json_int_t)bounds->jobs, "deadline_jobs", (json_int_t)bounds->deadline_jobs, "alone",
        (json_int_t)bounds->alone, "bound", (json_int_t)bounds->free.jobs, "bound_closed",
        bounds->free.gap == 0, "bound_with_overheads", (json_int_t)bound->jobs,
        "bound_with_overheads_closed", bound->gap == 0);
    int failed;

    if (!root)
        return 1;
    if (bounds->has_values) {
        add_value(root, "value_bound", "value_bound_closed", &bounds->value);
        add_value(root, "value_bound_with_overheads", "value_bound_with_overheads_closed",
                  &bounds->value_with_overheads);
    }
    if (bounds->slot_s > 0)
        add_in_slots(root, bounds);
    if (asked->integer) {
        json_object_set_new(root, "integer", json_integer((json_int_t)(bound->jobs - bound->gap)));
        json_object_set_new(root, "gap", json_integer((json_int_t)bound->gap));
    }
    failed = json_print(root);
    json_decref(root);
    return failed;
}

/* Returns the exit status, or -1 with `error`. */
static int run(const struct asked *asked, struct error *error)
{
    const enum starts starts = strcmp(asked->starts, "new") ? STARTS_KNOWN : STARTS_NEW;
    const double limit_s = (double)asked->time_limit_s;
    struct trace_bounds bounds;
    int status;

    busy_line_begin("rubato bound",
                    (asked->slot_s > 0 ? 4 : 2) *
                        limit_s); /* 2 bounds, or 4 with slots, of at most `limit_s` each */
    status = bounds_find(&asked->simulation, starts, asked->slot_s, limit_s, &bounds, error);
    busy_line_end();
    if (status < 0)
        return -1;
    if (asked->json)
        return print_json(asked, &bounds);
    print(asked, &bounds);
    return 0;
}

static const char explanation[] =
    "Prints how many jobs could end on time at most under any scheduler, even one that knows the "
    "future, shares GPUs like a liquid and resizes jobs for nothing: the bound of a linear program "
    "over the intervals between arrivals and deadlines. Jobs that could end on time alone, on an "
    "empty cluster and after a start on GPUs that never ran together, are counted for "
    "comparison. Best-effort jobs are not counted. Where jobs differ in value or have soft "
    "deadlines, "
    "the value that could be kept is bounded in the same way.\n"
    "The bound with overheads also charges each job a start at every level that it trains at. A "
    "start costs least on GPUs that ran together before, so that the price \"known\" makes it hold "
    "for every policy that pays for starts by the tables: not for edf (EF-Q38), themis (TH-Q4) and "
    "gandiva (GA-Q10) unless --rules clean puts that right, nor for chronus, which has prices of "
    "its "
    "own. The price \"new\", that of GPUs that never ran "
    "together, may be too high: it makes a bound on schedules that always pay it.\n"
    "With --slot there are two more bounds, of schedulers whose rounds come at the multiples of "
    "the slot, from the time 0 of the trace on: each submission is moved up to the next multiple. "
    "They do not hold for the policies of rubato simulate, whose rounds come when something "
    "happens, at least a slot apart: there a job may begin between two multiples.";

int verb_bound(int argc, char **argv)
{
    static const char *const starts[] = {"known", "new", NULL};
    struct asked asked = {.simulation = SIMULATION_DEFAULT, .starts = "known", .time_limit_s = 60};
    struct simulation *simulation = &asked.simulation;
    const struct option_spec options[] = {
        OPTION_TEXT("cluster", "FILE", &simulation->cluster,
                    "cluster to schedule them on, CSV or the name of one that came with Rubato, "
                    "such as n4g8 (32 nodes of 8 GPUs without it)"),
        OPTION_TEXT("gpu-type", "TYPE", &simulation->gpu_type,
                    "throughput table to use, where the cluster names no GPU type"),
        OPTION_TEXT("throughputs", "DIR", &simulation->throughputs,
                    "folder of throughput tables, in Rubato's or the artifact's layout"),
        OPTION_CHOICE("starts", "PRICE", &asked.starts, starts,
                      "what the bound with overheads charges for a start"),
        OPTION_WHOLE("slot", "SECONDS", &asked.slot_s, 0, 1000000,
                     "also bound schedulers whose rounds come at multiples of this; 0: do not"),
        OPTION_SWITCH("integer", &asked.integer,
                      "also print how many whole jobs the best plan with overheads has"),
        OPTION_WHOLE("time-limit", "SECONDS", &asked.time_limit_s, 1, 1000000,
                     "how long to look for each figure; then the best bound so far is printed"),
        OPTION_SWITCH("json", &asked.json, "print the figures as JSON"),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato bound",
        .summary = "Bound how many jobs of a trace can end on time",
        .operands = "TRACE",
        .text = explanation,
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    const int parsed = options_parse(&command, argc, argv, &operands, &error);
    int status = -1;

    simulation->trace = operands.count == 1 ? operands.items[0] : NULL;
    free(operands.items);
    if (parsed > 0)
        return 0;
    simulation_find_inputs(simulation);
    if (parsed == 0 && simulation->trace)
        status = run(&asked, &error);
    else if (parsed == 0)
        error_set(&error, "expected one trace, found %zu", operands.count);
    return status < 0 ? options_fail(&command, &error) : status;
}
