/* fitting.c - every arrival is in, unless the cluster has fewer GPUs than the job asks for. */
#include "scheduler/admission/admission.h"

static int decide(prove_fn *prove, const struct view *view, plan_t *plan, struct verdict verdicts[],
                  struct error *error)
{
    const struct job *const *arrivals = view->jobs + view->job_count - view->arrival_count;

    (void)prove;
    (void)plan;
    (void)error;
    for (size_t k = 0; k < view->arrival_count; k++)
        verdicts[k] = arrivals[k]->submission->gpus_requested <= view->gpu_count
                          ? verdict_try(arrivals[k], REASON_NO_PROMISES)
                          : verdict_decline(REASON_TOO_LARGE);
    return 0;
}

const struct admission admission_fitting = {.name = "fitting", .decide = decide};
