/* turns.h - jobs that no deadline drives share the GPUs that other jobs leave. A job that holds
 * GPUs keeps them, and grows while GPUs are free. A job that waits begins on the fewest GPUs that
 * it runs on, the longest wait first. Larger jobs shrink for it. If that is not enough, jobs that
 * had a turn wait for their next turn. See docs/promises.md. */
#ifndef TURNS_TURNS_H
#define TURNS_TURNS_H

#include "scheduler/planner/idle.h"
#include "scheduler/planner/planner.h"
#include "scheduler/planner/stand.h"

/* The turns of a round. */
struct turns {
    struct planner *planner;
    const struct idle *idle;
    struct task_list tasks;  /* tasks that no deadline drives, by arrival */
    const struct task *next; /* the next task that waits for its turn; NULL for none */
    int64_t next_s;          /* the latest time at which that turn comes */
    int slots;               /* the least length of a turn, in slots */
    int ways;                /* tasks that gave way to a task before them in line */
    bool missed;             /* a task found no block, so no task grows */
};

/* Opens the turns for up to `room` tasks. `idle` counts the jobs that wait beside them. */
struct turns turns_open(struct planner *planner, const struct idle *idle, size_t room);

/* Enters the times of the task's turns into `task`. turns_note() stores these times after the
 * round. */
void turn_enter(const struct turn *self, struct task *task);
void turns_note(const struct turns *self, const struct task *task, struct turn *turn);

/* Sets the level of each task, with `gpus` GPUs for all of them. */
void turns_serve(struct turns *self, int gpus);

/* Whether a task found no block for its level. The round then has to be tried again. */
bool turns_missed(struct turns *self);

#endif
