/* everyone.c - no admission control: every job is admitted, and none is promised anything. */
#include "scheduler/admission/admission.h"

static int decide(prove_fn *prove, const struct view *view, plan_t *plan, struct verdict verdicts[],
                  struct error *error)
{
    const struct job *const *arrivals = view->jobs + view->job_count - view->arrival_count;

    (void)prove;
    (void)plan;
    (void)error;
    for (size_t k = 0; k < view->arrival_count; k++)
        verdicts[k] = verdict_try(arrivals[k], REASON_NO_PROMISES);
    return 0;
}

const struct admission admission_everyone = {.name = "everyone", .decide = decide};
