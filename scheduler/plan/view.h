/* view.h - the inputs of a policy in a round: the time, the capacity and every live job. */
#ifndef PLAN_VIEW_H
#define PLAN_VIEW_H

#include "scheduler/plan/prices.h"
#include "scheduler/state/cluster.h"
#include "scheduler/state/job.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct view {
    int64_t now_s;
    int64_t slot_s;           /* length of a scheduling slot */
    int64_t slot_end_s;       /* the next planned round is not before */
    int64_t event_s;          /* when a job last arrived or ended */
    size_t end_count;         /* number of jobs that ended in this round */
    int gpu_count;            /* GPUs of nodes that are up, in all pools */
    const struct pool *pools; /* NULL for a single pool of gpu_count GPUs */
    int pool_count;
    bool disturbed; /* the cluster did otherwise than planned since the round before */
    /* Live jobs in the order of service that the last round left, then those that just arrived. */
    const struct job *const *jobs;
    size_t job_count;
    size_t arrival_count; /* number of jobs at the end of `jobs` that just arrived */
    size_t child_count;   /* number of jobs that wait for others to end, if the policy plans for
                             them */

    /* For policies that choose the GPUs themselves; NULL for others. */
    const cluster_t *cluster;
    const prices_t *all_prices;
    int (*own_price_s)(const void *memory, const struct job *job, const struct grant *grant);

    void *memory;      /* the policy's own, from its `open` */
    const void *rules; /* of the policy, see struct policy */
};

/* view_pools: the number of pools. view_gpus: the GPUs of a pool that are up. */
static inline int view_pools(const struct view *view)
{
    return view->pools ? view->pool_count : 1;
}

static inline int view_gpus(const struct view *view, int pool)
{
    return view->pools ? view->pools[pool].gpus_up : view->gpu_count;
}

/* Seconds that a start, resize or move to `grant` costs `job`, on GPUs that never ran together. */
static inline int view_price_s(const struct view *view, const struct job *job,
                               const struct grant *grant)
{
    return view->own_price_s ? view->own_price_s(view->memory, job, grant)
                             : prices_of_new(view->all_prices, grant->gpus);
}

#endif
