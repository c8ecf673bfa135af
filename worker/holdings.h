/* holdings.h - all that a worker holds: the parts on its GPUs and the trainers that run them, under
 * one lease. Handles events that concern all of them at once: the lease expires, all restart, all
 * end.
 *
 * Times are CLOCK_BOOTTIME. */
#ifndef WORKER_HOLDINGS_H
#define WORKER_HOLDINGS_H

#include "common/log.h"
#include "worker/gpus.h"
#include "worker/parts.h"
#include "worker/trainer_command.h"
#include "worker/trainer_sessions.h"
#include "worker/trainers.h"

typedef struct holdings holdings_t;

struct holdings_calls {
    /* As in trainers.h. */
    void (*watch)(void *owner, int32_t gpu, int descriptor);
    void (*unwatch)(void *owner, int32_t gpu, int descriptor);
    /* Sends a report to the master; its texts are lent for the call. */
    void (*report)(void *owner, const struct msg_report *report);
};

/* Settings; all pointers are lent. */
struct holdings_setting {
    const struct gpus *gpus;
    trainer_command_t *trainer_command;
    const char *run_dir;      /* where trainers keep files that outlive them; NULL: nowhere */
    const char *name;         /* name of the node */
    char *const *environment; /* environment of trainers */
    int lock;                 /* descriptor that trainers inherit, 0 for none */
    int64_t grace_us;         /* grace time of programs that are told to end */
    const struct holdings_calls *calls;
    void *owner;
};

/* New holdings without parts, trainers and lease: the first tick starts trainers. */
holdings_t *holdings_new(const struct holdings_setting *setting);
void holdings_destroy(holdings_t **self); /* only when no trainer is left */

/* Lent. */
parts_t *holdings_parts(const holdings_t *self);
trainers_t *holdings_trainers(const holdings_t *self);
trainer_sessions_t *holdings_sessions(const holdings_t *self);

/* holdings_number: the node's number at the master, -1 before its welcome. holdings_subject: the
 * subject of log lines about the node. */
int32_t holdings_number(const holdings_t *self);
struct log_subject holdings_subject(const holdings_t *self);

/* The master welcomed the worker. */
void holdings_welcome(holdings_t *self, int32_t number, int64_t lease_ms);

/* The message sent at `stamp_us` reached the master. */
void holdings_renew_lease(holdings_t *self, int64_t stamp_us);

/* Gives up, or kills, parts whose lease has expired. To be called first whenever the process wakes
 * up. */
void holdings_look_at_lease(holdings_t *self, int64_t now_us);

/* Tells every trainer how long the lease lasts. */
void holdings_send_lease(const holdings_t *self);

/* holdings_gpu_gone: a GPU is gone, with the parts on it. holdings_gpu_there: a GPU is back or, if
 * `is_new`, there for the first time: then older trainers restart as soon as they hold nothing, so
 * that they see it. */
void holdings_gpu_gone(holdings_t *self, int32_t gpu);
void holdings_gpu_there(holdings_t *self, int32_t gpu, bool is_new);

/* holdings_trainer_up: the trainer of `gpu` said hello. holdings_trainer_lost: its session is
 * over. */
void holdings_trainer_up(holdings_t *self, int32_t gpu, int64_t now_us);
void holdings_trainer_lost(holdings_t *self, int32_t gpu, int64_t now_us);

/* The number of trainers in session without a rank. */
int32_t holdings_idle_trainers(const holdings_t *self);

/* Stops all parts, with checkpoints, and ends all trainers. After holdings_restart trainers start
 * again; after holdings_shut_down they do not, and a second call ends them at once. */
void holdings_restart(holdings_t *self, int64_t now_us);
void holdings_shut_down(holdings_t *self, int64_t now_us);

bool holdings_is_closing(const holdings_t *self); /* shut down */
bool holdings_is_down(const holdings_t *self);    /* closing has begun, and all trainers are gone */

/* Does what is due. -1, with `error`, if no trainer can be started at all: the holdings are then
 * closing. */
int holdings_tick(holdings_t *self, int64_t now_us, struct error *error);

/* The next time when something is due; INT64_MAX for never. */
int64_t holdings_due_us(const holdings_t *self);

#endif
