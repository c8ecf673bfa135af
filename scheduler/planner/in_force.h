/* in_force.h - the courses in force, which keep the promises of the last round. The stand of each
 * promised job has its course. */
#ifndef PLANNER_IN_FORCE_H
#define PLANNER_IN_FORCE_H

#include "scheduler/planner/seating.h"
#include "scheduler/planner/task_list.h"

/* Memory of the courses in force, and of the courses that replace them. */
struct in_force {
    arena_t *courses;
    arena_t *next;
};

void in_force_open(struct in_force *self);
void in_force_close(struct in_force *self);

/* Replaces the courses in force by the courses of all of `promised`, each after the GPUs that its
 * task holds from now on. in_force_put() replaces only the course of `task`. */
void in_force_renew(struct in_force *self, const struct task_list *promised);
void in_force_put(struct in_force *self, const struct task *task);

/* Plans the tasks of `promised` by their courses in force, and nothing else. */
void in_force_follow(struct planner *planner, const struct task_list *promised);

/* Whether the courses in force end all of `promised` in time. False only after an event that the
 * last round did not plan, reported or not. Jobs that are behind spend their reserve. Jobs that are
 * late despite their reserve are marked as straying, and pay for no margin any more. */
bool in_force_holds(struct planner *planner, struct task_list *promised);

/* in_force_follow() for the tasks that do not stray. Returns the tasks that stray. GPUs that a
 * course gives back before the next round are not free until that round. */
struct task_list in_force_follow_others(struct planner *planner, const struct task_list *promised);

/* Gives `task` a course in blocks that the courses of the planned tasks of `promised` leave free.
 * False if there is none. A restart of all counts as a new start also for a job that stays. */
bool in_force_finds_beside(struct seating *seating, const struct task_list *promised,
                           struct task *task);

/* Whether the courses in force keep all promises. */
bool in_force_is_proven(const struct planner *planner, const struct task_list *promised);

#endif
