/* newcomer.h - a job that arrives alone in its round is tried with earlier deadlines. These
 * deadlines come from a fixed series that does not depend on the job's own deadline. The tries of a
 * later deadline thus include the tries of an earlier deadline, and a later deadline is never
 * refused where an earlier deadline is promised. See docs/promises.md. */
#ifndef PLANNER_NEWCOMER_H
#define PLANNER_NEWCOMER_H

#include "scheduler/planner/pricing.h"

/* All zero if no job arrives. The pricing and the list are borrowed. */
struct newcomer {
    struct pricing *pricing;
    struct task_list *open; /* the list in which the task is while it has no promise */
    size_t arrivals;        /* jobs that arrive in the round and can be in time */
    struct task *task;      /* the arrival that waits for all other arrivals; NULL for none */
    bool is_tried;
    int64_t least_s; /* the task takes at least this long */
    int64_t slack_s; /* the deadline tried is this much later than the earliest end, */
    int step;        /* ... for steps of the task's own deadline up to this step */
};

/* Notes that `task` arrives in the round. It waits for `before` other arrivals; SIZE_MAX if it has
 * no deadline of its own. */
void newcomer_meet(struct newcomer *self, struct task *task, size_t before);

/* Tries the newcomer with the latest deadline of the series up to its own. False if there is no
 * newcomer, or it cannot end in time. */
bool newcomer_open(struct newcomer *self);

/* Tries the newcomer with the next earlier deadline. False, with the tries over, if there is
 * none. */
bool newcomer_shorten(struct newcomer *self);

/* Gives the task the deadline of the present try: its prices, and the expectations about jobs to
 * come, are those of this deadline. */
void newcomer_try(struct newcomer *self);

/* Gives the task its own deadline again and ends the tries. */
void newcomer_close(struct newcomer *self);

#endif
