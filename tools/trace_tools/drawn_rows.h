/* drawn_rows.h - the rows of a trace whose jobs are drawn: all columns, or those that another
 * system's trace lacks. */
#ifndef TRACE_TOOLS_DRAWN_ROWS_H
#define TRACE_TOOLS_DRAWN_ROWS_H

#include "tools/trace_tools/dialect.h"
#include "tools/trace_tools/generator.h"
#include "tools/trace_tools/trace_file.h"

#include <stdbool.h>

struct drawn_rows {
    struct trace_row row;
    bool best_effort; /* whether the trace has a column best_effort; the fields below are about
                         other columns */
    bool users;
    bool virtual_clusters;
};

void drawn_rows_header(struct drawn_rows *self, enum dialect dialect);

/* Writes the row of a job. `name` is a valid name; `user` and `virtual_cluster` are used if the
 * trace has such columns. */
void drawn_rows_job(struct drawn_rows *self, const char *name, const char *user,
                    const char *virtual_cluster, const struct generated_job *job);

#endif
