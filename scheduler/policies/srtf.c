/* srtf.c - shortest remaining time first: the jobs that need the least time at the size they asked
 * for hold their GPUs, and a job that needs more gives way.
 *
 * A job that does not fit is passed over. In a cluster of several pools, its time is that in its
 * present pool, its last one, or one in which it could begin. Source: Schrage, Operations Research
 * 16(3), 1968, for one processor, where this minimises the mean completion time; the passing over
 * is ours. */
#include "common/sort.h"
#include "scheduler/policies/policy.h"

static double remaining_s(const struct job *job)
{
    return job->iterations_left / job->scaling->rate[job->scaling->top];
}

/* Orders jobs by remaining time. Equal jobs keep their order, so that none is interrupted for an
 * equal one. */
static void order_by_remaining_time(const struct view *view, plan_t *plan)
{
    const size_t count = view->job_count;
    struct keyed *keys = arena_alloc(plan->scratch, 2 * count * sizeof(*keys));

    for (size_t i = 0; i < count; i++)
        keys[i] = (struct keyed){remaining_s(view->jobs[i]), i};
    sort_keyed(keys, count, keys + count);
    for (size_t i = 0; i < count; i++)
        plan->order[i] = plan->service[i] = keys[i].item;
}

static int allocate(const struct view *view, plan_t *plan, struct error *error)
{
    int free_gpus[CLUSTER_POOLS_MAX];

    (void)error;
    for (int pool = 0; pool < view_pools(view); pool++)
        free_gpus[pool] = view_gpus(view, pool);
    plan_reset(plan, view);
    order_by_remaining_time(view, plan);
    for (size_t i = 0; i < view->job_count; i++) {
        const struct job *job = view->jobs[plan->order[i]];
        const int pool = policy_pool_for(view, job, free_gpus);

        if (pool < 0)
            continue;
        plan_allocate_in(plan, view, plan->order[i], pool, job_scaling(job, pool)->top);
        free_gpus[pool] -= job->submission->gpus_requested;
    }
    return 0;
}

const struct policy policy_srtf = {
    .name = "srtf",
    .summary = "shortest remaining time first, every job at the size it asked for",
    .admission = &admission_fitting,
    .gpus_max = policy_gpus_requested,
    .allocate = allocate,
    .fixed_size = true,
    .mixes_types = true,
};
