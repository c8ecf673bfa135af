/* trainer_link.h - where the trainers of a node find their worker: hellos, heartbeats both ways,
 * and what ranks report. */
#ifndef WORKER_TRAINER_LINK_H
#define WORKER_TRAINER_LINK_H

#include "common/error.h"
#include "worker/holdings.h"
#include "worker/turn.h"

#include <czmq.h>

typedef struct trainer_link trainer_link_t;

/* Writes an endpoint that no other process of this machine has. */
void trainer_link_name(char *endpoint, size_t size);

/* All of it is lent. */
struct trainer_link_setting {
    zloop_t *loop;
    const char *endpoint;
    const struct loop_turn *turn;
    holdings_t *holdings;
};

/* NULL, with `error`, if it cannot listen there. */
trainer_link_t *trainer_link_new(const struct trainer_link_setting *setting, struct error *error);
void trainer_link_destroy(trainer_link_t **self); /* when the loop does not turn any more */

#endif
