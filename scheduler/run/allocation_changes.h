/* allocation_changes.h - the changes of allocations in each round, and the use of the cluster
 * afterwards. Gathering them changes no decision. */
#ifndef RUN_ALLOCATION_CHANGES_H
#define RUN_ALLOCATION_CHANGES_H

#include "scheduler/engine/decision.h"
#include "scheduler/report/timeline_report.h"

#include <stddef.h>
#include <stdint.h>

typedef struct allocation_changes allocation_changes_t;

/* `gpu_type` names a pool that has no name; `rates` (or NULL), lent, are rates of jobs under a
 * policy that uses no throughput table. */
allocation_changes_t *allocation_changes_new(const char *gpu_type, const throughput_table_t *rates);
void allocation_changes_destroy(allocation_changes_t **self);

/* The changes of a round, their number in `count`: first jobs that are over, then those that lost
 * their GPUs, then the others in the order of placement. Lent until the next round. */
const struct allocation_change *
allocation_changes_step(allocation_changes_t *self, const struct decision *decision, size_t *count);

/* The use of the cluster after the last step, which was for `decision`. */
struct cluster_use allocation_changes_use(const allocation_changes_t *self,
                                          const struct decision *decision);

#endif
