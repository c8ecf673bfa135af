/* bound.c - `rubato bound`: how many jobs of a trace can end on time at most. */
#include "scheduler/bound/bound.h"
#include "common/memory.h"
#include "common/options.h"
#include "scheduler/solver/milp_solver.h"
#include "scheduler/state/trace.h"
#include "tools/trace_tools/tables.h"
#include "tools/verbs.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA_VERSION 1

struct asked {
    const char *trace;
    const char *cluster; /* NULL for the usual one */
    const char *gpu_type;
    const char *throughputs;
    const char *starts;
    int64_t time_limit_s;
    bool integer;
    bool json;
};

struct answer {
    int gpus;
    int64_t jobs;
    int64_t deadline_jobs;
    int64_t alone;
    struct bound bound;
    struct bound bound_with_overheads;
    struct bound_whole whole;
};

static void print_bound(const char *name, const struct bound *bound)
{
    printf("%-24s%" PRId64, name, bound->jobs);
    if (bound->is_closed)
        printf("\n");
    else
        printf(", perhaps too large: %s after %zu of %zu intervals\n", bound->why.text,
               bound->intervals, bound->finest);
}

static void print_whole(const struct bound_whole *whole)
{
    if (whole->has_point)
        printf("integer                 %" PRId64 ", with a gap of %" PRId64 "\n", whole->jobs,
               whole->gap);
    else
        printf("integer                 none found\n");
}

static void print(const struct asked *asked, const struct answer *answer)
{
    printf("jobs                    %" PRId64 ", %" PRId64 " with a deadline\n", answer->jobs,
           answer->deadline_jobs);
    printf("on time alone           %" PRId64 " of them, each on an empty cluster of %d GPUs\n",
           answer->alone, answer->gpus);
    print_bound("bound", &answer->bound);
    print_bound("bound with overheads", &answer->bound_with_overheads);
    if (asked->integer)
        print_whole(&answer->whole);
}

static void add_whole(json_t *root, const struct bound_whole *whole)
{
    json_object_set_new(root, "integer",
                        whole->has_point ? json_integer(whole->jobs) : json_null());
    json_object_set_new(root, "gap", whole->has_point ? json_integer(whole->gap) : json_null());
}

static int print_json(const struct asked *asked, const struct answer *answer)
{
    json_t *root =
        json_pack("{s:i, s:s, s:i, s:s, s:I, s:I, s:I, s:I, s:b, s:I, s:b}", "schema_version",
                  SCHEMA_VERSION, "trace", asked->trace, "gpus", answer->gpus, "starts",
                  asked->starts, "jobs", (json_int_t)answer->jobs, "deadline_jobs",
                  (json_int_t)answer->deadline_jobs, "alone", (json_int_t)answer->alone, "bound",
                  (json_int_t)answer->bound.jobs, "bound_closed", answer->bound.is_closed,
                  "bound_with_overheads", (json_int_t)answer->bound_with_overheads.jobs,
                  "bound_with_overheads_closed", answer->bound_with_overheads.is_closed);
    int failed;

    if (!root)
        return 1;
    if (asked->integer)
        add_whole(root, &answer->whole);
    failed = json_dumpf(root, stdout, JSON_INDENT(2)) < 0 || putchar('\n') == EOF;
    json_decref(root);
    return failed;
}

/* ---- reading ---- */

static int read_cluster(const struct asked *asked, struct cluster_spec *cluster,
                        struct error *error)
{
    *cluster = cluster_spec_default();
    if (asked->cluster && cluster_spec_read(asked->cluster, cluster, error) < 0)
        return -1;
    if (cluster->pool_count > 1)
        return error_set(error, "%s: expected one pool of GPUs, found %d", asked->cluster,
                         cluster->pool_count);
    return 0;
}

/* The table that the jobs refer to is the caller's, too. */
static submissions_t *read_jobs(const struct asked *asked, const struct cluster_spec *cluster,
                                throughput_table_t **table, struct error *error)
{
    const char *own = cluster->pools[0].gpu_type;

    *table = tables_read(asked->throughputs, own[0] ? own : asked->gpu_type, error);
    if (!*table)
        return NULL;
    return trace_read(asked->trace, &(struct trace_rules){.throughputs = *table}, error);
}

/* ---- answers ---- */

/* The needs of jobs that meet their deadlines alone; the caller frees them. */
static struct need *find_needs(submissions_t *jobs, enum starts starts, int gpus, size_t *count)
{
    const struct start_prices prices = start_prices_of(starts, gpus);
    struct need *needs = xmalloc((submissions_count(jobs) + 1) * sizeof(*needs));

    *count = 0;
    for (size_t i = 0; i < submissions_count(jobs); i++)
        *count += need_of(submissions_at(jobs, i), gpus, &prices, &needs[*count]);
    return needs;
}

