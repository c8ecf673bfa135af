/* trace_file.h - how the text of a trace is written, so that the reader takes it as it was meant.
 */
#ifndef TRACE_TOOLS_TRACE_FILE_H
#define TRACE_TOOLS_TRACE_FILE_H

#include "common/error.h"
#include "common/output.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* About --force, for the help of verbs that write a trace. */
#define TRACE_FORCE_HELP "replace a FILE that is there with other bytes"

/* The character between two cells of the trace called `path`: a blank in a *.txt, else a comma. */
char trace_file_delimiter(const char *path);

/* Starts the trace that will be `path`, see output_new; without `forced` another file with that
 * name stays, see output_replace. NULL, with `error` set, if it cannot be
 * written or its name promises a compressed file, which this is not. */
output_t *trace_file_new(const char *path, bool forced, struct error *error);

/* Writes one cell, quoted if it must be. */
void trace_file_cell(output_t *output, char delimiter, const char *text, size_t length);

/* A row that is being written, cell by cell. */
struct trace_row {
    output_t *output;
    char delimiter;
    bool begun;
};

void trace_row_cell(struct trace_row *row, const char *text, size_t length);
void trace_row_text(struct trace_row *row, const char *text);
void trace_row_whole(struct trace_row *row, int64_t number);

/* Ends it; the next cell starts another one. */
void trace_row_end(struct trace_row *row);

#endif
