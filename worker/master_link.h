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

/* All pointers are lent. */
struct master_link_setting {
    zloop_t *loop;
    const struct worker_settings *settings;
    const keys_t *keys;   /* NULL: loopback only */
    const char *endpoint; /* endpoint of the master */
    const char *only;     /* why the worker runs programs of no other user; "" if it does */
    const char *address;  /* where other nodes reach this node */
    const struct gpus *gpus;
    const struct loop_turn *turn;
    const struct master_commands *commands;
    uint32_t lock; /* number of the node lock, as in the hello */

    /* The master refused a worker that was never welcome for longer than it takes to notice that an
     * earlier process of the name is gone: `error`
     * names the master and the cause. */
    void (*refused)(void *owner, const struct error *error);
    void (*welcomed)(void *owner, int64_t heartbeat_ms);
    void *owner;
};

/* NULL, with `error`, if the link cannot be made. A master that cannot be reached is no error. */
master_link_t *master_link_new(const struct master_link_setting *setting, struct error *error);
void master_link_destroy(master_link_t **self); /* after the loop has ended */

/* Send GPUS, and a REPORT. Messages without a session are dropped: the next hello has the GPUs, and
 * heartbeats the states of parts. */
void master_link_gpus(master_link_t *self);
void master_link_report(master_link_t *self, const struct msg_report *report);
void master_link_goodbye(master_link_t *self);

#endif
