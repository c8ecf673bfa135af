/* newcomer.c - see newcomer.h. */
#include "scheduler/planner/newcomer.h"

#include "scheduler/planner/soft.h"

#include <math.h>

void newcomer_meet(struct newcomer *self, struct task *task, size_t before)
{
    self->task = self->arrivals == before ? task : NULL;
    self->arrivals++;
}

/* Slacks that are tried are whole numbers below this number, times a power of two of seconds. */
#define SLACKS 16

/* The longest slack of the series up to `slack_s`. */
static int64_t slack_below(int64_t slack_s)
{
    int64_t unit = 1;

    while (SLACKS * unit <= slack_s)
        unit *= 2;
    return slack_s / unit * unit;
}

void newcomer_try(struct newcomer *self)
{
    struct task *task = self->task;
    const int64_t deadline_s = self->pricing->planner->view->now_s + self->least_s + self->slack_s;

    if (task->step == self->step && task->deadline_s == deadline_s)
        return;
    task->step = self->step;
    pricing_until(self->pricing, task, deadline_s);
    pricing_hear(self->pricing, task);
}

/* Tries the newcomer with the longest slack up to `slack_s`. False if it cannot end in time with
 * any. */
static bool try_slack(struct newcomer *self, int64_t slack_s)
{
    self->step = self->task->step;
    if (slack_s < 0)
        return false;
    self->slack_s = slack_below(slack_s);
    newcomer_try(self);
    return true;
}

static bool open_step(struct newcomer *self)
{
    const int64_t now_s = self->pricing->planner->view->now_s;

    return try_slack(self, task_stated_s(self->task) - now_s - self->least_s);
}

/* The next step of a soft deadline. */
static bool open_next_step(struct newcomer *self)
{
    while (soft_fall(self->pricing, self->task))
        if (open_step(self))
            return true;
    return false;
}

/* Notes whether the newcomer `is_tried` on. */
static bool go_on(struct newcomer *self, bool is_tried)
{
    self->is_tried = is_tried;
    if (!is_tried)
        newcomer_close(self);
    return is_tried;
}

bool newcomer_open(struct newcomer *self)
{
    if (!self->task)
        return false;
    self->task->is_divided = false;
    self->least_s = (int64_t)ceil(planner_least_s(self->pricing->planner, self->task));
    if (job_waits(self->task->job))
        self->least_s += self->task->earliest_s - self->pricing->planner->view->now_s;
    soft_open(self->pricing, self->task, 0);
    return go_on(self, open_step(self) || open_next_step(self));
}

bool newcomer_shorten(struct newcomer *self)
{
    self->task->step = self->step;
    return go_on(self, try_slack(self, self->slack_s - 1) || open_next_step(self));
}

void newcomer_close(struct newcomer *self)
{
    struct task *task = self->task;

    self->is_tried = false;
    if (!task->promised)
        soft_open(self->pricing, task, 0);
    if (task->deadline_s != task_stated_s(task))
        pricing_until(self->pricing, task, task_stated_s(task));
    pricing_hear(self->pricing, task);
    if (!task->promised)
        task_list_sort(self->open, self->pricing->planner->arena);
}
