/* shares.h - what is promised ahead to the users and groups whose share of the cluster is limited.
 *
 * Promised ahead to a share are, of all promised jobs that count for the share, the GPU-seconds of
 * the work that each has left, on that number of GPUs which takes fewest of all numbers that are
 * fast enough for the job from its submission to its deadline. That is a function of submission and
 * work left alone, and nothing of it is remembered. With s GPU-seconds for an iteration so, r the
 * highest rate and d the deadline, a job whose promise holds has at most r (d - t) iterations left
 * at any t, which says when a share is free again, whatever else happens. */
#ifndef PLANNER_SHARES_H
#define PLANNER_SHARES_H

#include "scheduler/planner/task_list.h"
#include "scheduler/state/verdict.h"

/* Whether every share of `task` leaves room for a promise to it beside those to `promised`, on a
 * cluster of `gpus` GPUs. If not `*seen` tells of the first one that does not; otherwise it is
 * zero. */
bool shares_allow(const struct task_list *promised, const struct task *task, int gpus,
                  int64_t now_s, struct share_seen *seen);

/* GPU-seconds of the work that a job has left, as they count for its shares. */
double shares_need(const struct job *job);

#endif
