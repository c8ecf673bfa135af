/* allocation_changes.h - what each round changes of what jobs hold, and how the cluster is used
 * from then on.
 *
 * Nothing that is gathered here changes a decision. */
#ifndef RUN_ALLOCATION_CHANGES_H
#define RUN_ALLOCATION_CHANGES_H

#include "scheduler/engine/decision.h"
#include "scheduler/report/timeline_report.h"

#include <stddef.h>
#include <stdint.h>

typedef struct allocation_changes allocation_changes_t;

/* `gpu_type` names a pool that has no name; `rates` (or NULL), lent, are those of jobs under a
 * policy that asks no throughput table. */
allocation_changes_t *allocation_changes_new(const char *gpu_type, const throughput_table_t *rates);
void allocation_changes_destroy(allocation_changes_t **self);

/* The changes of a round, their number in `count`: jobs that are over, then those that hold nothing
 * any more, then the rest in the order of placement. Lent until the next round. */
const struct allocation_change *
allocation_changes_step(allocation_changes_t *self, const struct decision *decision, size_t *count);

/* How the cluster is used after the round that was stepped last, which `decision` is of. */
struct cluster_use allocation_changes_use(const allocation_changes_t *self,
                                          const struct decision *decision);

#endif
