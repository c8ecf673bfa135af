/* host.h - what a worker finds on its machine before it starts anything. */
#ifndef WORKER_HOST_H
#define WORKER_HOST_H

#include "common/error.h"
#include "protocol/keys.h"
#include "worker/environment.h"
#include "worker/gpus.h"
#include "worker/settings.h"

#include <limits.h>

struct host {
    char trainer[PATH_MAX]; /* program */
    char address[128];      /* where other nodes reach this one */
    struct environment_network network;
    char master[300];   /* the endpoint of the master: on this machine if there are no keys */
    keys_t *keys;       /* NULL without */
    char **environment; /* for trainers: "NAME=VALUE", ended with NULL; the words are lent */
    char only[512];     /* why it runs programs of no other user than its own, "" if it does */
    struct gpus gpus;
    char *visible; /* all of them, as CUDA_VISIBLE_DEVICES has them */
};

/* Finds all of it. -1 with `error` if something is missing; to be cleared either way. */
int host_find(const struct worker_settings *settings, struct host *host, struct error *error);
void host_clear(struct host *host);

#endif
