/* convert.c - `rubato trace convert`: a trace in another dialect. Where only names differ, columns
 * are renamed and every cell is kept as it is. */
#include "common/csv.h"
#include "common/data_file.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/output.h"
#include "common/plural.h"
#include "scheduler/state/trace.h"
#include "tools/trace_tools/dialect.h"
#include "tools/trace_tools/rewrite.h"
#include "tools/trace_tools/trace_file.h"
#include "tools/verbs.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct request {
    const char *input;
    const char *output;
    bool forced;
    const char *to;
    bool keep_best_effort;
};

/* A valid trace, with the jobs in the order of its rows. */
struct source {
    submissions_t *list;
    const struct submission **jobs;
    size_t count;
    size_t idle; /* number of jobs with 0 GPUs, which are left out */
};

/* The name of the column at `place` in `dialect`. NULL if the file has another spelling of the
 * column that a reader prefers, because both would get the same name. */
static const char *new_name(const csv_t *csv, size_t place, enum dialect dialect)
{
    const char *name = csv_header_name(csv, place);
    const enum dialect_column column = dialect_column_of(name);

    if (column == DIALECT_COLUMN_COUNT)
        return name;
    return place == dialect_place(csv, column) ? dialect_column_name(dialect, column) : NULL;
}

static void write_header(struct trace_row *row, const char *const names[], size_t count)
{
    for (size_t place = 0; place < count; place++)
        if (names[place])
            trace_row_text(row, names[place]);
    trace_row_end(row);
}

static void write_row(struct trace_row *row, const csv_t *csv, const char *const names[])
{
    for (size_t place = 0; place < csv_header_count(csv); place++) {
        const struct csv_cell cell = csv_at(csv, place);

        if (names[place])
            trace_row_cell(row, cell.text, cell.length);
    }
    trace_row_end(row);
}

/* Whether the job asks for 0 GPUs in so many words: without a column num_gpu it does not. */
static bool is_idle(const csv_t *csv, const struct submission *job)
{
    return job->gpus_requested == 0 && dialect_place_of(csv, "num_gpu") != SIZE_MAX;
}

static int rename_columns(csv_t *csv, const struct source *source, enum dialect dialect,
                          struct trace_row *row, struct error *error)
{
    const size_t count = csv_header_count(csv);
    const char **names = xcalloc(count, sizeof(*names));
    int got;

    for (size_t place = 0; place < count; place++)
        names[place] = new_name(csv, place, dialect);
    write_header(row, names, count);
    for (size_t i = 0; (got = csv_next(csv, error)) > 0; i++)
        if (i >= source->count || !is_idle(csv, source->jobs[i]))
            write_row(row, csv, names);
    free(names);
    return got;
}

static int write_trace(csv_t *csv, const struct source *source, const struct request *request,
                       struct trace_row *row, struct error *error)
{
    const enum dialect dialect = dialect_find(request->to);
    const struct rewrite rewrite = {.csv = csv,
                                    .jobs = source->jobs,
                                    .count = source->count,
                                    .dialect = dialect,
                                    .keep_best_effort = request->keep_best_effort};

    if (dialect_is_chronus(csv) == (dialect == DIALECT_CHRONUS))
        return rename_columns(csv, source, dialect, row, error);
    return rewrite_trace(&rewrite, row, error);
}

/* Reads the trace to convert. An invalid trace is refused with the reader's sentence. */
static int read_source(const struct request *request, struct source *source, struct error *error)
{
    const struct trace_rules rules = {.throughputs = NULL,
                                      .zero_gpus = dialect_find(request->to) == DIALECT_CHRONUS};

    source->list = trace_read(request->input, &rules, error);
    if (!source->list)
        return -1;
    source->count = submissions_count(source->list);
    source->jobs = xcalloc(source->count, sizeof(*source->jobs));
    for (size_t i = 0; i < source->count; i++) {
        const struct submission *job = submissions_at(source->list, i);

        source->jobs[job->number] = job;
    }
    return 0;
}

/* Counts the jobs of 0 GPUs. Refuses a trace without any other job. */
static int count_idle(const csv_t *csv, struct source *source, struct error *error)
{
    for (size_t i = 0; i < source->count; i++)
        source->idle += is_idle(csv, source->jobs[i]);
    if (source->idle == source->count)
        return error_set(error, "%s: all jobs ask for 0 GPUs", csv_path(csv));
    return 0;
}

