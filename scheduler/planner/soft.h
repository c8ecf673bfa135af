/* soft.h - the steps of a soft deadline. A job with a soft deadline is promised the best step that
 * holds. The promise falls to later steps, step by step, before it is withdrawn. */
#ifndef PLANNER_SOFT_H
#define PLANNER_SOFT_H

#include "scheduler/planner/pricing.h"

/* Enters the step of a promised job: the step that its promise names. */
void soft_enter(struct task *task);

/* Has `task`, which has no promise, tried with the best step from `first` on that the job can
 * meet. */
void soft_open(const struct pricing *pricing, struct task *task, int first);

/* Goes on to the next step that the job can meet. False, with nothing changed, if there is none. */
bool soft_fall(const struct pricing *pricing, struct task *task);

/* Finds a course for `task`, which has no promise, by the best step from the step `first` on for
 * which the planner has room. */
bool soft_finds(const struct pricing *pricing, struct task *task, int first);

/* Has `tasks`, which have no promise, tried from the step after `*first` on. False, and with all
 * steps again, if no job has any. */
bool soft_fall_all(const struct pricing *pricing, struct task_list *tasks, int *first);

/* The key by which a broken promise is chosen: the largest goes first. INFINITY for a job that
 * cannot be in time. Then come jobs that can fall to a later step, by their price. */
double soft_loss(const struct task *task);

#endif
