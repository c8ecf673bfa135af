/* host.h - what a worker needs to know of its machine before it starts trainers. */
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
    char master[300]; /* endpoint of the master, which must be on this machine if there are no keys
                       */
    keys_t *keys;     /* NULL without */
    char **environment; /* for trainers: "NAME=VALUE", ended with NULL; the words are lent */
    char only[512];     /* why programs run as no other user than the worker's, "" if they may */
    struct gpus gpus;
    char *visible; /* all GPUs, as a value of CUDA_VISIBLE_DEVICES */
};

/* Fills in `host`. -1 with `error` if a setting cannot be met; host_clear must follow even then. */
int host_find(const struct worker_settings *settings, struct host *host, struct error *error);
void host_clear(struct host *host);

#endif
