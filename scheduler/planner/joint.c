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
