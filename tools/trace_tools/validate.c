/* validate.c - `rubato trace validate`: whether traces can be used, and which deadlines cannot be
 * met. */
#include "common/data_file.h"
#include "common/json_text.h"
#include "common/options.h"
#include "common/output.h"
#include "common/plural.h"
#include "scheduler/state/trace.h"
#include "tools/trace_tools/tables.h"
#include "tools/verbs.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Number of hopeless deadlines that get a warning each; further ones are only counted. */
#define WARNINGS_MAX 5

/* The seconds that `job` takes on the GPU count that suits it best; infinity if no count suits
 * it. */
static double fastest_s(const struct submission *job, int *gpus)
{
    const struct throughput_row *row = job->throughput;
    double rate = 0;

    *gpus = 0;
    for (int level = 0; level < row->level_count; level++)
        if (row->iters_per_s[level] > rate) {
            rate = row->iters_per_s[level];
            *gpus = row->gpus[level];
        }
    return rate > 0 ? (double)job->iterations / rate : (double)INFINITY;
}

/* Whether the deadline of `job` cannot be met; prints a warning about such a deadline if
 * `print`. */
static bool is_hopeless(const struct submission *job, const char *path, bool print)
{
    const double allowed_s = (double)(submission_last_s(job) - job->submit_s);
    int gpus;
    const double needed_s = fastest_s(job, &gpus);

    if (job->best_effort || needed_s <= allowed_s)
        return false;
    if (print && gpus > 0)
        (void)fprintf(stderr,
                      "%s:%" PRIu32 ": warning: job %s has %.0f s until its deadline and needs "
                      "%.0f s even on %d GPUs\n",
                      path, job->line, job->id, allowed_s, ceil(needed_s), gpus);
    else if (print)
        (void)fprintf(stderr,
                      "%s:%" PRIu32 ": warning: job %s has a deadline, but no GPU count in the "
                      "throughput table runs it\n",
                      path, job->line, job->id);
    return true;
}

/* Warns about deadlines that cannot be met. Returns their number. */
static size_t warn_about_deadlines(const char *path, submissions_t *jobs)
{
    size_t hopeless = 0;

    for (size_t i = 0; i < submissions_count(jobs); i++)
        hopeless += is_hopeless(submissions_at(jobs, i), path, hopeless < WARNINGS_MAX);
    if (hopeless > WARNINGS_MAX)
        (void)fprintf(stderr, "%s: warning: %zu more deadlines cannot be met on any GPU count\n",
                      path, hopeless - WARNINGS_MAX);
    return hopeless;
}

/* The table in which models are looked up, and whether to warn of deadlines that cannot be met. */
struct lookup {
    throughput_table_t *table;
    bool warns;
};

/* Validates a trace. The verdict is added to `list`, or printed if `list` is NULL. */
static int validate(const char *path, const struct lookup *lookup, json_t *list,
                    struct error *error)
{
    const struct trace_rules rules = {.throughputs = lookup->table,
                                      .unknown_model = UNKNOWN_MODEL_REFUSED};
    submissions_t *jobs = trace_read(path, &rules, error);
    size_t hopeless = 0;

    if (list && !jobs)
        json_array_append_new(list,
                              json_pack("{s:s, s:b, s:n, s:n, s:s}", "trace", path, "ok", false,
                                        "jobs", "hopeless_deadlines", "error", error->text));
    if (!jobs)
        return -1;
    if (lookup->warns)
        hopeless = warn_about_deadlines(path, jobs);
    if (list)
        json_array_append_new(
            list,
            json_pack("{s:s, s:b, s:I, s:o, s:n}", "trace", path, "ok", true, "jobs",
                      (json_int_t)submissions_count(jobs), "hopeless_deadlines",
                      lookup->warns ? json_integer((json_int_t)hopeless) : json_null(), "error"));
    else
        printf("%s: ok, %zu job%s\n", path, submissions_count(jobs),
               PLURAL(submissions_count(jobs)));
    submissions_destroy(&jobs);
    return 0;
}

static int validate_all(const struct command *command, const struct operands *operands,
                        const struct lookup *lookup, json_t *list)
{
    struct error error;
    int status = 0;

    for (size_t i = 0; i < operands->count; i++) {
        if (validate(data_file(DATA_TRACES, operands->items[i]), lookup, list, &error) < 0)
            status = options_fail(command, &error);
        if (output_flush_stdout() != 0)
            return 1;
    }
    return status;
}

/* Validates all traces and prints the verdicts as JSON. */
static int validate_as_json(const struct command *command, const struct operands *operands,
                            const struct lookup *lookup)
{
    json_t *list = json_array();
    const int status = validate_all(command, operands, lookup, list);
    json_t *root = json_pack("{s:i, s:o}", "schema_version", 1, "traces", list);
    const int failed = json_print(root);

    json_decref(root);
    return status != 0 ? status : failed;
}

/* The options: the folder and the GPU type of the throughput table, NULL for the defaults, and the
 * form of the answer. */
struct asked {
    const char *folder;
    const char *gpu_type;
    bool json;
};

static int run(const struct command *command, const struct operands *operands,
               const struct asked *where)
{
    struct lookup lookup = {.warns = where->gpu_type || where->folder};
    struct error error;
    int status;

    lookup.table = tables_read(where->folder, where->gpu_type ? where->gpu_type : "A100", &error);
    if (!lookup.table)
        return options_fail(command, &error);
    status = where->json ? validate_as_json(command, operands, &lookup)
                         : validate_all(command, operands, &lookup, NULL);
    throughput_destroy(&lookup.table);
    return status;
}

static const char explanation[] =
    "Prints \"TRACE: ok, N jobs\" for a trace that can be used; for another, what is wrong with it "
    "and where, and the exit status is 2: it refuses what rubato simulate refuses. Models and "
    "batch "
    "sizes must stand in the throughput table. With --gpu-type or --throughputs there is a warning "
    "about deadlines that the job cannot meet on any GPU count of the table even if it starts at "
    "once.";

int verb_trace_validate(int argc, char **argv)
{
    struct asked where = {NULL, NULL, false};
    const struct option_spec options[] = {
        OPTION_TEXT("gpu-type", "TYPE", &where.gpu_type,
                    "look models up in the throughput table of this type (A100 without it), and "
                    "warn of deadlines"),
        OPTION_TEXT("throughputs", "DIR", &where.folder,
                    "folder of throughput tables, in Rubato's or the artifact's layout (the one "
                    "that came with the program without it)"),
        OPTION_SWITCH("json", &where.json, "print JSON"),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato trace validate",
        .summary = "Check traces",
        .operands = "TRACE...",
        .text = explanation,
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    const int parsed = options_parse(&command, argc, argv, &operands, &error);
    int status = 0;

    if (parsed == 0 && operands.count > 0) {
        status = run(&command, &operands, &where);
    } else if (parsed <= 0) {
        if (parsed == 0)
            error_set(&error, "expected at least one trace");
        status = options_fail(&command, &error);
    }
    free(operands.items);
    return status;
}
