/* node_lock.h - the lock that a worker and all its trainers hold together: a worker that gets the
 * lock knows that no process of an earlier worker lives, and can vouch for that to the master.
 *
 * The lock is two files in the run folder, which nodes share: the worker of a name locks one alone;
 * its trainers inherit the descriptor of the other, which is free when the last of them has ended.
 * The second file has a number, drawn for each boot of a machine: the master believes a worker only
 * if the number is that of the worker before, which then held the same lock on the same machine. */
#ifndef WORKER_NODE_LOCK_H
#define WORKER_NODE_LOCK_H

#include "common/error.h"

#include <stdint.h>

struct node_lock {
    uint32_t number; /* number of the lock, 0: not held */
    int worker_fd;   /* -1 if not held */
    int trainers_fd; /* inherited by trainers, -1 if not held */
};

/* Takes the lock of the worker `name` in `folder`. Trainers of an earlier worker are asked to end,
 * for two seconds. -1, with `error` that names the holder and a lock of number 0, if the lock is
 * still held: then the worker cannot vouch. */
int node_lock_take(const char *folder, const char *name, struct node_lock *self,
                   struct error *error);

void node_lock_drop(struct node_lock *self);

#endif
