/* rewrite.h - the rows of a trace in a dialect that differs from its own in more than names: those
 * with one deadline as Chronus writes them, and back. What the other dialect has no column for is
 * left out. */
#ifndef TRACE_TOOLS_REWRITE_H
#define TRACE_TOOLS_REWRITE_H

#include "common/csv.h"
#include "common/error.h"
#include "scheduler/state/submission.h"
#include "tools/trace_tools/dialect.h"
#include "tools/trace_tools/trace_file.h"

#include <stdbool.h>
#include <stddef.h>

/* A trace between two dialects. */
struct rewrite {
    csv_t *csv;                           /* at its header; not of the dialect that is written */
    const struct submission *const *jobs; /* of its rows, as the reader understood them */
    size_t count;
    enum dialect dialect; /* that is written */
    bool keep_best_effort;
};

/* Writes the header and all rows; jobs of 0 GPUs are left out where the reader let them in. -1 with
 * `error` if a job cannot be said in the other dialect.
 *
 * Source: the converter of the published ElasticFlow artifact. CH-Q9: it loses the mark of best
 * effort, and so does this one unless `keep_best_effort`. */
int rewrite_trace(const struct rewrite *self, struct trace_row *row, struct error *error);

#endif
