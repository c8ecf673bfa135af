/* together.c - the arrivals of an event are admitted if all deadlines can still be met with all of
 * them, as ElasticFlow's artifact decides.
 *
 * EF-Q35: arrivals share a decision, so a hopeless arrival takes the others down with it. EF-Q36: a
 * running job that is late already makes the answer no for all arrivals. */
#include "scheduler/reference/admissions.h"

static int decide(prove_fn *prove, const struct view *view, plan_t *plan, struct verdict verdicts[],
                  struct error *error)
{
    const struct job *const *arrivals = view->jobs + view->job_count - view->arrival_count;
    const int met = prove(view, plan, error);

    if (met < 0)
        return -1;
    plan->proven = met == 1;
    for (size_t k = 0; k < view->arrival_count; k++)
        verdicts[k] = admission_verdict(arrivals[k], met == 1);
    return 0;
}

const struct admission admission_together = {
    .name = "together", .promises = true, .proves = true, .decide = decide};
