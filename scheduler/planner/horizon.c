/* horizon.c - see horizon.h. */
#include "scheduler/planner/horizon.h"

#include "scheduler/planner/soft.h"
#include "scheduler/planner/stand.h"

#include <math.h>

/* The time from which the GPUs left are too few for the job, or at least for its fastest run. */
static int64_t known_until_s(const struct planner *planner, const struct task *task)
{
    const int top = task->usable[task->scaling->reach];
    int64_t until_s = NEVER_S;

    for (int level = 1; level <= top && until_s == NEVER_S; level++)
        if (task->usable[level] == level)
            until_s = planner_short_s(planner, task_gpus(task, level));
    return until_s < task->deadline_s ? until_s : planner_short_s(planner, task_gpus(task, top));
}

void horizon_look(const struct pricing *pricing, struct task *task, int first)
{
    const struct planner *planner = pricing->planner;

    task->stand->denied.known_until_s = 0;
    if (planner->closures.count == 0 || task->promised || task->waits || !isfinite(task->price) ||
        soft_finds(pricing, task, first))
        return;
    task->stand->denied.known_until_s = known_until_s(planner, task);
    if (task->stand->denied.known_until_s < 1) /* nodes are away at the very beginning */
        task->stand->denied.known_until_s = 1;
    task->price = INFINITY;
}
