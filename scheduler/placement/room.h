/* room.h - the cluster while jobs are put into it: which request has each GPU. For schemes that
 * leave jobs where they are. */
#ifndef PLACEMENT_ROOM_H
#define PLACEMENT_ROOM_H

#include "common/memory.h"
#include "scheduler/placement/placement.h"

#include <assert.h>
#include <stdbool.h>

#define ROOM_UNOWNED (-1)
#define ROOM_ABSENT  (-2) /* a GPU that its node, which is up, lacks */

struct room {
    arena_t *memory;
    const cluster_t *cluster;
    const struct pool *pools;
    int pool_count;
    int *owners;    /* by rank: index of a request, ROOM_UNOWNED or ROOM_ABSENT */
    int *free_gpus; /* by node; 0 for nodes that are not up */
    const struct placement_request *requests;
    size_t count;
    bool *settled;   /* by request: its GPUs are placed */
    bool lost_nodes; /* jobs held nodes that are not up any more */
};

/* The room of `cluster`, with the jobs that keep their GPUs: those that hold as many GPUs as they
 * ask for, all present, on nodes that are up and in the right pool. `layout` is emptied. -1, with
 * `error`, if a pool has fewer GPUs up than are asked for. */
int room_open(struct room *room, const cluster_t *cluster, const struct placement_request *requests,
              size_t count, struct layout *layout, struct error *error);

/* Fills `layout` with the GPUs of each job, and frees the room. */
void room_close(struct room *room, struct layout *layout);

/* An array with room for one more than `count`, not initialised. */
void *room_array(struct room *room, size_t count, size_t size);

static inline void room_own(struct room *room, int node, int rank, int owner)
{
    assert(room->owners[rank] == ROOM_UNOWNED);
    room->owners[rank] = owner;
    room->free_gpus[node]--;
}

#endif
