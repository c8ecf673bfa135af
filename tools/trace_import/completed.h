/* completed.h - another system's jobs as a trace: what the source does not say is drawn from a
 * seed, by the rule of the generator, and the file says so at its head. */
#ifndef TRACE_IMPORT_COMPLETED_H
#define TRACE_IMPORT_COMPLETED_H

#include "common/error.h"
#include "common/output.h"
#include "scheduler/state/throughput.h"
#include "tools/trace_import/foreign.h"
#include "tools/trace_tools/recipe.h"

/* Writes the trace of `jobs`, at least one and in order, with `delimiter` between its cells. Of
 * `recipe` counts what a job of known arrival, duration and GPUs still lacks: seed, models,
 * tightness, share of best effort; the first job comes at its start. `origin` is the command that
 * makes the trace again. -1 with `error` if no model fits. */
int completed_write(foreign_t *jobs, const struct recipe *recipe, const throughput_table_t *table,
                    const char *origin, char delimiter, output_t *output, struct error *error);

#endif
