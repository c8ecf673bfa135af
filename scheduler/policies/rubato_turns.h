/* rubato_turns.h - what the files about turns share; see rubato.h. Only these include it. */
#ifndef POLICIES_RUBATO_TURNS_H
#define POLICIES_RUBATO_TURNS_H

#include "scheduler/policies/rubato.h"

#include <stdbool.h>
#include <stdint.h>

/* The fewest GPUs that the task runs on; 0 for none. */
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

/* ---- rubato_turn_times.c: when turns begin and end ---- */

/* Since when the task holds GPUs, or waits for some. */
int64_t turn_since_s(const struct round *round, const struct task *task);

/* From when on a task that waits has others make room. */
int64_t turn_asks_s(const struct round *round, const struct task *task);

/* Notes that the turn of `task` is at `at_s`, or at the next round after that time, unless the turn
 * of another job is sooner. */
void turn_note(struct round *round, const struct task *task, int64_t at_s);

/* How many slots a turn lasts at least, where jobs in turns have `gpus` GPUs. */
int turn_slots(const struct round *round, int gpus);

/* From when on the task may shrink for another, and wait for another. */
int64_t turn_shrinks_s(const struct round *round, const struct task *task);
int64_t turn_stops_s(const struct round *round, const struct task *task);

/* When tasks that hold `block` GPUs at least have given `need`, and how many more by then; NEVER_S
 * if they do not. */
int64_t turn_comes_s(const struct round *round, int need, int block, int *spare);

/* ---- rubato_line.c: the tasks that wait, and what becomes of those that find no block ---- */

/* Whether the task waits for a turn in this round. */
bool line_waits(const struct task *task);

/* The tasks that wait, by their place in round->rest, the first in line first; lent by the
 * planner's arena. */
struct keyed *line_order(const struct round *round, size_t *count);

#endif
