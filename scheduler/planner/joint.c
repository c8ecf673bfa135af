/* joint.c - see joint.h. */
#include "scheduler/planner/joint.h"

bool joint_plan(struct joint *self)
{
    self->is_planned = planner_find_all(self->planner, self->tasks, self->planner->view->now_s);
    return self->is_planned;
}

bool joint_adds_beside(struct joint *self, struct task *task)
{
    if (!planner_find(self->planner, task))
        return false;
    planner_reserve(self->planner, &task->course, task->scaling);
    task_list_insert(self->tasks, task);
    self->is_planned = false;
    return true;
}

bool joint_adds(struct joint *self, struct task *const added[], size_t count)
{
    const bool was_planned = self->is_planned;

    planner_save(self->planner, self->tasks);
    for (size_t i = 0; i < count; i++)
        task_list_insert(self->tasks, added[i]);
    if (joint_plan(self))
        return true;
    for (size_t i = 0; i < count; i++)
        task_list_remove(self->tasks, added[i]);
    planner_restore(self->planner, self->tasks);
    self->is_planned = was_planned;
    return false;
}

bool joint_adds_at_once(struct joint *self, struct task *task)
{
    task_list_insert(self->tasks, task);
    if (joint_plan(self))
        return true;
    task_list_remove(self->tasks, task);
    return false;
}

bool joint_adds_chain(struct joint *self, const struct task_list *added)
{
    const bool was_planned = self->is_planned;
    arena_t *arena = self->planner->arena;
    struct task_list before = task_list_open(arena, self->tasks->count, self->tasks->key);
    struct task_list *tasks = self->tasks;

    for (size_t i = 0; i < tasks->count; i++)
        task_list_append(&before, tasks->items[i]);
    planner_save(self->planner, tasks);
    task_list_sort(tasks, arena);
    tasks->planned = 0;
    for (size_t i = 0; i < added->count; i++)
        task_list_insert(tasks, added->items[i]);
    if (joint_plan(self))
        return true;
    for (size_t i = 0; i < before.count; i++)
        tasks->items[i] = before.items[i];
    tasks->count = before.count;
    planner_restore(self->planner, tasks);
    self->is_planned = was_planned;
    return false;
}
