/* fifo.c - first come, first served: every job at the size it asked for, from its start to its end.
 *
 * `fifo` serves strictly in order: a job that does not fit holds up all jobs after it.
 * `fifo-first-fit` passes such a job over. GPUs that the job cannot use are then not idle, but
 * smaller jobs can keep it waiting for as long as they arrive. Jobs are not interrupted. A job that
 * lost its node waits in its place in the order of arrival. */
#include "scheduler/policies/policy.h"

static void find_free_gpus(const struct view *view, int free_gpus[])
{
    for (int pool = 0; pool < view_pools(view); pool++)
        free_gpus[pool] = view_gpus(view, pool);
    for (size_t i = 0; i < view->job_count; i++)
        free_gpus[view->jobs[i]->grant.pool] -= job_gpus(view->jobs[i]);
}

/* Serves jobs in the order of arrival. */
static void serve(const struct view *view, plan_t *plan, bool in_order)
{
    int free_gpus[CLUSTER_POOLS_MAX];
    bool blocked = false;

    find_free_gpus(view, free_gpus);
    plan_reset(plan, view);
    for (size_t i = 0; i < view->job_count; i++) {
        const struct job *job = view->jobs[i];
        int pool;

        if (job_holds(job)) {
            plan_grant(plan, view, i, job->grant);
            continue;
        }
        pool = blocked ? -1 : policy_pool_for(view, job, free_gpus);
        if (pool >= 0) {
            plan_allocate_in(plan, view, i, pool, job_scaling(job, pool)->top);
            free_gpus[pool] -= job->submission->gpus_requested;
        } else {
            blocked = in_order;
        }
    }
}

static int allocate_in_order(const struct view *view, plan_t *plan, struct error *error)
{
    (void)error;
    serve(view, plan, true);
    return 0;
}

static int allocate_first_fit(const struct view *view, plan_t *plan, struct error *error)
{
    (void)error;
    serve(view, plan, false);
    return 0;
}

const struct policy policy_fifo = {
    .name = "fifo",
    .summary = "first come, first served, strictly in order",
    .admission = &admission_fitting,
    .gpus_max = policy_gpus_requested,
    .allocate = allocate_in_order,
    .fixed_size = true,
    .mixes_types = true,
};

const struct policy policy_fifo_first_fit = {
    .name = "fifo-first-fit",
    .summary = "first come, first served; a job that does not fit is passed over",
    .admission = &admission_fitting,
    .gpus_max = policy_gpus_requested,
    .allocate = allocate_first_fit,
    .fixed_size = true,
    .mixes_types = true,
};
