/* newcomer.h - a job that comes alone with its round is tried as if its deadline were an earlier
 * one, by deadlines that are the same whichever the job has. So the tries of a later deadline
 * include those of an earlier one, and a later deadline is never refused where an earlier one is
 * promised. See docs/promises.md. */
#ifndef PLANNER_NEWCOMER_H
#define PLANNER_NEWCOMER_H

#include "scheduler/planner/pricing.h"

/* All zero: no job came. The pricing and the list are lent. */
struct newcomer {
    struct pricing *pricing;
    struct task_list *open; /* the list in which the task is while it has no promise */
    size_t arrivals;        /* jobs that come with the round, and can be in time */
    struct task *task;      /* that waits for all others of these; NULL if there is none */
    bool is_tried;
    int64_t least_s; /* the task takes at least so long */
    int64_t slack_s; /* and is tried with a deadline so much later than that, */
    int step;        /* up to this step of its own */
};

/* `task` comes with the round, after so many that do and that it waits for; SIZE_MAX: it has no
 * deadline of its own. */
void newcomer_meet(struct newcomer *self, struct task *task, size_t before);

/* The newcomer is tried with the latest of the deadlines up to its own. False if there is no
 * newcomer, or if it cannot end in time. */
bool newcomer_open(struct newcomer *self);

/* The newcomer is tried with the next earlier one. False, with the newcomer not tried any more, if
 * there is none. */
bool newcomer_shorten(struct newcomer *self);

/* The task has the deadline with which it is tried: its prices, and what is expected of jobs to
 * come, are those of that deadline. */
void newcomer_try(struct newcomer *self);

/* The task has its own deadline again, and is not tried any more. */
void newcomer_close(struct newcomer *self);

#endif
