/* metrics.h - figures that papers report beside the counts of a run, gathered during the run: how
 * often jobs were disturbed, how long they waited, how fair their ends were, and what service each
 * queue gave. docs/metrics.md defines every figure.
 *
 * Gathering them changes no decision. */
#ifndef RUN_METRICS_H
#define RUN_METRICS_H

#include "scheduler/engine/decision.h"
#include "scheduler/policies/policy.h"
#include "scheduler/report/report.h"
#include "scheduler/run/allocation_changes.h"

#include <stddef.h>
#include <stdint.h>

typedef struct metrics metrics_t;

/* For a run under `policy` (lent) on a cluster of `gpus` GPUs. */
metrics_t *metrics_new(const struct policy *policy, int gpus);
void metrics_destroy(metrics_t **self);

/* Takes in a round, which changed `count` allocations; `memory` is the policy's own. */
void metrics_step(metrics_t *self, const struct decision *decision,
                  const struct allocation_change changes[], size_t count, void *memory);

/* Completes the figures of the run that are gathered here. */
void metrics_count(metrics_t *self, struct figures *figures);

#endif
