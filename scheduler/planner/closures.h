/* closures.h - when GPUs are known to be away: the GPUs of nodes whose end is known, until they are
 * known to be back. Places and ranks follow the order of nodes. Places in reserve have no closures.
 */
#ifndef PLANNER_CLOSURES_H
#define PLANNER_CLOSURES_H

#include "common/memory.h"
#include "scheduler/planner/node_order.h"
#include "scheduler/planner/vacancy.h"

/* The GPUs of a place are away from one time to a later time. */
struct closure {
    int place;
    int gpus; /* the first GPUs of the place */
    int64_t from_s;
    int64_t to_s; /* NEVER_S if the GPUs stay away */
};

/* All zero if no closure is known. */
struct closures {
    const struct node_order *order;
    struct closure *items; /* sorted by place, then by time */
    size_t count;
    int *first;         /* for each place the index of its first item; an entry more at the end */
    struct span *spans; /* the closures without places, by time */
    size_t span_count;
};

/* The closures that `cluster`, whose nodes are in `order`, knows of, in memory of `arena`. */
struct closures closures_open(const cluster_t *cluster, const struct node_order *order,
                              int64_t now_s, arena_t *arena);

/* A copy of `self` in which GPUs that close before `until_s` are closed from `now_s` on. */
struct closures closures_bring_forward(const struct closures *self, int64_t now_s, int64_t until_s,
                                       arena_t *arena);

/* The first time from `from_s` on at which any of the `gpus` GPUs from `rank` on is closed; NEVER_S
 * if there is none. */
int64_t closures_next_s(const struct closures *self, int rank, int gpus, int64_t from_s);

/* GPU-seconds of closed GPUs from `from_s` to `to_s`. */
double closures_gpu_s(const struct closures *self, int64_t from_s, int64_t to_s);

/* The number of GPUs that are closed at some time of a span, which is not empty. */
int closures_gpus(const struct closures *self, int64_t from_s, int64_t to_s);

#endif