static int64_t count_alone(submissions_t *jobs, int gpus)
{
    size_t count;

    free(find_needs(jobs, STARTS_NEW, gpus, &count));
    return (int64_t)count;
}

static int64_t count_deadlines(submissions_t *jobs)
{
    int64_t count = 0;

    for (size_t i = 0; i < submissions_count(jobs); i++)
        count += !submissions_at(jobs, i)->best_effort;
    return count;
}

/* `whole` is filled in unless it is NULL. */
static struct bound find_bound(submissions_t *jobs, enum starts starts, int gpus,
                               const struct bound_limits *limits, struct bound_whole *whole)
{
    size_t count;
    struct need *needs = find_needs(jobs, starts, gpus, &count);
    bound_search_t *search = bound_search_new(needs, count, gpus, limits);
    const struct bound bound = bound_search_run(search);

    if (whole)
        *whole = bound_search_run_whole(search);
    bound_search_destroy(&search);
    free(needs);
    return bound;
}

static struct answer find_answer(const struct asked *asked, submissions_t *jobs, int gpus,
                                 const struct milp_solver *solver)
{
    const enum starts starts = strcmp(asked->starts, "new") ? STARTS_KNOWN : STARTS_NEW;
    const struct bound_limits limits = {.solver = solver, .seconds = (double)asked->time_limit_s};
    struct answer answer = {.gpus = gpus,
                            .jobs = (int64_t)submissions_count(jobs),
                            .deadline_jobs = count_deadlines(jobs),
                            .alone = count_alone(jobs, gpus)};

    answer.bound = find_bound(jobs, STARTS_FREE, gpus, &limits, NULL);
    answer.bound_with_overheads =
        find_bound(jobs, starts, gpus, &limits, asked->integer ? &answer.whole : NULL);
    return answer;
}

/* Returns the exit status, or -1 with `error`. */
static int run(const struct asked *asked, struct error *error)
{
    const struct milp_solver *solver = milp_find_solver("cbc", error);
    throughput_table_t *table = NULL;
    submissions_t *jobs = NULL;
    struct cluster_spec cluster;
    struct answer answer;
    int status = -1;

    if (!solver || read_cluster(asked, &cluster, error) < 0)
        return -1;
    jobs = read_jobs(asked, &cluster, &table, error);
    if (jobs) {
        answer = find_answer(asked, jobs, cluster_spec_gpus(&cluster), solver);
        status = asked->json ? print_json(asked, &answer) : 0;
        if (!asked->json)
            print(asked, &answer);
    }
    submissions_destroy(&jobs);
    throughput_destroy(&table);
    return status;
}

static const char explanation[] =
    "Prints how many jobs could end on time at most under any scheduler, even one that knows the "
    "future, shares GPUs like a liquid and resizes jobs for nothing: the bound of a linear program "
    "over the intervals between arrivals and deadlines, which Cbc solves. Jobs that could end on "
    "time alone, on an empty cluster and after a start on GPUs that never ran together, are "
    "counted "
    "for comparison. Best-effort jobs are not counted.\n"
    "The bound with overheads also charges each job a start at every level that it trains at. A "
    "start costs least on GPUs that ran together before, so that the price \"known\" makes it hold "
    "for every policy that pays for starts. The price \"new\", that of GPUs that never ran "
    "together, may be too high: it makes a bound on schedules that always pay it.";

int verb_bound(int argc, char **argv)
{
    static const char *const starts[] = {"known", "new", NULL};
    struct asked asked = {.gpu_type = "A100", .starts = "known", .time_limit_s = 60};
    const struct option_spec options[] = {
        OPTION_TEXT("cluster", "FILE", &asked.cluster,
                    "cluster to schedule them on, CSV (32 nodes of 8 GPUs without it)"),
        OPTION_TEXT("gpu-type", "TYPE", &asked.gpu_type,
                    "throughput table to use, where the cluster names no GPU type"),
        OPTION_TEXT("throughputs", "DIR", &asked.throughputs,
                    "folder of throughput tables, in Rubato's or the artifact's layout"),
        OPTION_CHOICE("starts", "PRICE", &asked.starts, starts,
                      "what the bound with overheads charges for a start"),
        OPTION_SWITCH("integer", &asked.integer,
                      "also solve the program with overheads for whole jobs"),
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

    asked.trace = operands.count == 1 ? operands.items[0] : NULL;
    free(operands.items);
    if (parsed > 0)
        return 0;
    if (parsed == 0 && asked.trace)
        status = run(&asked, &error);
    else if (parsed == 0)
        error_set(&error, "expected one trace, found %zu", operands.count);
    return status < 0 ? options_fail(&command, &error) : status;
}
