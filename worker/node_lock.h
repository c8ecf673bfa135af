/* node_lock.h - the lock that a worker and all its trainers hold together: a worker that gets it
 * knows that nothing of the worker before it lives, and can vouch for that.
 *
 * It is two files in the run folder, which nodes share: one that the worker of a name holds alone,
 * and one whose descriptor its trainers inherit, so that it is free when the last of them has
 * ended. The second has a number, drawn for each boot of a machine: the master believes a worker
 * only if the number is that of the worker before, which then held the same lock on the same
 * machine. */
#ifndef WORKER_NODE_LOCK_H
#define WORKER_NODE_LOCK_H

#include "common/error.h"

#include <stdint.h>

struct node_lock {
    uint32_t number; /* of the lock, 0: it is not held */
    int worker_fd;   /* -1 for none */
    int trainers_fd; /* for trainers to inherit, -1 for none */
};

/* Takes the lock of the worker `name` in `folder`. What a worker before it left is asked to end,
 * for two seconds. -1, with `error` that says what is in the way and a lock of number 0, if the
 * lock cannot be had: then its worker cannot vouch. */
int node_lock_take(const char *folder, const char *name, struct node_lock *self,
                   struct error *error);

void node_lock_drop(struct node_lock *self);

#endif
