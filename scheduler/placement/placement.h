/* placement.h - which GPUs a job gets: schemes chosen by name. */
#ifndef PLACEMENT_PLACEMENT_H
#define PLACEMENT_PLACEMENT_H

#include "common/error.h"
#include "scheduler/state/cluster.h"

#include <stddef.h>

/* A job that is to hold `gpus` GPUs, more than 0, of its pool: in its seat if it has one. */
struct placement_request {
    struct job *job;
    int gpus;
};

struct placement {
    const char *name;
    const char *alias; /* NULL for none */
    const char *summary;
    bool by_policy; /* the policy chooses the nodes itself; the scheme places nothing */
    /* Places the jobs in the order given into `layout`, which is empty; free nodes are those of
     * `cluster`, which has one pool. Sets job->held. Returns -1, with `error`, if a job does not
     * fit. NULL if the scheme never places all jobs anew. */
    int (*place)(const cluster_t *cluster, const struct placement_request *requests, size_t count,
                 struct layout *layout, struct error *error);
    /* Leaves jobs on nodes that are up in place, as far as the scheme can: `layout` is the layout
     * in force, of whichever scheme, and becomes the next. NULL if the policy chooses the nodes. */
    int (*revise)(const cluster_t *cluster, const struct placement_request *requests, size_t count,
                  struct layout *layout, struct error *error);
};

/* Puts each job on the GPUs of `ranks`, counted through all nodes: all are up, and no two jobs have
 * one in common. No job has a seat or is in `layout`, which is empty. */
void placement_put(const cluster_t *cluster, const struct placement_request *requests,
                   const int *const ranks[], size_t count, struct layout *layout);

/* `revise` with buddy blocks: see buddy.c. */
int placement_revise_buddies(const cluster_t *cluster, const struct placement_request *requests,
                             size_t count, struct layout *layout, struct error *error);

/* The scheme called `name`, NULL if there is none; all names and aliases, ended with NULL. */
const struct placement *placement_find(const char *name);
const char *const *placement_names(void);

#endif
