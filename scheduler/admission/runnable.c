/* runnable.c - every job is admitted, unless it runs on no number of GPUs that the cluster has. */
#include "scheduler/admission/admission.h"

static int decide(prove_fn *prove, const struct view *view, plan_t *plan, struct verdict verdicts[],
                  struct error *error)
{
    const struct job *const *arrivals = view->jobs + view->job_count - view->arrival_count;

    (void)prove;
    (void)plan;
    (void)error;
    for (size_t k = 0; k < view->arrival_count; k++) {
        const struct scaling *scaling = arrivals[k]->scaling;

        verdicts[k] = scaling->fastest[scaling->reach] > 0
                          ? verdict_try(arrivals[k], REASON_NO_PROMISES)
                          : verdict_decline(REASON_TOO_LARGE);
    }
    return 0;
}

const struct admission admission_runnable = {.name = "runnable", .decide = decide};
