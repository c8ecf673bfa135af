/* soft.c - see soft.h. */
#include "scheduler/planner/soft.h"

#include <math.h>

static bool is_soft(const struct task *task)
{
    return !task->is_divided && submission_is_soft(task->job->submission);
}

static bool has_next(const struct task *task)
{
    return is_soft(task) && (size_t)task->step + 1 < task->job->submission->level_count;
}

void soft_enter(struct task *task)
{
    task->step = 0;
    while (task->promised && has_next(task) && task_stated_s(task) < task->job->promise.deadline_s)
        task->step++;
    task->deadline_s = task_stated_s(task);
}

static void set_step(const struct pricing *pricing, struct task *task, int step)
{
    task->step = step;
    pricing_until(pricing, task, task_stated_s(task));
}

bool soft_fall(const struct pricing *pricing, struct task *task)
{
    const int before = task->step;

    while (has_next(task)) {
        set_step(pricing, task, task->step + 1);
        if (isfinite(task->price))
            return true;
    }
    if (task->step != before)
        set_step(pricing, task, before);
    return false;
}

void soft_open(const struct pricing *pricing, struct task *task, int first)
{
    if (!is_soft(task))
        return;
    set_step(pricing, task, 0);
    while (has_next(task) && task->step < first)
        set_step(pricing, task, task->step + 1);
    if (!isfinite(task->price))
        (void)soft_fall(pricing, task);
}

/* Finds a course without margins for a job without a promise, which may still be in time by its
 * profile. Margins serve promises only. */
static bool finds_without_margin(struct planner *planner, struct task *task)
{
    task_leave_margins(task);
    return (task->margin > 0 || task->start_margin > 0) && planner_find(planner, task);
}

bool soft_finds(const struct pricing *pricing, struct task *task, int first)
{
    struct planner *planner = pricing->planner;
    bool finds;

    soft_open(pricing, task, first);
    do
        finds = planner_find(planner, task) || finds_without_margin(planner, task);
    while (!finds && soft_fall(pricing, task));
    if (!finds)
        soft_open(pricing, task, first);
    return finds;
}

bool soft_fall_all(const struct pricing *pricing, struct task_list *tasks, int *first)
{
    const int before = *first;
    bool any = false;

    for (size_t i = 0; i < tasks->count; i++)
        any = has_next(tasks->items[i]) || any;
    *first = any ? before + 1 : 0;
    if (*first == before)
        return false;
    for (size_t i = 0; i < tasks->count; i++)
        soft_open(pricing, tasks->items[i], *first);
    task_list_sort(tasks, pricing->planner->arena);
    return any;
}

/* A loss beyond all prices of jobs that can be in time. */
#define DEAR 1e100

double soft_loss(const struct task *task)
{
    return task->unit_price + (has_next(task) ? DEAR : 0);
}
