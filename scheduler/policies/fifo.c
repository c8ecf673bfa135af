/* fifo.c - first come, first served: every job at the size it asked for, from its start to its end.
 *
 * `fifo` serves strictly in order, so that a job which does not fit holds up all behind it;
 * `fifo-first-fit` passes over it, so that GPUs it cannot use are not idle, and can keep it waiting
 * for as long as smaller jobs arrive. Jobs are not interrupted; one whose node is gone waits in its place in
 * the order of arrival. */
#include "scheduler/policies/policy.h"

static int gpus_held(const struct view *view)
{
    int gpus = 0;

    for (size_t i = 0; i < view->job_count; i++)
        gpus += job_gpus(view->jobs[i]);
    return gpus;
}

/* The order of service is that of arrival. */
static void serve(const struct view *view, plan_t *plan, bool in_order)
{
    int free_gpus = view->gpu_count - gpus_held(view);
    bool blocked = false;

    plan_reset(plan, view);
    for (size_t i = 0; i < view->job_count; i++) {
        const struct job *job = view->jobs[i];
        const bool fits = job->submission->gpus_requested <= free_gpus;

        if (job->level > 0) {
            plan_allocate(plan, view, i, job->level);
        } else if (fits && !blocked) {
            plan_allocate(plan, view, i, job->scaling->top);
            free_gpus -= job->submission->gpus_requested;
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
};

const struct policy policy_fifo_first_fit = {
    .name = "fifo-first-fit",
    .summary = "first come, first served; whoever does not fit is passed over",
    .admission = &admission_fitting,
    .gpus_max = policy_gpus_requested,
    .allocate = allocate_first_fit,
    .fixed_size = true,
};
