/* in_force.h - the courses in force: those by which the promises of the last round are kept. The
 * stand of each promised job has its course. */
#ifndef PLANNER_IN_FORCE_H
#define PLANNER_IN_FORCE_H

#include "scheduler/planner/seating.h"
#include "scheduler/planner/task_list.h"

/* Their pieces, and those of the courses that take their place. */
struct in_force {
    arena_t *courses;
    arena_t *next;
};

void in_force_open(struct in_force *self);
void in_force_close(struct in_force *self);

/* The courses of all of `promised` take the place of those in force, each after what its task holds
 * from now on; and that of `task` its own course. */
void in_force_renew(struct in_force *self, const struct task_list *promised);
void in_force_put(struct in_force *self, const struct task *task);

/* The tasks of `promised` are planned as the courses in force have it, and nothing else is. */
void in_force_follow(struct planner *planner, const struct task_list *promised);

/* Whether the courses in force end all of `promised` in time. They do unless something went
 * otherwise than planned since, told or not: jobs that are behind spend what they have in reserve,
 * and those that stray all the same are marked, and pay for no margin any more. */
bool in_force_holds(struct planner *planner, struct task_list *promised);

/* Like in_force_follow, but for the tasks that stray: returns these. GPUs that a course gives back
 * before the next round are not free until then. */
struct task_list in_force_follow_others(struct planner *planner, const struct task_list *promised);

/* Gives `task` a course in blocks that the courses of the planned ones of `promised` leave free. A
 * restart of all is a new start also for a job that stays. */
bool in_force_finds_beside(struct seating *seating, const struct task_list *promised,
                           struct task *task);

/* Whether the courses in force keep all that is promised. */
bool in_force_is_proven(const struct planner *planner, const struct task_list *promised);

#endif
