/* closures.h - which GPUs that there are now are known not to be there later: those of nodes whose
 * end is known. Places and ranks are those of the order of nodes; places in reserve have none. */
#ifndef PLANNER_CLOSURES_H
#define PLANNER_CLOSURES_H

#include "common/memory.h"
#include "scheduler/planner/node_order.h"
#include "scheduler/planner/vacancy.h"

/* The GPUs of a place are not there from one time to a later one. */
struct closure {
    int place;
    int gpus; /* its first ones: those that are up now */
    int64_t from_s;
    int64_t to_s; /* NEVER_S: for ever */
};

/* All zero: none is known. */
struct closures {
    const struct node_order *order;
    struct closure *items; /* by place, those of a place by time */
    size_t count;
    int *first;         /* by place: its first item; one more at the end */
    struct span *spans; /* the same without places, by time */
    size_t span_count;
};

/* What `cluster`, whose nodes are in that order, knows. The memory is `arena`'s. */
struct closures closures_open(const cluster_t *cluster, const struct node_order *order,
                              arena_t *arena);

/* The same, but what is closed before `until_s` is closed from `now_s` on. */
struct closures closures_bring_forward(const struct closures *self, int64_t now_s, int64_t until_s,
                                       arena_t *arena);

/* When one of the `gpus` GPUs from `rank` on is closed first, `from_s` or later; NEVER_S if none
 * is. */
int64_t closures_next_s(const struct closures *self, int rank, int gpus, int64_t from_s);

/* GPU-seconds that are closed from one time to another. */
double closures_gpu_s(const struct closures *self, int64_t from_s, int64_t to_s);

/* GPUs that are closed at some time of a span, which is not empty. */
int closures_gpus(const struct closures *self, int64_t from_s, int64_t to_s);

#endif
