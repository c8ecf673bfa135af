/* task_list.h - tasks in rising order of a key. Tasks with equal keys stay in the order of
 * adding. */
#ifndef PLANNER_TASK_LIST_H
#define PLANNER_TASK_LIST_H

#include "common/memory.h"
#include "scheduler/planner/task.h"

struct task_list {
    struct task **items;
    size_t count;
    size_t
        planned; /* number of tasks at the front that have their courses from planner_find_all() */
    double (*key)(const struct task *task);
};

/* An empty list for up to `room` tasks, in memory of `arena`. */
struct task_list task_list_open(arena_t *arena, size_t room,
                                double (*key)(const struct task *task));

/* task_list_append() adds at the end, until the list is sorted. task_list_insert() adds in
 * order. */
void task_list_append(struct task_list *self, struct task *task);
void task_list_insert(struct task_list *self, struct task *task);

void task_list_sort(struct task_list *self, arena_t *arena);
void task_list_remove(struct task_list *self, const struct task *task);

/* The first task with the largest `number` among the first `count` tasks, at least one. */
struct task *task_list_most(const struct task_list *self, size_t count,
                            double (*number)(const struct task *task));

/* Keeps only tasks that are promised, or only tasks that are not. */
void task_list_keep(struct task_list *self, bool promised);

#endif
