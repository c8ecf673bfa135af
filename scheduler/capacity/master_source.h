/* master_source.h - the nodes of a master: a source over a session with the master. */
#ifndef CAPACITY_MASTER_SOURCE_H
#define CAPACITY_MASTER_SOURCE_H

#include "protocol/link.h"
#include "scheduler/capacity/capacity.h"

struct master_setting {
    const char *address; /* ADDRESS:PORT */
    const char *keys;    /* folder, NULL for a master on this machine */
    const char *name;    /* name of the scheduler */
    int64_t heartbeat_ms;
};

typedef struct master_source master_source_t;

/* A source whose session has its turns in `loop`, which is lent. NULL, with `error`, if the address
 * or the name is invalid or the keys are missing. Nothing is sent before a capacity attaches. */
master_source_t *master_source_new(zloop_t *loop, const struct master_setting *setting,
                                   struct error *error);
void master_source_destroy(master_source_t **self);

/* The source as the port that a capacity takes. */
struct capacity_source master_source_port(master_source_t *self);

/* The keys of this process, lent; NULL without a folder of keys. */
const keys_t *master_source_keys(const master_source_t *self);

/* Sets an endpoint that replaces the address, before a capacity attaches: for tests. */
void master_source_set_endpoint(master_source_t *self, const char *endpoint);

#endif
