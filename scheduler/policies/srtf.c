/* srtf.c - shortest remaining time first: the jobs that need least time at the size they asked for
 * hold their GPUs, and whoever needs more gives way.
 *
 * A job that does not fit is passed over. Source: Schrage, Operations Research 16(3), 1968, for one
 * processor, where this minimises the mean completion time; the passing over is ours. */
#include "common/sort.h"
#include "scheduler/policies/policy.h"

static double remaining_s(const struct job *job)
{
    return job->iterations_left / job->scaling->rate[job->scaling->top];
}

/* Equal ones keep their order, so that nobody is interrupted for the sake of his equal. */
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
    int free_gpus = view->gpu_count;

    (void)error;
    plan_reset(plan, view);
    order_by_remaining_time(view, plan);
    for (size_t i = 0; i < view->job_count; i++) {
        const struct job *job = view->jobs[plan->order[i]];

        if (job->submission->gpus_requested > free_gpus)
            continue;
        plan_allocate(plan, view, plan->order[i], job->scaling->top);
        free_gpus -= job->submission->gpus_requested;
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
};
