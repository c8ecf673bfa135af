/* rubato_easier.c - see rubato.h. A plan that ends a job by some time ends the job by any later
 * deadline, too, but the greedy planner and the forecast need not find that plan when they are
 * asked for the later deadline. */
#include "scheduler/policies/rubato.h"

#include <math.h>

/* The longest window of a whole number below 16 by a power of two that is shorter than `window_s`.
 * A job is tried by the same windows whatever its deadline, so that the windows of a later deadline
 * include those of an earlier one. */
static int64_t window_below(int64_t window_s)
{
    int64_t unit = 1;

    while (16 * unit < window_s)
        unit *= 2;
    return (window_s - 1) / unit * unit;
}

bool easier_shorten(const struct round *round, struct task *task)
{
    const int64_t now_s = round->view->now_s;

    price_until(round, task, now_s + window_below(task->deadline_s - now_s));
    return isfinite(task->price);
}

void easier_restore(const struct round *round, struct task *task)
{
    if (task->deadline_s != task_stated_s(task))
        price_until(round, task, task_stated_s(task));
}

bool easier_open(struct round *round)
{
    struct task *task = round->newcomer;
    bool ends = task != NULL;

    if (task)
        easier_restore(round, task);
    for (int k = 0; k < round->earlier && ends; k++)
        ends = easier_shorten(round, task);
    return ends;
}

bool easier_price_holds(struct round *round, const struct task *task, double margin)
{
    struct task earlier = *task;

    while (easier_shorten(round, &earlier))
        if (price_holds(round, &earlier, margin,
                        planner_reserved(&round->planner, (double)earlier.deadline_s)))
            return true;
    return false;
}
