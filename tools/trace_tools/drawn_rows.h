/* drawn_rows.h - the rows of a trace whose jobs are drawn: wholly, or what another system's trace
 * does not say of them. */
#ifndef TRACE_TOOLS_DRAWN_ROWS_H
#define TRACE_TOOLS_DRAWN_ROWS_H

#include "tools/trace_tools/dialect.h"
#include "tools/trace_tools/generator.h"
#include "tools/trace_tools/trace_file.h"

#include <stdbool.h>

struct drawn_rows {
    struct trace_row row;
    bool best_effort; /* a column of its own, as each of the others */
    bool users;
    bool virtual_clusters;
};

void drawn_rows_header(struct drawn_rows *self, enum dialect dialect);

/* `name` is the job's, one that a trace may have; `user` and `virtual_cluster` count where there
 * are such columns. */
void drawn_rows_job(struct drawn_rows *self, const char *name, const char *user,
                    const char *virtual_cluster, const struct generated_job *job);

#endif
