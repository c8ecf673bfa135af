/* view.h - what a policy may know in a round: the time, the cluster's size and every live job. */
#ifndef PLAN_VIEW_H
#define PLAN_VIEW_H

#include "scheduler/state/job.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* policies/planning_rules.h, policies/sharing_rules.h and state/leasing.h; whoever carries a view along
 * need not know. */
struct planning_rules;
struct sharing_rules;
struct leasing;

struct view {
    int64_t now_s;
    int64_t slot_s;   /* length of a scheduling slot */
    int64_t event_s;  /* when a job last arrived or ended */
    size_t end_count; /* so many jobs ended in this round */
    int gpu_count;
    bool disturbed; /* a real cluster did otherwise than planned since the round before */
    /* Live jobs in the order of service that the last round left, then those that just arrived. */
    const struct job *const *jobs;
    size_t job_count;
    size_t arrival_count;                  /* so many at the end of `jobs` just arrived */
    const struct planning_rules *planning; /* in force; NULL for those of the published policies */
    const struct sharing_rules *sharing;   /* in force for the baselines */
    const struct leasing *leasing;         /* for a policy that lends GPUs by the lease */
};

#endif
