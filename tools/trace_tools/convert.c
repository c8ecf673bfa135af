/* convert.c - `rubato trace convert`: the columns of a trace renamed, every cell kept as it is. */
#include "common/csv.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/output.h"
#include "scheduler/state/trace.h"
#include "tools/trace_tools/dialect.h"
#include "tools/trace_tools/trace_file.h"
#include "tools/verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
    const char *input;
    const char *output;
    const char *to;
};

static bool header_has(const csv_t *csv, const char *name)
{
    for (size_t place = 0; place < csv_header_count(csv); place++)
        if (!strcmp(csv_header_name(csv, place), name))
            return true;
    return false;
}

/* What the column at `place` is called in `dialect`; NULL if it is the spelling that loses to
 * another one in this file, since after the renaming it would stand in its way. */
static const char *new_name(const csv_t *csv, size_t place, enum dialect dialect)
{
    const char *name = csv_header_name(csv, place);
    const enum dialect_column column = dialect_column_of(name);
    const char *winner;

    if (column == DIALECT_COLUMN_COUNT)
        return name;
    winner = dialect_winning_name(column);
    if (strcmp(name, winner) != 0 && header_has(csv, winner))
        return NULL;
    return dialect_column_name(dialect, column);
}

static void write_cell(output_t *output, char delimiter, bool *first, const char *text,
                       size_t length)
{
    if (!*first)
        output_char(output, delimiter);
    *first = false;
    trace_file_cell(output, delimiter, text, length);
}

static void write_header(output_t *output, char delimiter, const char *const names[], size_t count)
{
    bool first = true;

    for (size_t place = 0; place < count; place++)
        if (names[place])
            write_cell(output, delimiter, &first, names[place], strlen(names[place]));
    output_char(output, '\n');
}

static void write_row(output_t *output, char delimiter, const csv_t *csv, const char *const names[])
{
    bool first = true;

    for (size_t place = 0; place < csv_header_count(csv); place++) {
        const struct csv_cell cell = csv_at(csv, place);

        if (names[place])
            write_cell(output, delimiter, &first, cell.text, cell.length);
    }
    output_char(output, '\n');
}

static int write_rows(csv_t *csv, output_t *output, const struct request *request,
                      struct error *error)
{
    const char delimiter = trace_file_delimiter(request->output);
    const size_t count = csv_header_count(csv);
    const char **names = xcalloc(count, sizeof(*names));
    int got;

    for (size_t place = 0; place < count; place++)
        names[place] = new_name(csv, place, dialect_find(request->to));
    write_header(output, delimiter, names, count);
    while ((got = csv_next(csv, error)) > 0)
        write_row(output, delimiter, csv, names);
    free(names);
    return got;
}

/* Only a trace that makes sense is converted; one that does not gets the reader's sentence. */
static int check_trace(const char *path, size_t *jobs, struct error *error)
{
    job_list_t *list = trace_read(path, &(struct trace_rules){.throughputs = NULL}, error);

    if (!list)
        return -1;
    *jobs = job_list_count(list);
    job_list_destroy(&list);
    return 0;
}

static int convert(const struct request *request, size_t *jobs, struct error *error)
{
    csv_t *csv;
    output_t *output;
    int result = -1;

    if (check_trace(request->input, jobs, error) < 0)
        return -1;
    csv = csv_open(request->input, trace_file_delimiter(request->input), error);
    if (!csv)
        return -1;
    output = trace_file_new(request->output, error);
    if (output && write_rows(csv, output, request, error) == 0)
        result = output_commit(&output, error);
    output_destroy(&output);
    csv_destroy(&csv);
    return result;
}

static int check_request(struct request *request, const struct operands *operands,
                         struct error *error)
{
    if (operands->count != 1)
        return error_set(error, "expected one trace, found %zu", operands->count);
    if (!request->to)
        return error_set(error, "name the dialect with --to: artifact or public");
    if (!request->output)
        return error_set(error, "name the trace to write with --output");
    request->input = operands->items[0];
    return 0;
}

static const char explanation[] =
    "artifact names the columns submit_time, iteration and ddl; public names them submission_time, "
    "num_iteration and deadline. Everything else is kept: the order of rows and columns, every "
    "cell, columns that neither dialect knows, and best_effort, which the public traces do not "
    "have but every reader here takes; so converting there and back gives the same file, line "
    "ends aside: they become LF. Of two "
    "spellings of a column in one file, the one that counts is kept. The input may be compressed, "
    "the output is not; one that ends in .txt is separated by blanks.";

int verb_trace_convert(int argc, char **argv)
{
    struct request request = {NULL, NULL, NULL};
    const struct option_spec options[] = {
        OPTION_CHOICE("to", "DIALECT", &request.to, dialect_names(),
                      "how the columns are called afterwards"),
        OPTION_TEXT("output", "FILE", &request.output, "the trace to write"),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato trace convert",
        .summary = "Write a trace in the other dialect",
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
    else if (printf("wrote %s: %zu jobs\n", request.output, jobs) < 0 || fflush(stdout) != 0)
        status = 1;
    free(operands.items);
    return status;
}
