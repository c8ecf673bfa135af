/* reserve.h - the part of a job's course that is kept for losses of nodes, from round to round.
 *
 * A loss becomes known in two steps. The lost work since the last checkpoint is known when the node
 * is gone. The time that the job waits for the lease of its lost GPUs is not known then. Until the
 * job works again, its course pays for the possible rest of the loss. */
#ifndef PLANNER_RESERVE_H
#define PLANNER_RESERVE_H

#include "common/archive.h"
#include "scheduler/planner/node_order.h"
#include "scheduler/planner/task_list.h"

/* The reserve of a job after a round. */
struct reserve {
    int losses;    /* losses of nodes under the job that its promise survives */
    double owed_s; /* seconds of work that the last node loss may still cost the job */
    int level;     /* the level that the job holds */
    int charge_s;
    double left; /* iterations */
};

/* The GPUs and the time that are kept for losses of nodes. */
struct reserving {
    int64_t since_s; /* seconds since the round before */
    int losses;      /* losses that a new promise is to survive */
    int64_t node_loss_s;
};

/* Enters the reserve that `task` is to keep in this round, from `self`, the reserve of the round
 * before. reserve_note() stores the reserve that `task` keeps after the round. */
void reserve_enter(const struct reserve *self, const struct reserving *reserving,
                   struct task *task);
void reserve_note(struct reserve *self, const struct task *task);

/* Has the promise of `task` survive one loss less. False if the promise survives none. */
bool reserve_spend(struct task *task);

/* Has each of `tasks` survive one loss less if more nodes are gone than `order` has in reserve.
 * False if a task survives none any more, or no more nodes are gone. */
bool reserve_spend_all(const struct task_list *tasks, const struct node_order *order);

/* How many losses each of `tasks` survives, in memory of `arena`. reserve_restore() has each task
 * survive so many losses again. */
int *reserve_losses(const struct task_list *tasks, arena_t *arena);
void reserve_restore(const struct task_list *tasks, const int losses[]);

/* Reads or writes the reserve; see common/archive.h. */
void reserve_archive(struct reserve *self, struct archive *archive);

#endif
