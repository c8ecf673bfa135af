/* line.c - see turns_internal.h: jobs that no deadline drives wait in line. One for which
 * there is no block of GPUs misses its turn. */
#include "scheduler/turns/turns_internal.h"

#include <limits.h>
#include <math.h>

/* After the first miss only a block that another holds will do, after the second none. So many
 * jobs at most give way to others in a round, but all do to one that was promised something. */
#define MISSES_MAX 2
#define WAYS_MAX   8

bool line_waits(const struct task *task)
{
    return task->level == 0 && task_may_run(task) && task->misses < MISSES_MAX &&
           turn_least_level(task) > 0;
}

/* A job that was promised something once is first, then the job that waits longest. */
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

/* The fewest GPUs of those that were to begin and found no block; INT_MAX for none. */
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

/* Of those that were to begin on so many GPUs the last in line. */
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

/* The first in line of those that were to begin on `gpus` GPUs and found no block. */
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

/* Larger blocks are found first: one that begins on more GPUs, and came to wait later than the
 * first that finds no block, leaves its own to that. */
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

/* Where there is no block for those that are last in line, there is none for others that wait for
 * as many GPUs. */
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

/* Blocks may lack because others grew: the next try is without that, and no job misses its turn
 * before it. */
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
