/* turns.h - jobs that no deadline drives share the GPUs that others leave. A job that holds GPUs
 * keeps them, and grows while GPUs are free. A job that waits begins on the fewest GPUs that it
 * runs on, the longest wait first: larger jobs shrink for it, and where that does not suffice jobs
 * that had a turn wait for their next. See docs/promises.md. */
#ifndef TURNS_TURNS_H
#define TURNS_TURNS_H

#include "scheduler/planner/idle.h"
#include "scheduler/planner/planner.h"
#include "scheduler/planner/stand.h"

/* Of a round. */
struct turns {
    struct planner *planner;
    const struct idle *idle;
    struct task_list tasks;  /* that no deadline drives; by arrival */
    const struct task *next; /* the next task that waits for its turn; NULL for none */
    int64_t next_s;          /* when that turn comes, at the latest */
    int slots;               /* a turn lasts so many slots at least */
    int ways;                /* so many tasks gave way to one before them in line */
    bool missed;             /* a task found no block: then no task grows */
};

/* With room for `room` tasks; `idle` tells how many jobs wait beside these. */
struct turns turns_open(struct planner *planner, const struct idle *idle, size_t room);

/* Enters the times of its turns into `task`; and notes them after the round. */
void turn_enter(const struct turn *self, struct task *task);
void turns_note(const struct turns *self, const struct task *task, struct turn *turn);

/* Says how many GPUs each task is to have, of `gpus` for them all. */
void turns_serve(struct turns *self, int gpus);

/* Whether a task found no block for these: then the round is to be tried again. */
bool turns_missed(struct turns *self);

#endif
