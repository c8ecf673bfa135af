/* trainer_link.h - the socket at which trainers reach their worker: hellos, heartbeats both ways,
 * and reports of ranks. */
#ifndef WORKER_TRAINER_LINK_H
#define WORKER_TRAINER_LINK_H

#include "common/error.h"
#include "worker/holdings.h"
#include "worker/turn.h"

#include <czmq.h>

typedef struct trainer_link trainer_link_t;

/* Writes an endpoint that is unique on this machine. */
void trainer_link_name(char *endpoint, size_t size);

/* All pointers are lent. */
struct trainer_link_setting {
    zloop_t *loop;
    const char *endpoint;
    const struct loop_turn *turn;
    holdings_t *holdings;
};

/* NULL, with `error`, if the endpoint cannot be bound. */
trainer_link_t *trainer_link_new(const struct trainer_link_setting *setting, struct error *error);
void trainer_link_destroy(trainer_link_t **self); /* after the loop has ended */

#endif
