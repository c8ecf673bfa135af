/* placement.h - which GPUs a job gets: schemes chosen by name. */
#ifndef PLACEMENT_PLACEMENT_H
#define PLACEMENT_PLACEMENT_H

#include "common/error.h"
#include "scheduler/state/cluster.h"
#include "scheduler/reference/slice_sets.h"

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
    /* Places the jobs in the order given into `layout`, which is empty; free nodes are those of
     * `cluster`. Sets job->held. Returns -1, with `error`, if one does not fit. */
    int (*place)(const cluster_t *cluster, const struct placement_request *requests, size_t count,
                 struct layout *layout, struct error *error);
    /* The same for schemes of policies that choose the nodes themselves, and `place` is NULL: each
     * job whose turn it is holds what its slice set has for it. `jobs` are in order of arrival. */
    void (*place_turns)(const cluster_t *cluster, const slice_sets_t *sets, struct job *jobs,
                        struct layout *layout);
    /* The same for schemes that leave jobs where they are, and `place` is NULL: `layout` is the one in
     * force, and becomes the next. */
    int (*revise)(const cluster_t *cluster, const struct placement_request *requests, size_t count,
                  struct layout *layout, struct error *error);
};

/* The scheme called `name`, NULL if there is none; all names and aliases, ended with NULL. */
const struct placement *placement_find(const char *name);
const char *const *placement_names(void);

#endif
