/* reserve.h - what the course of a job keeps for the losses of nodes, from round to round.
 *
 * A loss is not told at once. The work since the last checkpoint is known when the node is gone,
 * but not how long the job waits for the lease of what it held there. Until it does something
 * again, its course pays for what the loss may still cost. */
#ifndef PLANNER_RESERVE_H
#define PLANNER_RESERVE_H

#include "common/archive.h"
#include "scheduler/planner/node_order.h"
#include "scheduler/planner/task_list.h"

/* After a round. */
struct reserve {
    int losses;    /* of nodes on which the job stands, which its promise survives */
    double owed_s; /* of work, which the last of them may still take of it */
    int level;     /* that it holds */
    int charge_s;
    double left; /* iterations */
};

/* The GPUs and the time that are kept for losses of nodes. */
struct reserving {
    int64_t since_s; /* seconds since the round before */
    int losses;      /* that a new promise is to survive */
    int64_t node_loss_s;
};

/* Enters the reserve that `task` is to keep in this round, from the one before; notes the reserve
 * it keeps after the round. */
void reserve_enter(const struct reserve *self, const struct reserving *reserving,
                   struct task *task);
void reserve_note(struct reserve *self, const struct task *task);

/* A promise survives one loss less. False if it survives none. */
bool reserve_spend(struct task *task);

/* Where more nodes are gone than `order` has in reserve, each of `tasks` survives one loss less.
 * False where none survives any, or no more are gone. */
bool reserve_spend_all(const struct task_list *tasks, const struct node_order *order);

/* How many losses each of `tasks` survives, in memory of `arena`; and has each survive so many
 * again. */
int *reserve_losses(const struct task_list *tasks, arena_t *arena);
void reserve_restore(const struct task_list *tasks, const int losses[]);

/* See common/archive.h. */
void reserve_archive(struct reserve *self, struct archive *archive);

#endif
