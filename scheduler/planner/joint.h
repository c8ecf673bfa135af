/* joint.h - tasks that are planned together, and whether more of them find room. */
#ifndef PLANNER_JOINT_H
#define PLANNER_JOINT_H

#include "scheduler/planner/planner.h"

/* The planner and the list are borrowed. */
struct joint {
    struct planner *planner;
    struct task_list *tasks;
    bool is_planned; /* all tasks, and nothing else, are planned from now on */
};

/* Plans all tasks. Returns `is_planned`. */
bool joint_plan(struct joint *self);

/* Adds `task` on GPUs that the plan of the others leaves free. False, with nothing changed, if
 * there is no room. */
bool joint_adds_beside(struct joint *self, struct task *task);

/* Adds all of `added` and plans all tasks anew. False, with nothing changed, if there is no
 * plan. */
bool joint_adds(struct joint *self, struct task *const added[], size_t count);

/* joint_adds() for the tasks of a chain, where tasks already in the plan may have new
 * deadlines. */
bool joint_adds_chain(struct joint *self, const struct task_list *added);

/* Adds `task` before anything is planned, and plans all tasks. False, with nothing planned, if
 * there is no plan. */
bool joint_adds_at_once(struct joint *self, struct task *task);

#endif
