/* rubato_reserve.c - what a promise keeps for the losses of nodes; see rubato.h.
 *
 * A loss is not told at once. The work since the last checkpoint is known when the node is gone,
 * but not how long the job waits for the lease of what it held there. Until it does something
 * again, its course pays for what the loss may still cost. */
#include "scheduler/policies/rubato.h"

#include <math.h>

/* Seconds that the job could work since the last round, on what it had by then. */
static double worked_s(const struct round *round, const struct stand *stand)
{
    const int64_t elapsed_s = round->view->now_s - round->memory->last_s;

    return stand->level > 0 ? fmax(0, (double)(elapsed_s - stand->charge_s)) : (double)elapsed_s;
}

/* What it lost since, in seconds of that work. */
static double lost_s(const struct round *round, const struct task *task)
{
    const struct stand *stand = task->stand;
    const double done = stand->left - task->left;

    if (stand->level == 0)
        return worked_s(round, stand);
    return worked_s(round, stand) - done / task->scaling->rate[stand->level];
}

/* Only what stood on a node that is lost has its GPUs taken away between rounds. */
static bool is_hit(const struct task *task)
{
    return task->stand->level > 0 && task->held == 0;
}

static double owed_s(const struct round *round, const struct task *task)
{
    const struct stand *stand = task->stand;

    if (is_hit(task) && (stand->losses > 0 || !task->promised))
        return fmax(0, (double)round->memory->asked.node_loss_s - fmax(0, lost_s(round, task)));
    if (stand->owed_s <= 0 || task->left < stand->left)
        return 0;
    return fmax(0, stand->owed_s - lost_s(round, task));
}

void reserve_enter(const struct round *round, struct task *task)
{
    const struct stand *stand = task->stand;

    if (!task->promised)
        task->losses = (int)round->memory->asked.spare_nodes;
    else
        task->losses = stand->losses > 0 ? stand->losses - is_hit(task) : 0;
    task->owed_s = owed_s(round, task);
}

bool reserve_spend(struct task *task)
{
    if (!task_has_reserve(task))
        return false;
    if (task->owed_s > 0)
        task->owed_s = 0;
    else
        task->losses--;
    return true;
}
