/* scalings.h - the scalings of all jobs. Jobs with the same table rows and caps share theirs, one
 * for each pool of the cluster. */
#ifndef STATE_SCALINGS_H
#define STATE_SCALINGS_H

#include "common/archive.h"
#include "scheduler/state/cluster.h"
#include "scheduler/state/scaling.h"

/* The rows and GPUs that a job can use of each pool. */
struct uses {
    const struct throughput_row *rows[CLUSTER_POOLS_MAX]; /* NULL where the pool's table has none */
    int gpus_max[CLUSTER_POOLS_MAX];
};

typedef struct scalings scalings_t;

/* For the pools of `cluster`, lent, and a policy that keeps a plan or not, and needs powers of two
 * or takes rows with any GPU counts. Without a plan, GPUs that are to come back do not count. With
 * a plan, the only count of a row may be any, too. */
scalings_t *scalings_new(const cluster_t *cluster, bool keeps_plan, bool needs_powers);
void scalings_destroy(scalings_t **self);

/* The scalings for `uses`, by pool; they stay where they are. In a cluster of one pool a job
 * without a row holds gpus_max GPUs or none. NULL, with `error`, if a row makes none. */
const struct scaling *scalings_find(scalings_t *self, const struct uses *uses, struct error *error);

/* Renews all scalings after nodes left or came back. From then on jobs are planned on powers of
 * two. GPUs beyond the largest one are left to others. */
void scalings_renew(scalings_t *self);

/* Archives whether nodes ever left or came; see common/archive.h. Users of scalings find theirs
 * again. */
void scalings_archive(scalings_t *self, struct archive *archive);

#endif
