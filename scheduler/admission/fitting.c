/* fitting.c - every job is admitted, unless it asks for more GPUs than any pool has in which it can
 * run. */
#include "scheduler/admission/admission.h"

static bool fits(const struct view *view, const struct job *job)
{
    for (int pool = 0; pool < view_pools(view); pool++)
        if (job->submission->gpus_requested <= view_gpus(view, pool) &&
            (view_pools(view) == 1 || job_scaling(job, pool)->top > 0))
            return true;
    return false;
}

static int decide(prove_fn *prove, const struct view *view, plan_t *plan, struct verdict verdicts[],
                  struct error *error)
{
    const struct job *const *arrivals = view->jobs + view->job_count - view->arrival_count;

    (void)prove;
    (void)plan;
    (void)error;
    for (size_t k = 0; k < view->arrival_count; k++)
        verdicts[k] = fits(view, arrivals[k]) ? verdict_try(arrivals[k], REASON_NO_PROMISES)
                                              : verdict_decline(REASON_TOO_LARGE);
    return 0;
}

const struct admission admission_fitting = {.name = "fitting", .decide = decide};
