/* fitting.c - whoever arrives is in, unless the cluster has fewer GPUs than the job asks for. */
#include "scheduler/admission/admission.h"

static int decide(prove_fn *prove, const struct view *view, plan_t *plan, bool admitted[],
                  struct error *error)
{
    const size_t live_count = view->job_count - view->arrival_count;

    (void)prove;
    (void)plan;
    (void)error;
    for (size_t k = 0; k < view->arrival_count; k++)
        admitted[k] = view->jobs[live_count + k]->submission->gpus_requested <= view->gpu_count;
    return 0;
}

const struct admission admission_fitting = {
    .name = "fitting", .declines_for = REASON_TOO_LARGE, .decide = decide};
