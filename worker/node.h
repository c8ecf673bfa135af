/* node.h - what a worker looks after as a whole: the parts on its GPUs and the trainers that run them, held by one
 * lease. Here is what happens to all of them at once: the lease is over, all restart, all end.
 *
 * Times are CLOCK_BOOTTIME. */
#ifndef WORKER_NODE_H
#define WORKER_NODE_H

#include "common/log.h"
#include "worker/gpus.h"
#include "worker/parts.h"
#include "worker/trainer_command.h"
#include "worker/trainer_sessions.h"
#include "worker/trainers.h"

typedef struct node node_t;

struct node_calls {
    /* As in trainers.h. */
    void (*watch)(void *owner, int32_t gpu, int descriptor);
    void (*unwatch)(void *owner, int32_t gpu, int descriptor);
    /* To the master; texts are lent for the call. */
    void (*report)(void *owner, const struct msg_report *report);
};

/* All of it is lent. */
struct node_setting {
    const struct gpus *gpus;
    trainer_command_t *trainer_command;
    char *const *environment; /* of trainers */
    int64_t grace_us;         /* of a program that is to end */
    const struct node_calls *calls;
    void *owner;
};

/* With no part, no trainer and no lease yet: the first tick starts trainers. */
node_t *node_new(const struct node_setting *setting);
void node_destroy(node_t **self); /* when no trainer is left */

/* Lent. */
parts_t *node_parts(const node_t *self);
trainers_t *node_trainers(const node_t *self);
trainer_sessions_t *node_sessions(const node_t *self);

/* As the master counts; -1 before its welcome. */
int32_t node_number(const node_t *self);
struct log_subject node_subject(const node_t *self);

/* The master welcomes it. */
void node_welcome(node_t *self, int32_t number, int64_t lease_ms);

/* What was sent at `stamp_us` reached the master. */
void node_renew_lease(node_t *self, int64_t stamp_us);

/* Gives up, or kills, what no lease holds any more. To be called before anything else whenever the process wakes
 * up. */
void node_look_at_lease(node_t *self, int64_t now_us);

/* Tells every trainer how long the lease lasts. */
void node_send_lease(const node_t *self);

/* The trainer of `gpu` said hello; or it is not in session any more. */
void node_trainer_up(node_t *self, int32_t gpu, int64_t now_us);
void node_trainer_lost(node_t *self, int32_t gpu, int64_t now_us);

/* How many trainers are in session and have no rank. */
int32_t node_idle_trainers(const node_t *self);

/* Stops all parts, with checkpoints, and ends all trainers, which start again; or do not. What is shut down twice
 * ends at once. */
void node_restart(node_t *self, int64_t now_us);
void node_shut_down(node_t *self, int64_t now_us);

bool node_is_closing(const node_t *self); /* shut down */
bool node_is_down(const node_t *self);    /* ... and all trainers are gone */

/* Does what is due. -1, with `error`, if no trainer can be started at all: then it is closing. */
int node_tick(node_t *self, int64_t now_us, struct error *error);

/* The next time when something is due; INT64_MAX for never. */
int64_t node_due_us(const node_t *self);

#endif
