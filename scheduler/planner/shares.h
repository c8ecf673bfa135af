/* shares.h - the GPU-seconds promised ahead to the users and groups whose share of the cluster is
 * limited.
 *
 * The GPU-seconds promised ahead to a share are a sum over all promised jobs that count for the
 * share. A job counts with its work left, on the number of GPUs that needs the fewest GPU-seconds
 * among the numbers that are fast enough from its submission to its deadline. The sum depends only
 * on submissions and work left, so none of it is remembered. With s GPU-seconds for an iteration, r
 * the highest rate and d the deadline, a job whose promise holds has at most r (d - t) iterations
 * left at any time t. This bound says when a share is free again, whatever else happens. */
#ifndef PLANNER_SHARES_H
#define PLANNER_SHARES_H

#include "scheduler/planner/task_list.h"
#include "scheduler/state/verdict.h"

/* Whether every share of `task` has room for a promise to `task` beside the promises to `promised`,
 * on a cluster of `gpus` GPUs. If not, `*seen` tells of the first share without room; otherwise it
 * is zero. */
bool shares_allow(const struct task_list *promised, const struct task *task, int gpus,
                  int64_t now_s, struct share_seen *seen);

/* GPU-seconds of a job's work left, as they count for its shares. */
double shares_need(const struct job *job);

#endif
