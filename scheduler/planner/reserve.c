/* reserve.c - see reserve.h. */
#include "scheduler/planner/reserve.h"

#include <math.h>

/* The job's loss since the round before, in seconds of its possible work since that round. */
static double lost_s(const struct reserve *self, const struct reserving *reserving,
                     const struct task *task)
{
    const double worked_s = (double)(reserving->since_s - self->charge_s);

    if (self->level == 0)
        return (double)reserving->since_s;
    return fmax(0, worked_s) -
           (self->left - task->job->iterations_left) / task->scaling->rate[self->level];
}

/* Whether the job stood on a lost node: only such a job loses its GPUs between rounds. */
static bool is_hit(const struct reserve *self, const struct task *task)
{
    return self->level > 0 && task->held == 0;
}

static double owed_s(const struct reserve *self, const struct reserving *reserving,
                     const struct task *task)
{
    if (is_hit(self, task) && (self->losses > 0 || !task->promised))
        return fmax(0, (double)reserving->node_loss_s - fmax(0, lost_s(self, reserving, task)));
    if (self->owed_s <= 0 || task->job->iterations_left < self->left)
        return 0;
    return fmax(0, self->owed_s - lost_s(self, reserving, task));
}

void reserve_enter(const struct reserve *self, const struct reserving *reserving, struct task *task)
{
    if (!task->promised)
        task->losses = reserving->losses;
    else
        task->losses = self->losses > 0 ? self->losses - is_hit(self, task) : 0;
    task->owed_s = owed_s(self, reserving, task);
}

void reserve_note(struct reserve *self, const struct task *task)
{
    *self = (struct reserve){.losses = task->losses,
                             .owed_s = task->owed_s,
                             .level = task->now.level,
                             .charge_s = task->charge_s,
                             .left = task->job->iterations_left};
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

bool reserve_spend_all(const struct task_list *tasks, const struct node_order *order)
{
    bool any = false;

    if (node_order_gpus(order) == (order->count - order->spares) * order->per_node)
        return false;
    for (size_t i = 0; i < tasks->count; i++) {
        any = any || tasks->items[i]->losses > 0;
        tasks->items[i]->losses -= tasks->items[i]->losses > 0;
    }
    return any;
}

int *reserve_losses(const struct task_list *tasks, arena_t *arena)
{
    int *losses = arena_alloc(arena, (tasks->count + 1) * sizeof(*losses));

    for (size_t i = 0; i < tasks->count; i++)
        losses[i] = tasks->items[i]->losses;
    return losses;
}

void reserve_restore(const struct task_list *tasks, const int losses[])
{
    for (size_t i = 0; i < tasks->count; i++)
        tasks->items[i]->losses = losses[i];
}

void reserve_archive(struct reserve *self, struct archive *archive)
{
    ARCHIVE(archive, &self->losses);
    ARCHIVE(archive, &self->owed_s);
    ARCHIVE(archive, &self->level);
    ARCHIVE(archive, &self->charge_s);
    ARCHIVE(archive, &self->left);
}
