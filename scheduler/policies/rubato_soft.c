/* rubato_soft.c - see rubato.h. A job with a soft deadline is promised the best step that holds.
 * The later ones are what the promise falls to, one after the other, before it is withdrawn. */
#include "scheduler/policies/rubato.h"

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

static void set_step(const struct round *round, struct task *task, int step)
{
    task->step = step;
    price_until(round, task, task_stated_s(task));
}

bool soft_fall(const struct round *round, struct task *task)
{
    const int before = task->step;

    while (has_next(task)) {
        set_step(round, task, task->step + 1);
        if (isfinite(task->price))
            return true;
    }
    if (task->step != before)
        set_step(round, task, before);
    return false;
}

void soft_open(const struct round *round, struct task *task)
{
    if (!is_soft(task))
        return;
    set_step(round, task, 0);
    while (has_next(task) && task->step < round->first_step)
        set_step(round, task, task->step + 1);
    if (!isfinite(task->price))
        (void)soft_fall(round, task);
}

bool soft_fall_all(struct round *round)
{
    const int before = round->first_step;
    bool any = false;

    for (size_t i = 0; i < round->open.count; i++)
        any = has_next(round->open.items[i]) || any;
    round->first_step = any ? before + 1 : 0;
    if (round->first_step == before)
        return false;
    for (size_t i = 0; i < round->open.count; i++)
        soft_open(round, round->open.items[i]);
    task_list_sort(&round->open, round->planner.arena);
    return any;
}

/* Beyond all prices of jobs that can be in time. */
#define DEAR 1e100

double soft_loss(const struct task *task)
{
    return task->unit_price + (has_next(task) ? DEAR : 0);
}
