/* trace_file.c - see trace_file.h. */
#include "tools/trace_tools/trace_file.h"

#include "common/csv.h"

#include <string.h>

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text);
    const size_t end_length = strlen(end);

    return length >= end_length && !strcmp(text + length - end_length, end);
}

char trace_file_delimiter(const char *path)
{
    return csv_delimiter(path);
}

output_t *trace_file_new(const char *path, bool forced, struct error *error)
{
    static const char *const compressed[] = {".gz", ".zst", ".xz", ".bz2"};
    output_t *output;

    for (size_t i = 0; i < sizeof(compressed) / sizeof(compressed[0]); i++)
        if (ends_with(path, compressed[i])) {
            error_set(error,
                      "--output: expected a name that does not end in %s, for the file is "
                      "not compressed, found \"%s\"",
                      compressed[i], path);
            return NULL;
        }
    output = output_new(path, error);
    if (output)
        output_replace(output, forced);
    return output;
}

static bool needs_quotes(const char *text, size_t length, char delimiter)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] == delimiter || text[i] == '"' || text[i] == '\r' || text[i] == '\n')
            return true;
    return false;
}

void trace_file_cell(output_t *output, char delimiter, const char *text, size_t length)
{
    if (!needs_quotes(text, length, delimiter)) {
        output_bytes(output, text, length);
        return;
    }
    output_char(output, '"');
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"')
            output_char(output, '"');
        output_char(output, text[i]);
    }
    output_char(output, '"');
}

static void begin_cell(struct trace_row *row)
{
    if (row->begun)
        output_char(row->output, row->delimiter);
    row->begun = true;
}

void trace_row_cell(struct trace_row *row, const char *text, size_t length)
{
    begin_cell(row);
    trace_file_cell(row->output, row->delimiter, text, length);
}

void trace_row_text(struct trace_row *row, const char *text)
{
    trace_row_cell(row, text, strlen(text));
}

void trace_row_whole(struct trace_row *row, int64_t number)
{
    begin_cell(row);
    output_whole(row->output, number);
}

void trace_row_end(struct trace_row *row)
{
    output_char(row->output, '\n');
    row->begun = false;
}
