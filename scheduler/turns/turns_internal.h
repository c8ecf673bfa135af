/* turns_internal.h - the interface between the files of this folder; see turns.h. */
#ifndef TURNS_TURNS_INTERNAL_H
#define TURNS_TURNS_INTERNAL_H

#include "scheduler/turns/turns.h"

static inline int64_t turns_now_s(const struct turns *self)
{
    return self->planner->view->now_s;
}

/* The lowest level that the task runs on; 0 for none. */
static inline int turn_least_level(const struct task *task)
{
    for (int level = 1; level <= task->scaling->reach; level++)
        if (task->usable[level] > 0)
            return level;
    return 0;
}

static inline int turn_least_gpus(const struct task *task)
{
    return task_gpus(task, turn_least_level(task));
}

/* ---- turn_times.c: when turns begin and end ---- */

/* The time since when the task holds GPUs, or waits for some. */
int64_t turn_since_s(const struct turns *self, const struct task *task);

/* The time from which other tasks make room for a waiting task. */
int64_t turn_asks_s(const struct turns *self, const struct task *task);

/* Notes that the turn of `task` comes at `at_s`, or at the next round after that time, unless the
 * turn of another job comes sooner. */
void turn_note(struct turns *self, const struct task *task, int64_t at_s);

/* The least length of a turn, in slots, where jobs in turns have `gpus` GPUs. */
int turn_slots(const struct turns *self, int gpus);

/* turn_shrinks_s(): the time from which the task may shrink for another task. turn_stops_s(): the
 * time from which the task may stop for another task. */
int64_t turn_shrinks_s(const struct turns *self, const struct task *task);
int64_t turn_stops_s(const struct turns *self, const struct task *task);

/* The time at which tasks that hold at least `block` GPUs have given `need`; NEVER_S if they never
 * do. `*spare` is the number of GPUs given beyond `need` by that time. */
int64_t turn_comes_s(const struct turns *self, int need, int block, int *spare);

/* ---- line.c: the tasks that wait, and the tasks that find no block ---- */

/* Whether the task waits for a turn in this round. */
bool line_waits(const struct task *task);

/* The waiting tasks, by their place in the list, the first in line first. In memory of the
 * planner's arena. */
struct keyed *line_order(const struct turns *self, size_t *count);

/* Whether the task may keep its GPUs, as there may be a block for them. */
bool line_may_keep(const struct task *task);

#endif
