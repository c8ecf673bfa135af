/* verb.c - `rubato report`: a page about one run, or about several runs side by side. */
#include "common/data_file.h"
#include "common/input.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/output.h"
#include "common/plural.h"
#include "tools/audit/same_inputs.h"
#include "tools/figure/chart_image.h"
#include "tools/report/document.h"
#include "tools/report/sweep_document.h"
#include "tools/verbs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* The largest number of lines in a chart that a reader can tell apart. */
#define RUNS_MAX 12

struct asked {
    const char *trace;
    const char *output;
    bool force;
};

/* Opens the page; without --force, an older page with other bytes stays. */
static output_t *open_page(const struct asked *asked, struct error *error)
{
    output_t *out = output_new(asked->output, error);

    if (out)
        output_replace(out, asked->force);
    return out;
}

static int write_page(const struct asked *asked, struct results runs[], size_t count,
                      struct error *error)
{
    output_t *out = open_page(asked, error);
    struct stat status;

    if (!out)
        return -1;
    document_write(runs, count, out);
    if (output_commit(&out, error) < 0)
        return -1;
    if (stat(asked->output, &status) == 0 && S_ISREG(status.st_mode))
        (void)fprintf(output_talk(asked->output), "%s: a report of %zu run%s, %.1f MB\n",
                      asked->output, count, PLURAL(count), (double)status.st_size / 1e6);
    return 0;
}

static int write_sweep(const struct asked *asked, const char *folder, struct error *error)
{
    output_t *out;
    int status;

    if (asked->trace)
        return error_set(error, "--trace: %s is a sweep, which has its own traces", folder);
    out = open_page(asked, error);
    if (!out)
        return -1;
    status = sweep_document_write(folder, out, error);
    image_close();
    if (status < 0) {
        output_destroy(&out);
        return -1;
    }
    if (output_commit(&out, error) < 0)
        return -1;
    if (!output_is_stdout(asked->output))
        printf("%s: a report of a sweep\n", asked->output);
    return 0;
}

static int run(const struct asked *asked, const struct operands *folders, struct error *error)
{
    struct results *runs = xcalloc(folders->count, sizeof(*runs));
    size_t count = 0;
    const char *trace = data_file(DATA_TRACES, asked->trace);
    int status = 0;

    while (status == 0 && count < folders->count) {
        status = results_read(&runs[count], folders->items[count], trace, error);
        if (status == 0 && runs[count].unchecked)
            same_inputs_remark("rubato report", folders->items[count]);
        count++;
    }
    if (status == 0)
        status = write_page(asked, runs, count, error);
    while (count > 0)
        results_close(&runs[--count]);
    free(runs);
    return status;
}

static const char explanation[] =
    "Writes one HTML file about the runs whose result folders are named. It needs no network and "
    "no "
    "other file. It shows the figures of each run, which job held which GPU at any time and why "
    "that changed, how promises were kept, how completion times and queueing delays are spread, "
    "and how full the cluster was. Several runs are drawn in the same charts.\n"
    "The folder of a sweep, alone, gives a page of its means with confidence intervals, drawn over "
    "the load or another parameter that has several values, and of the differences between "
    "policies with paired tests.\n"
    "The same folders give the same bytes.";

int verb_report(int argc, char **argv)
{
    struct asked asked = {.output = "report.html"};
    const struct option_spec options[] = {
        OPTION_TEXT("output", "FILE", &asked.output, "where to write the page, - for stdout"),
        OPTION_TEXT("trace", "FILE", &asked.trace,
                    "trace of the runs, if it is not any more where summary.json says"),
        OPTION_SWITCH("force", &asked.force, "replace a FILE that is there with other bytes"),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato report",
        .summary = "Write a page about one run or several, or about a sweep",
        .operands = "DIR...",
        .text = explanation,
        .options = options,
    };
    struct operands folders = {NULL, 0};
    struct error error;
    int status = options_parse(&command, argc, argv, &folders, &error);

    if (status == 0 && (folders.count < 1 || folders.count > RUNS_MAX))
        status = error_set(&error, "expected 1 to %d result folders, found %zu", RUNS_MAX,
                           folders.count);
    else if (status == 0 && folders.count == 1 && sweep_document_is_of(folders.items[0]))
        status = write_sweep(&asked, folders.items[0], &error);
    else if (status == 0)
        status = run(&asked, &folders, &error);
    free(folders.items);
    return status < 0 ? options_fail(&command, &error) : 0;
}
