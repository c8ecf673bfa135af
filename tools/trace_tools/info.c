/* info.c - `rubato trace info`: statistics of a trace, for users and as JSON. */
#include "common/data_file.h"
#include "common/json_text.h"
#include "common/options.h"
#include "common/output.h"
#include "scheduler/state/trace.h"
#include "tools/trace_tools/info_json.h"
#include "tools/trace_tools/summary.h"
#include "tools/verbs.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static double percent(size_t part, size_t whole)
{
    return 100 * (double)part / (double)whole;
}

/* Prints a text from a file, with '?' for control characters, which a terminal would obey. Returns
 * the number of bytes printed. */
static int print_text(const char *text)
{
    int length = 0;

    for (const char *c = text; *c; c++, length++)
        (void)putchar(*c >= 0 && (*c < ' ' || *c == '\x7f') ? '?' : *c);
    return length;
}

static void print_spread(const char *name, const struct spread *spread, int decimals)
{
    printf("  %-20s", name);
    if (spread->count == 0) {
        printf("not in the trace\n");
        return;
    }
    printf("mean %.*f, min %.*f, 10%% %.*f, 25%% %.*f, 50%% %.*f, 75%% %.*f, 90%% %.*f, "
           "99%% %.*f, max %.*f\n",
           decimals, spread->mean, decimals, spread->min, decimals, spread->p10, decimals,
           spread->p25, decimals, spread->p50, decimals, spread->p75, decimals, spread->p90,
           decimals, spread->p99, decimals, spread->max);
}

static void print_load(const struct summary *summary)
{
    const double busy = summary_gpus_busy(summary);

    printf("  %-20s", "offered load");
    if (summary->loading_jobs == 0)
        printf("not in the trace\n");
    else if (busy > 0)
        printf("%.1f GPU hours, %.1f GPUs busy on average over the span\n", summary->gpu_hours,
               busy);
    else
        printf("%.1f GPU hours\n", summary->gpu_hours);
}

static void print_gpus(const struct summary *summary)
{
    printf("\n  %-20s            jobs   share\n", "GPUs asked for");
    for (size_t i = 0; i < summary->gpus_count; i++) {
        const struct gpu_share *share = &summary->gpus[i];
        char gpus[16] = "not said";

        if (share->gpus > 0)
            (void)snprintf(gpus, sizeof(gpus), "%d", share->gpus);
        printf("  %-20s %15zu  %5.1f%%\n", gpus, share->jobs, percent(share->jobs, summary->jobs));
    }
}

/* Prints spaces up to column `width` after `length` characters. */
static void pad(int length, int width)
{
    printf("%*s", width > length ? width - length : 0, "");
}

static void print_models(const struct summary *summary)
{
    const int width = 20;

    printf("\n  %-*s batch      jobs   share\n", width, "model");
    for (size_t i = 0; i < summary->models_count; i++) {
        const struct model_share *share = &summary->models[i];

        printf("  ");
        pad(print_text(share->model), width);
        printf(" %-9d %5zu  %5.1f%%\n", share->batch_size, share->jobs,
               percent(share->jobs, summary->jobs));
    }
}

static void print_summary(const char *path, const struct summary *summary)
{
    const int64_t span_s = summary->last_submit_s - summary->first_submit_s;

    (void)print_text(path);
    printf("\n  %-20s%zu, %zu of them best effort (%.1f%%)\n", "jobs", summary->jobs,
           summary->best_effort_jobs, percent(summary->best_effort_jobs, summary->jobs));
    printf("  %-20s%" PRId64 " s to %" PRId64 " s, a span of %.2f h\n", "submissions",
           summary->first_submit_s, summary->last_submit_s, (double)span_s / 3600);
    if (span_s > 0)
        printf("  %-20s%.2f per hour\n", "arrivals", summary->arrivals_per_hour);
    print_load(summary);
    print_spread("duration, s", &summary->duration_s, 0);
    print_spread("tightness", &summary->tightness, 2);
    print_gpus(summary);
    print_models(summary);
}

/* Prints the trace at `path`, or adds the trace to `list` if that is not NULL. */
static int show(const char *path, json_t *list, bool first, struct error *error)
{
    submissions_t *jobs = trace_read(path, &(struct trace_rules){.throughputs = NULL}, error);
    struct summary summary;

    if (!jobs)
        return -1;
    summary = summary_of(jobs);
    if (list) {
        json_array_append_new(list, info_json(path, &summary));
    } else {
        if (!first)
            (void)putchar('\n');
        print_summary(path, &summary);
    }
    summary_free(&summary);
    submissions_destroy(&jobs);
    return 0;
}

static int print_list(json_t *list)
{
    json_t *document =
        json_pack("{s:i, s:O}", "schema_version", INFO_SCHEMA_VERSION, "traces", list);
    const bool failed = json_print(document);

    json_decref(document);
    return failed;
}

/* Shows all traces, even after an invalid trace. */
static int show_all(const struct command *command, const struct operands *operands, json_t *list)
{
    struct error error;
    bool first = true;
    int status = 0;

    for (size_t i = 0; i < operands->count; i++) {
        if (show(data_file(DATA_TRACES, operands->items[i]), list, first, &error) < 0)
            status = options_fail(command, &error);
        else
            first = false;
    }
    if ((list && print_list(list)) || output_flush_stdout() != 0)
        return 1;
    return status;
}

static const char explanation[] =
    "Quantiles are of nearest rank. Arrivals per hour count the gaps between the first and the "
    "last submission. Tightness is (deadline - submission) / duration, over the jobs that have "
    "both a deadline and a duration above 0. The offered load is the GPUs asked for times the "
    "duration, and how many GPUs that would keep busy from the first to the last submission.";

int verb_trace_info(int argc, char **argv)
{
    bool json = false;
    const struct option_spec options[] = {
        OPTION_SWITCH("json", &json, "print JSON: schema_version and one object a trace"),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato trace info",
        .summary = "Say what is in a trace",
        .operands = "TRACE...",
        .text = explanation,
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    json_t *list = NULL;
    const int parsed = options_parse(&command, argc, argv, &operands, &error);
    int status = 0;

    if (parsed == 0 && operands.count > 0) {
        list = json ? json_array() : NULL;
        status = show_all(&command, &operands, list);
    } else if (parsed <= 0) {
        if (parsed == 0)
            error_set(&error, "expected at least one trace");
        status = options_fail(&command, &error);
    }
    json_decref(list);
    free(operands.items);
    return status;
}
