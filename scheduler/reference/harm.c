/* harm.c - see harm.h. */
#include "scheduler/reference/harm.h"

#include "common/memory.h"

#include <stdlib.h>

static bool is_late(const struct view *view, const plan_t *plan, size_t place)
{
    return plan->shares[place].finish_s > view->jobs[place]->submission->deadline_s;
}

/* Finds the jobs that are late without the arrivals. */
static int plan_without(plan_all_fn *plan_all, const struct view *view, plan_t *plan, bool late[],
                        struct error *error)
{
    struct view before = *view;

    before.job_count -= view->arrival_count;
    before.arrival_count = 0;
    if (plan_all(&before, plan, error) < 0)
        return -1;
    for (size_t i = 0; i < before.job_count; i++)
        late[i] = is_late(&before, plan, i);
    return 0;
}

int prove_no_harm(plan_all_fn *plan_all, const struct view *view, plan_t *plan, struct error *error)
{
    bool *late = xcalloc(view->job_count, sizeof(*late));
    int result = 1;

    if (plan_without(plan_all, view, plan, late, error) < 0 || plan_all(view, plan, error) < 0)
        result = -1;
    for (size_t i = 0; i < view->job_count && result == 1; i++)
        result = late[i] || !is_late(view, plan, i);
    free(late);
    return result;
}
