/* master_link.h - the link to the master: hello and welcome, heartbeats (their answers renew the
 * lease), commands one way and reports the other. */
#ifndef WORKER_MASTER_LINK_H
#define WORKER_MASTER_LINK_H

#include "common/error.h"
#include "protocol/keys.h"
#include "worker/gpus.h"
#include "worker/master_commands.h"
#include "worker/settings.h"
#include "worker/turn.h"

#include <czmq.h>

typedef struct master_link master_link_t;

/* All of it is lent. */
struct master_link_setting {
    zloop_t *loop;
    const struct worker_settings *settings;
    const keys_t *keys;   /* NULL: loopback only */
    const char *endpoint; /* of the master */
    const char *only;     /* why it runs programs of no user but its own; "" if it does */
    const char *address;  /* where other nodes reach this one */
    const struct gpus *gpus;
    const struct loop_turn *turn;
    const struct master_commands *commands;
    uint32_t lock; /* as in the hello */

    /* The master refused the worker for so long that the worker will not be welcome: `error` names
     * the master and the cause. */
    void (*refused)(void *owner, const struct error *error);
    void (*welcomed)(void *owner, int64_t heartbeat_ms);
    void *owner;
};

/* NULL, with `error`, if there can be no such link; that the master is not there is none. */
master_link_t *master_link_new(const struct master_link_setting *setting, struct error *error);
void master_link_destroy(master_link_t **self); /* when the loop does not turn any more */

/* Messages are lost while the master is not there: heartbeats say again how parts are, and a hello
 * says which GPUs there are. */
void master_link_gpus(master_link_t *self);
void master_link_report(master_link_t *self, const struct msg_report *report);
void master_link_goodbye(master_link_t *self);

#endif
