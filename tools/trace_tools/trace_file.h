/* trace_file.h - writes the text of a trace so that a reader gets every cell unchanged. */
#ifndef TRACE_TOOLS_TRACE_FILE_H
#define TRACE_TOOLS_TRACE_FILE_H

#include "common/error.h"
#include "common/output.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The help of --force, for verbs that write a trace. */
#define TRACE_FORCE_HELP "replace a FILE that is there with other bytes"

/* The character between two cells of the trace called `path`: a blank for a name that ends in .txt,
 * else a comma. */
char trace_file_delimiter(const char *path);

/* Starts the trace that will be `path`, see output_new. Without `forced`, another file with that
 * name stays, see output_replace. Returns NULL, with `error`, if the file cannot be written, or if
 * its name has the ending of a compressed file, since traces are written uncompressed. */
output_t *trace_file_new(const char *path, bool forced, struct error *error);

/* Writes one cell, quoted if necessary. */
void trace_file_cell(output_t *output, char delimiter, const char *text, size_t length);

/* A row in the making, written cell by cell. */
struct trace_row {
    output_t *output;
    char delimiter;
    bool begun;
};

void trace_row_cell(struct trace_row *row, const char *text, size_t length);
void trace_row_text(struct trace_row *row, const char *text);
void trace_row_whole(struct trace_row *row, int64_t number);

/* Ends the row; the next cell starts another row. */
void trace_row_end(struct trace_row *row);

#endif
