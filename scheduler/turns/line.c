/* line.c - see turns_internal.h: jobs that no deadline drives wait in line. A job for which there
 * is no block of GPUs misses its turn. */
#include "scheduler/turns/turns_internal.h"

#include <limits.h>
#include <math.h>

/* After its first miss a task takes only a block that another task holds, after the second none. At
 * most WAYS_MAX tasks give way in a round, but any number give way to a job that was ever promised
 * something. */
#define MISSES_MAX 2
#define WAYS_MAX   8

bool line_waits(const struct task *task)
{
    return task->level == 0 && task_may_run(task) && task->misses < MISSES_MAX &&
           turn_least_level(task) > 0;
}

/* The place in line: jobs that were ever promised something come first, then the longest wait. */
static double line_place(const struct turns *self, const struct task *task)
{
    if (task_was_promised(task))
        return -INFINITY;
    return (double)(task->held == 0 && task->known ? task->since_s : turns_now_s(self));
}

struct keyed *line_order(const struct turns *self, size_t *count)
{
    struct keyed *order =
        arena_alloc(self->planner->arena, 2 * (self->tasks.count + 1) * sizeof(*order));

    *count = 0;
    for (size_t i = 0; i < self->tasks.count; i++)
        if (line_waits(self->tasks.items[i]))
            order[(*count)++] = (struct keyed){line_place(self, self->tasks.items[i]), i};
    sort_keyed(order, *count, order + *count);
    return order;
}

/* ---- without a block ---- */

bool line_may_keep(const struct task *task)
{
    return task->misses < MISSES_MAX;
}

static bool is_unseated(const struct task *task)
{
    return task->wanted > 0 && task->level == 0;
}

/* The fewest GPUs of a task that was to begin and found no block; INT_MAX for none. */
static int lacking_gpus(const struct turns *self)
{
    int lacks = INT_MAX;

    for (size_t i = 0; i < self->tasks.count; i++) {
        const struct task *task = self->tasks.items[i];

        if (task->begins && is_unseated(task) && turn_least_gpus(task) < lacks)
            lacks = turn_least_gpus(task);
    }
    return lacks;
}

/* The last in line of the tasks that were to begin on `gpus` GPUs. */
static struct task *last_in_line(const struct turns *self, int gpus)
{
    struct task *last = NULL;

    for (size_t i = 0; i < self->tasks.count; i++) {
        struct task *task = self->tasks.items[i];

        if (task->begins && turn_least_gpus(task) == gpus &&
            (!last || line_place(self, task) >= line_place(self, last)))
            last = task;
    }
    return last;
}

static void miss(struct task *task)
{
    task->begins = false;
    task->misses++;
}

/* The first in line of the tasks that were to begin on `gpus` GPUs and found no block. */
static const struct task *first_unseated(const struct turns *self, int gpus)
{
    const struct task *first = NULL;

    for (size_t i = 0; i < self->tasks.count; i++) {
        const struct task *task = self->tasks.items[i];

        if (task->begins && is_unseated(task) && turn_least_gpus(task) == gpus &&
            (!first || line_place(self, task) < line_place(self, first)))
            first = task;
    }
    return first;
}

/* Takes the turn of the last task in line that begins on more GPUs than the first task without a
 * block, and waits less long. Its block becomes free, as larger blocks are found first. Returns
 * whether there is such a task. */
static bool gives_way(struct turns *self, int lacks)
{
    const struct task *first = first_unseated(self, lacks);
    struct task *last = NULL;

    if (!first || (self->ways >= WAYS_MAX && !task_was_promised(first)))
        return false;
    for (size_t i = 0; i < self->tasks.count; i++) {
        struct task *task = self->tasks.items[i];

        if (task->begins && task->level > 0 && turn_least_gpus(task) > lacks &&
            line_place(self, task) > line_place(self, last ? last : first))
            last = task;
    }
    if (!last)
        return false;
    last->begins = false;
    last->misses = MISSES_MAX;
    self->ways++;
    return true;
}

static bool any_is_unseated(const struct turns *self)
{
    for (size_t i = 0; i < self->tasks.count; i++)
        if (is_unseated(self->tasks.items[i]))
            return true;
    return false;
}

/* Has the last tasks in line miss their turns, and all other waiting tasks of `lacks` GPUs or more,
 * as there is no block for them either. */
static void miss_turns(struct turns *self, int lacks)
{
    int unseated = 0;

    for (size_t i = 0; i < self->tasks.count; i++) {
        struct task *task = self->tasks.items[i];

        if (task->begins && is_unseated(task) && turn_least_gpus(task) == lacks)
            unseated++;
        else if ((!task->begins && is_unseated(task)) ||
                 (task->level == 0 && turn_least_gpus(task) >= lacks))
            miss(task);
    }
    for (; unseated > 0; unseated--)
        miss(last_in_line(self, lacks));
}

/* Blocks may lack because tasks grew. The next try is without growth, and no task misses its turn
 * before that try. */
bool turns_missed(struct turns *self)
{
    const int lacks = lacking_gpus(self);
    const bool grew = !self->missed;

    if (!any_is_unseated(self))
        return false;
    self->missed = true;
    if (!grew && !gives_way(self, lacks))
        miss_turns(self, lacks);
    return true;
}
