/* holdings.h - what a worker looks after as a whole: the parts on its GPUs and the trainers that
 * run them, held by one lease. Here is what happens to all of them at once: the lease is over, all
 * restart, all end.
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
    /* To the master; texts are lent for the call. */
    void (*report)(void *owner, const struct msg_report *report);
};

/* All of it is lent. */
struct holdings_setting {
    const struct gpus *gpus;
    trainer_command_t *trainer_command;
    const char *run_dir;      /* where trainers keep what outlives them; NULL: nowhere */
    const char *name;         /* of the node */
    char *const *environment; /* of trainers */
    int lock;                 /* descriptor that trainers inherit, 0 for none */
    int64_t grace_us;         /* of a program that is to end */
    const struct holdings_calls *calls;
    void *owner;
};

/* With no part, no trainer and no lease yet: the first tick starts trainers. */
holdings_t *holdings_new(const struct holdings_setting *setting);
void holdings_destroy(holdings_t **self); /* when no trainer is left */

/* Lent. */
parts_t *holdings_parts(const holdings_t *self);
trainers_t *holdings_trainers(const holdings_t *self);
trainer_sessions_t *holdings_sessions(const holdings_t *self);

/* As the master counts; -1 before its welcome. */
int32_t holdings_number(const holdings_t *self);
struct log_subject holdings_subject(const holdings_t *self);

/* The master welcomes it. */
void holdings_welcome(holdings_t *self, int32_t number, int64_t lease_ms);

/* The message sent at `stamp_us` reached the master. */
void holdings_renew_lease(holdings_t *self, int64_t stamp_us);

/* Gives up, or kills, what no lease holds any more. To be called before anything else whenever the
 * process wakes up. */
void holdings_look_at_lease(holdings_t *self, int64_t now_us);

/* Tells every trainer how long the lease lasts. */
void holdings_send_lease(const holdings_t *self);

/* A GPU is gone, with the parts on it; one is there, again or, if `is_new`, for the first time:
 * then trainers that were started before learn of it as soon as they hold nothing. */
void holdings_gpu_gone(holdings_t *self, int32_t gpu);
void holdings_gpu_there(holdings_t *self, int32_t gpu, bool is_new);

/* The trainer of `gpu` said hello; or it is not in session any more. */
void holdings_trainer_up(holdings_t *self, int32_t gpu, int64_t now_us);
void holdings_trainer_lost(holdings_t *self, int32_t gpu, int64_t now_us);

/* How many trainers are in session and have no rank. */
int32_t holdings_idle_trainers(const holdings_t *self);

/* Stops all parts, with checkpoints, and ends all trainers, which start again; or do not. What is
 * shut down twice ends at once. */
void holdings_restart(holdings_t *self, int64_t now_us);
void holdings_shut_down(holdings_t *self, int64_t now_us);

bool holdings_is_closing(const holdings_t *self); /* shut down */
bool holdings_is_down(const holdings_t *self);    /* ... and all trainers are gone */

/* Does what is due. -1, with `error`, if no trainer can be started at all: then it is closing. */
int holdings_tick(holdings_t *self, int64_t now_us, struct error *error);

/* The next time when something is due; INT64_MAX for never. */
int64_t holdings_due_us(const holdings_t *self);

#endif
