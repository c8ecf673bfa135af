/* placement.h - which GPUs a job gets: schemes chosen by name. */
#ifndef PLACEMENT_PLACEMENT_H
#define PLACEMENT_PLACEMENT_H

#include "common/error.h"
#include "scheduler/state/cluster.h"

#include <stddef.h>

/* A job that is to hold `gpus` GPUs, more than 0. */
struct placement_request {
    struct job *job;
    int gpus;
};

struct placement {
    const char *name;
    const char *alias; /* NULL if it has none */
    const char *summary;
    bool by_policy; /* the policy chooses the nodes itself; the scheme places nothing */
    /* Places the jobs in the order given into `layout`, which is empty; free nodes are those of
     * `cluster`. Sets job->held. Returns -1, with `error`, if one does not fit. */
    int (*place)(const cluster_t *cluster, const struct placement_request *requests, size_t count,
                 struct layout *layout, struct error *error);
    /* The same for schemes that leave jobs where they are, and `place` is NULL: `layout` is the one in
     * force, and becomes the next. */
    int (*revise)(const cluster_t *cluster, const struct placement_request *requests, size_t count,
                  struct layout *layout, struct error *error);
};

/* Leaves jobs where they are, on whichever nodes are up, and puts the others on the tightest nodes that hold
 * them: `revise` of best-fit, from the layout of any scheme. */
int placement_revise(const cluster_t *cluster, const struct placement_request *requests,
                     size_t count, struct layout *layout, struct error *error);

/* The scheme called `name`, NULL if there is none; all names and aliases, ended with NULL. */
const struct placement *placement_find(const char *name);
const char *const *placement_names(void);

#endif
