/* completed.h - another system's jobs as a trace. Missing columns are drawn from a seed, as the
 * generator draws them, and the head of the file says so. */
#ifndef TRACE_IMPORT_COMPLETED_H
#define TRACE_IMPORT_COMPLETED_H

#include "common/error.h"
#include "common/output.h"
#include "scheduler/state/throughput.h"
#include "tools/trace_import/foreign.h"
#include "tools/trace_tools/recipe.h"

#include <stddef.h>

/* How the GPU counts of the source were fitted to the throughput table. */
struct completed_fit {
    int most;          /* the largest count of the table */
    size_t rounded;    /* number of jobs that ask for a count between two counts of the table */
    size_t narrowed;   /* number of jobs that ask for more than the table's largest count, and get
                          that count */
    double lost_share; /* share of all GPU seconds that narrowed jobs lose; 0 to 1 */
};

/* Writes the trace of `jobs`, at least one and in order, with `delimiter` between cells. `recipe`
 * gives the data that the source lacks: seed, models, tightness, share of best effort, and the time
 * of the first job. `origin` is the command that makes the trace again. `fit` counts the changed
 * GPU counts. Returns -1 with `error` if no model fits. */
int completed_write(foreign_t *jobs, const struct recipe *recipe, const throughput_table_t *table,
                    const char *origin, char delimiter, output_t *output, struct completed_fit *fit,
                    struct error *error);

#endif
