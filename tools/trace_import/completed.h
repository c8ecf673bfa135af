/* completed.h - another system's jobs as a trace: what the source does not say is drawn from a
 * seed, by the rule of the generator, and the file says so at its head. */
#ifndef TRACE_IMPORT_COMPLETED_H
#define TRACE_IMPORT_COMPLETED_H

#include "common/error.h"
#include "common/output.h"
#include "scheduler/state/throughput.h"
#include "tools/trace_import/foreign.h"
#include "tools/trace_tools/recipe.h"

#include <stddef.h>

/* How the GPU counts of the source fit those of the throughput table. */
struct completed_fit {
    int most;          /* the largest count of the table */
    size_t rounded;    /* jobs that ask for a count between two of the table's */
    size_t narrowed;   /* jobs that ask for more than the largest, and get that */
    double lost_share; /* of all GPU seconds, those that the narrowed jobs so lose; 0 to 1 */
};

/* Writes the trace of `jobs`, at least one and in order, with `delimiter` between its cells. Of
 * `recipe` counts what a job of known arrival, duration and GPUs still lacks: seed, models,
 * tightness, share of best effort; the first job comes at its start. `origin` is the command that
 * makes the trace again. `fit` says what had to be changed. -1 with `error` if no model fits. */
int completed_write(foreign_t *jobs, const struct recipe *recipe, const throughput_table_t *table,
                    const char *origin, char delimiter, output_t *output, struct completed_fit *fit,
                    struct error *error);

#endif
