/* one_by_one.c - an arrival is admitted if all deadlines can still be met with it.
 *
 * EF-Q36: a running job that is late already makes the answer no; best effort is no exception. */
#include "scheduler/reference/admissions.h"

#include <assert.h>

static int decide(prove_fn *prove, const struct view *view, plan_t *plan, struct verdict verdicts[],
                  struct error *error)
{
    int met;

    assert(view->arrival_count == 1);
    met = prove(view, plan, error);
    if (met < 0)
        return -1;
    plan->proven = met == 1;
    verdicts[0] = met == 1 ? verdict_promise(view->jobs[view->job_count - 1])
                           : verdict_decline(REASON_NO_ROOM);
    return 0;
}

const struct admission admission_one_by_one = {
    .name = "one-by-one", .promises = true, .proves = true, .one_by_one = true, .decide = decide};
