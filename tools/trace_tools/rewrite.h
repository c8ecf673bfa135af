/* rewrite.h - rewrites a trace in a dialect that differs in more than names: from dialects with one
 * deadline to the dialect of Chronus, and back. Columns that the new dialect lacks are left out. */
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
    csv_t *csv; /* the trace, at its header, in another dialect than `dialect` */
    const struct submission *const *jobs; /* the jobs of the rows, as the reader understood them */
    size_t count;
    enum dialect dialect; /* the dialect to write */
    bool keep_best_effort;
};

/* Writes the header and all rows. Jobs of 0 GPUs that the reader accepted are left out. Returns -1
 * with `error` if the new dialect cannot express a job.
 *
 * Source: the converter of the published ElasticFlow artifact. CH-Q9: the converter loses the mark
 * of best effort, and so does this function unless `keep_best_effort` is set. */
int rewrite_trace(const struct rewrite *self, struct trace_row *row, struct error *error);

#endif
