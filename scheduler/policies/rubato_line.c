/* rubato_line.c - see rubato_turns.h: jobs that no deadline drives wait in line. One for which
 * there is no block of GPUs misses its turn. */
#include "scheduler/policies/rubato_turns.h"

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
static double line_place(const struct round *round, const struct task *task)
{
    if (task_was_promised(task))
        return -INFINITY;
    return (double)(task->held == 0 && task->stand->known ? task->stand->since_s
                                                          : round->view->now_s);
}

struct keyed *line_order(const struct round *round, size_t *count)
{
    struct keyed *order =
        arena_alloc(round->planner.arena, 2 * (round->rest.count + 1) * sizeof(*order));

    *count = 0;
    for (size_t i = 0; i < round->rest.count; i++)
        if (line_waits(round->rest.items[i]))
            order[(*count)++] = (struct keyed){line_place(round, round->rest.items[i]), i};
    sort_keyed(order, *count, order + *count);
    return order;
}

/* ---- without a block ---- */

bool turns_may_keep(const struct task *task)
{
    return task->misses < MISSES_MAX;
}

static bool is_unseated(const struct task *task)
{
    return task->wanted > 0 && task->level == 0;
}

/* The fewest GPUs of those that were to begin and found no block; INT_MAX for none. */
static int lacking_gpus(const struct round *round)
{
    int lacks = INT_MAX;

    for (size_t i = 0; i < round->rest.count; i++) {
        const struct task *task = round->rest.items[i];

        if (task->begins && is_unseated(task) && turn_least_gpus(task) < lacks)
            lacks = turn_least_gpus(task);
    }
    return lacks;
}

/* Of those that were to begin on so many GPUs the last in line. */
static struct task *last_in_line(const struct round *round, int gpus)
{
    struct task *last = NULL;

    for (size_t i = 0; i < round->rest.count; i++) {
        struct task *task = round->rest.items[i];

        if (task->begins && turn_least_gpus(task) == gpus &&
            (!last || line_place(round, task) >= line_place(round, last)))
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
static const struct task *first_unseated(const struct round *round, int gpus)
{
    const struct task *first = NULL;

    for (size_t i = 0; i < round->rest.count; i++) {
        const struct task *task = round->rest.items[i];

        if (task->begins && is_unseated(task) && turn_least_gpus(task) == gpus &&
            (!first || line_place(round, task) < line_place(round, first)))
            first = task;
    }
    return first;
}

/* Larger blocks are found first: one that begins on more GPUs, and came to wait later than the
 * first that finds no block, leaves its own to that. */
static bool gives_way(struct round *round, int lacks)
{
    const struct task *first = first_unseated(round, lacks);
    struct task *last = NULL;

    if (!first || (round->ways >= WAYS_MAX && !task_was_promised(first)))
        return false;
    for (size_t i = 0; i < round->rest.count; i++) {
        struct task *task = round->rest.items[i];

        if (task->begins && task->level > 0 && turn_least_gpus(task) > lacks &&
            line_place(round, task) > line_place(round, last ? last : first))
            last = task;
    }
    if (!last)
        return false;
    last->begins = false;
    last->misses = MISSES_MAX;
    round->ways++;
    return true;
}

static bool any_is_unseated(const struct round *round)
{
    for (size_t i = 0; i < round->rest.count; i++)
        if (is_unseated(round->rest.items[i]))
            return true;
    return false;
}

/* Where there is no block for those that are last in line, there is none for others that wait for
 * as many GPUs. */
static void miss_turns(struct round *round, int lacks)
{
    int unseated = 0;

    for (size_t i = 0; i < round->rest.count; i++) {
        struct task *task = round->rest.items[i];

        if (task->begins && is_unseated(task) && turn_least_gpus(task) == lacks)
            unseated++;
        else if ((!task->begins && is_unseated(task)) ||
                 (task->level == 0 && turn_least_gpus(task) >= lacks))
            miss(task);
    }
    for (; unseated > 0; unseated--)
        miss(last_in_line(round, lacks));
}

/* Blocks may lack because others grew: the next try is without that, and no job misses its turn
 * before it. */
bool turns_missed(struct round *round)
{
    const int lacks = lacking_gpus(round);
    const bool grew = !round->missed;

    if (!any_is_unseated(round))
        return false;
    round->missed = true;
    if (!grew && !gives_way(round, lacks))
        miss_turns(round, lacks);
    return true;
}