static int convert_rows(csv_t *csv, struct source *source, const struct request *request,
                        struct error *error)
{
    struct trace_row row = {.delimiter = trace_file_delimiter(request->output)};
    int result = -1;

    if (count_idle(csv, source, error) < 0)
        return -1;
    row.output = trace_file_new(request->output, request->forced, error);
    if (row.output && write_trace(csv, source, request, &row, error) == 0)
        result = output_commit(&row.output, error);
    output_destroy(&row.output);
    return result;
}

static int convert(const struct request *request, size_t *jobs, struct error *error)
{
    struct source source = {.list = NULL};
    csv_t *csv = NULL;
    int result = -1;

    if (read_source(request, &source, error) == 0)
        csv = csv_open(request->input, trace_file_delimiter(request->input), error);
    if (csv)
        result = convert_rows(csv, &source, request, error);
    if (result == 0 && source.idle > 0)
        (void)fprintf(stderr, "%s: warning: left out %zu job%s asking for 0 GPUs\n", request->input,
                      source.idle, PLURAL(source.idle));
    *jobs = source.count - source.idle;
    csv_destroy(&csv);
    free(source.jobs);
    submissions_destroy(&source.list);
    return result;
}

static int check_request(struct request *request, const struct operands *operands,
                         struct error *error)
{
    if (operands->count != 1)
        return error_set(error, "expected one trace, found %zu", operands->count);
    if (!request->to)
        return error_set(error, "name the dialect with --to: artifact, public or chronus");
    if (!request->output)
        return error_set(error, "name the trace to write with --output");
    if (request->keep_best_effort && dialect_find(request->to) != DIALECT_CHRONUS)
        return error_set(error, "--keep-best-effort goes with --to chronus, not with --to %s",
                         request->to);
    request->input = data_file(DATA_TRACES, operands->items[0]);
    return 0;
}

static const char explanation[] =
    "artifact names the columns submit_time, iteration and ddl; public names them submission_time, "
    "num_iteration and deadline. Between these two everything else is kept: the order of rows and "
    "columns, every cell, and columns that neither dialect knows. So converting there and back "
    "gives the same file, but for line ends, which become LF. best_effort is kept, too: the public "
    "traces do not have it, but every reader here takes it. Where one file has a column in several "
    "spellings, only the one that is read is kept.\n"
    "chronus is the dialect of that scheduler. It counts the deadline from the submission, knows a "
    "user for each job, and has columns of its own only. Jobs that ask for 0 GPUs are left out, "
    "with a warning. On the way back the columns are those of the published traces; a job with "
    "several deadlines cannot come back.\n"
    "The input may be compressed, the output is not. An output that ends in .txt is separated by "
    "blanks.";

int verb_trace_convert(int argc, char **argv)
{
    struct request request = {.input = NULL};
    const struct option_spec options[] = {
        OPTION_CHOICE("to", "DIALECT", &request.to, dialect_names(),
                      "how the columns are called afterwards"),
        OPTION_TEXT("output", "FILE", &request.output, "the trace to write, - for standard output"),
        OPTION_SWITCH("force", &request.forced, TRACE_FORCE_HELP),
        OPTION_SWITCH("keep-best-effort", &request.keep_best_effort,
                      "let jobs of best effort stay what they are in a trace of Chronus, where the "
                      "artifact's converter gives them a deadline that counts (CH-Q9)"),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato trace convert",
        .summary = "Write a trace in another dialect",
        .operands = "TRACE",
        .text = explanation,
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    size_t jobs;
    const int parsed = options_parse(&command, argc, argv, &operands, &error);
    int status = 0;

    if (parsed != 0)
        status = parsed < 0 ? options_fail(&command, &error) : 0;
    else if (check_request(&request, &operands, &error) < 0 || convert(&request, &jobs, &error) < 0)
        status = options_fail(&command, &error);
    else if (fprintf(output_talk(request.output), "wrote %s: %zu job%s\n",
                     output_name(request.output), jobs, PLURAL(jobs)) < 0 ||
             output_flush_stdout() != 0)
        status = 1;
    free(operands.items);
    return status;
}
