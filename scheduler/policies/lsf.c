/* lsf.c - least slack first, elastic: the job with the least time to spare is served first, and
 * gets the fewest GPUs that end it in time. The GPUs left make jobs faster in the same order.
 *
 * The slack of a job is the time that it could wait and still be in time on as many GPUs as are of
 * use to it. Jobs that are late, or have no deadline, come last. Nothing is promised and nothing is
 * planned ahead. A resize is made even if it costs more than it brings. The policy is a plain
 * baseline for policies that do better. Source: Mok and Dertouzos, Multiprocessor Scheduling in a
 * Hard Real-Time Environment, Seventh Texas Conference on Computing Systems, 1978; giving out GPUs
 * in two turns is ours. */
#include "common/sort.h"
#include "scheduler/policies/policy.h"

#include <math.h>

/* The slack of a job; INFINITY if its deadline plays no role. */
static double slack_s(const struct view *view, const struct job *job)
{
    const struct scaling *scaling = job->scaling;
    const double most = scaling->rate[scaling->fastest[scaling->reach]];
    const double slack =
        (double)(job->submission->deadline_s - view->now_s) - job->iterations_left / most;

    return job->submission->best_effort || slack < 0 ? INFINITY : slack;
}

/* Sorts jobs by slack. Jobs with the same slack keep the order of service. */
static const struct keyed *by_slack(const struct view *view, plan_t *plan)
{
    const size_t count = view->job_count;
    struct keyed *keys = arena_alloc(plan->scratch, 2 * count * sizeof(*keys));

    for (size_t i = 0; i < count; i++)
        keys[i] = (struct keyed){slack_s(view, view->jobs[i]), i};
    sort_keyed(keys, count, keys + count);
    return keys;
}

/* The first level above `level` with at most `gpus` GPUs that is faster than all below it, and ends
 * the job by `end_s`; 0 if there is none. */
static int level_above(const struct view *view, const struct job *job, int level, int gpus,
                       double end_s)
{
    const struct scaling *scaling = job->scaling;

    for (int more = level + 1; more <= scaling->reach && scaling->gpus[more] <= gpus; more++)
        if (scaling->fastest[more] == more &&
            (double)view->now_s + job->iterations_left / scaling->rate[more] <= end_s)
            return more;
    return 0;
}

/* Gives each job in turn the GPUs that end it in time, or the fewest that it runs on. If the job
 * `grows`, it gets all GPUs that make it faster. Returns how many GPUs are left. */
static int serve(const struct view *view, plan_t *plan, const struct keyed *order, int gpus,
                 bool grows)
{
    for (size_t i = 0; i < view->job_count && gpus > 0; i++) {
        const struct job *job = view->jobs[order[i].item];
        const bool hurries = !grows && isfinite(order[i].key);
        const double end_s = hurries ? (double)job->submission->deadline_s : INFINITY;
        const int before = plan->shares[order[i].item].grant.gpus;
        int level = before > 0 ? scaling_fit(job->scaling, before) : 0;
        int next;

        gpus += before;
        do {
            next = level_above(view, job, level, gpus, end_s);
            level = next > 0 ? next : level;
        } while (grows && next > 0);
        gpus -= job->scaling->gpus[level];
        plan_allocate(plan, view, order[i].item, level);
    }
    return gpus;
}

static int allocate(const struct view *view, plan_t *plan, struct error *error)
{
    const struct keyed *order;
    int gpus;

    (void)error;
    plan_reset(plan, view);
    order = by_slack(view, plan);
    gpus = serve(view, plan, order, view->gpu_count, false);
    (void)serve(view, plan, order, gpus, true);
    return 0;
}

const struct policy policy_lsf = {
    .name = "lsf",
    .summary = "least slack first, elastic: GPUs to the jobs with least time to spare",
    .needs_powers = true,
    .admission = &admission_runnable,
    .gpus_max = policy_gpus_fastest,
    .allocate = allocate,
};
