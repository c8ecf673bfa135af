/* task_list.h - tasks in a rising order of a number of theirs; equal ones as they were added. */
#ifndef PLANNER_TASK_LIST_H
#define PLANNER_TASK_LIST_H

#include "common/memory.h"
#include "scheduler/planner/task.h"

struct task_list {
    struct task **items;
    size_t count;
    size_t planned; /* the first so many have the courses that planner_find_all gave them */
    double (*key)(const struct task *task);
};

/* With room for `room` tasks, of `arena`. */
struct task_list task_list_open(arena_t *arena, size_t room,
                                double (*key)(const struct task *task));

/* At the end, until the list is sorted; and where the task belongs. */
void task_list_append(struct task_list *self, struct task *task);
void task_list_insert(struct task_list *self, struct task *task);

void task_list_sort(struct task_list *self, arena_t *arena);
void task_list_remove(struct task_list *self, const struct task *task);

/* Of the first `count` tasks, one at least, the first with the most of a number of theirs. */
struct task *task_list_most(const struct task_list *self, size_t count,
                            double (*number)(const struct task *task));

/* Keeps the tasks that are promised, or those that are not. */
void task_list_keep(struct task_list *self, bool promised);

#endif
