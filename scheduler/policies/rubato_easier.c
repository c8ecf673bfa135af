/* rubato_easier.c - see rubato.h. Whether a job is promised its deadline is asked of a few
 * deadlines that are the same whichever the job has. So the tries of a later deadline include those
 * of an earlier one, and a later deadline is never refused where an earlier one is promised. */
#include "scheduler/policies/rubato.h"

#include <math.h>

/* Slacks that are tried: whole numbers below this one by a power of two of seconds. */
#define SLACKS 16

/* The longest of these up to `slack_s`. */
static int64_t slack_below(int64_t slack_s)
{
    int64_t unit = 1;

    while (SLACKS * unit <= slack_s)
        unit *= 2;
    return slack_s / unit * unit;
}

/* The newcomer is an arrival as any other: how scarce GPU time is hangs on its deadline, too. */
static void tell(struct round *round)
{
    struct demand *demand = &round->memory->demand;

    demand_hear(demand, &round->planner, round->newcomer);
    if (round->reserving.losses == 0)
        round->load = demand_load(demand, round->view, round->planner.gpus);
}

void easier_try(struct round *round)
{
    struct task *task = round->newcomer;
    const int64_t deadline_s = round->view->now_s + round->least_s + round->slack_s;

    if (task->step == round->step && task->deadline_s == deadline_s)
        return;
    task->step = round->step;
    price_until(round, task, deadline_s);
    tell(round);
}

/* Has this round try the longest slack up to `slack_s`. False if the job cannot end with any. */
static bool try_slack(struct round *round, int64_t slack_s)
{
    round->step = round->newcomer->step;
    if (slack_s < 0)
        return false;
    round->slack_s = slack_below(slack_s);
    easier_try(round);
    return true;
}

static bool open_step(struct round *round)
{
    return try_slack(round, task_stated_s(round->newcomer) - round->view->now_s - round->least_s);
}

/* The next step of a soft deadline. */
static bool open_next_step(struct round *round)
{
    while (soft_fall(round, round->newcomer))
        if (open_step(round))
            return true;
    return false;
}

bool easier_open(struct round *round)
{
    struct task *task = round->newcomer;

    if (!task)
        return false;
    round->least_s = (int64_t)ceil(planner_least_s(&round->planner, task));
    soft_open(round, task);
    round->comes = open_step(round) || open_next_step(round);
    if (!round->comes)
        easier_close(round);
    return round->comes;
}

bool easier_shorten(struct round *round)
{
    round->newcomer->step = round->step;
    round->comes = try_slack(round, round->slack_s - 1) || open_next_step(round);
    if (!round->comes)
        easier_close(round);
    return round->comes;
}

void easier_close(struct round *round)
{
    struct task *task = round->newcomer;

    if (!task)
        return;
    round->comes = false;
    if (!task->promised)
        soft_open(round, task);
    if (task->deadline_s != task_stated_s(task))
        price_until(round, task, task_stated_s(task));
    tell(round);
    if (!task->promised)
        task_list_sort(&round->open, round->planner.arena);
}
