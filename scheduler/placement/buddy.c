/* buddy.c - jobs stay where they are. A new job takes a free block of its own size, or else splits
 * the smallest block that holds it.
 *
 * A block is a power of two of GPUs of a node, and begins at a multiple of its size. A job larger
 * than a node takes whole nodes. If enough GPUs are free but no block is, smaller jobs move out of
 * the block that moves the fewest GPUs, and are placed anew. With powers of two for jobs and nodes
 * there always is such a block. Otherwise a job is spread at last. A job that lost its node is
 * spread, too, as it may move no other job.
 *
 * Source: buddy allocation, Knowlton, CACM 8(10), 1965, for which ElasticFlow, ASPLOS 2023 (section
 * 4.3) moves jobs too; which of them move is ours. */
#include "scheduler/placement/room.h"

#include <limits.h>

/* GPUs of a node, side by side. */
struct block {
    int node; /* -1 for none */
    int rank; /* of its first GPU */
    int gpus;
    int cost; /* GPUs of jobs that move out; if it is free: size of the largest free block around */
};

static int block_size(int gpus)
{
    int size = 1;

    while (size < gpus)
        size *= 2;
    return size;
}

static bool is_free(const struct room *room, int rank, int gpus)
{
    for (int i = rank; i < rank + gpus; i++)
        if (room->owners[i] != ROOM_UNOWNED)
            return false;
    return true;
}

/* The size of the largest free block around the one at `start`, which has `size` GPUs. The node
 * begins at `rank`. */
static int size_around(const struct room *room, int rank, int per_node, int start, int size)
{
    for (int twice = 2 * size; twice <= per_node; twice *= 2) {
        const int first = start / twice * twice;

        if (first + twice > per_node || !is_free(room, rank + first, twice))
            break;
        size = twice;
    }
    return size;
}

/* The GPUs of jobs that would move out of a block for a job of `limit` GPUs; INT_MAX if one of them
 * is not smaller. */
static int cost_of(const struct room *room, int rank, int gpus, int limit)
{
    int cost = 0;
    int last = ROOM_UNOWNED;

    for (int i = rank; i < rank + gpus; i++) {
        const int owner = room->owners[i];

        if (owner == ROOM_UNOWNED || owner == last)
            continue;
        if (owner == ROOM_ABSENT || room->requests[owner].gpus >= limit)
            return INT_MAX;
        cost += room->requests[owner].gpus;
        last = owner;
    }
    return cost;
}

/* Looks for a free block of the node that is tighter than `best`. */
static void look_for_free(const struct room *room, const struct pool *pool, int node, int gpus,
                          struct block *best)
{
    const int rank = pool_rank(pool, node);
    const int size = block_size(gpus);

    for (int start = 0; start + gpus <= pool->gpus_per_node && best->cost > size; start += size) {
        int around;

        if (!is_free(room, rank + start, gpus))
            continue;
        around = size_around(room, rank, pool->gpus_per_node, start, size);
        if (around < best->cost)
            *best = (struct block){node, rank + start, gpus, around};
    }
}

static void look_for_cheapest(const struct room *room, const struct pool *pool, int node, int gpus,
                              int limit, struct block *best)
{
    const int rank = pool_rank(pool, node);
    const int size = block_size(gpus);

    for (int start = 0; start + gpus <= pool->gpus_per_node; start += size) {
        const int cost = cost_of(room, rank + start, gpus, limit);

        if (cost < best->cost)
            *best = (struct block){node, rank + start, gpus, cost};
    }
}

static struct block find_block(const struct room *room, const struct pool *pool, int gpus,
                               int limit)
{
    const int end = pool->first_node + pool->node_count;
    struct block best = {.node = -1, .cost = INT_MAX};

    for (int node = pool->first_node; node < end; node++)
        if (room->free_gpus[node] >= gpus)
            look_for_free(room, pool, node, gpus, &best);
    if (best.node >= 0 || room->lost_nodes)
        return best;
    for (int node = pool->first_node; node < end; node++)
        if (cluster_is_up(room->cluster, node))
            look_for_cheapest(room, pool, node, gpus, limit, &best);
    return best;
}

/* Takes its GPUs from `owner`, which is placed anew. */
static void displace(struct room *room, const struct pool *pool, int owner)
{
    const int end = pool->first_node + pool->node_count;

    for (int node = pool->first_node; node < end; node++)
        for (int i = pool_rank(pool, node); i < pool_rank(pool, node + 1); i++)
            if (room->owners[i] == owner) {
                room->owners[i] = ROOM_UNOWNED;
                room->free_gpus[node]++;
            }
    room->settled[owner] = false;
}

static void take_block(struct room *room, const struct pool *pool, const struct block *block,
                       int owner)
{
    for (int i = block->rank; i < block->rank + block->gpus; i++)
        if (room->owners[i] != ROOM_UNOWNED)
            displace(room, pool, room->owners[i]);
    for (int i = block->rank; i < block->rank + block->gpus; i++)
        room_own(room, block->node, i, owner);
}

/* Gives `owner` the first free GPUs of the freest nodes. */
static void spread(struct room *room, const struct pool *pool, int gpus, int owner)
{
    while (gpus > 0) {
        int freest = pool->first_node;

        for (int node = freest; node < pool->first_node + pool->node_count; node++)
            if (room->free_gpus[node] > room->free_gpus[freest])
                freest = node;
        for (int i = pool_rank(pool, freest); gpus > 0 && i < pool_rank(pool, freest + 1); i++)
            if (room->owners[i] == ROOM_UNOWNED) {
                room_own(room, freest, i, owner);
                gpus--;
            }
    }
}

static void settle(struct room *room, int owner)
{
    const struct placement_request *request = &room->requests[owner];
    const struct pool *pool = &room->pools[request->job->grant.pool];
    int left = request->gpus;

    while (left > 0) {
        const int part = left < pool->gpus_per_node ? left : pool->gpus_per_node;
        const struct block block = find_block(room, pool, part, request->gpus);

        if (block.node < 0)
            break;
        take_block(room, pool, &block, owner);
        left -= part;
    }
    spread(room, pool, left, owner);
    room->settled[owner] = true;
}

/* The largest request without GPUs, of equal ones the earliest; -1 if there is none. */
static int next_request(const struct room *room)
{
    const struct placement_request *first = NULL;

    for (size_t i = 0; i < room->count; i++) {
        const struct placement_request *own = &room->requests[i];

        if (!room->settled[i] &&
            (!first || own->gpus > first->gpus ||
             (own->gpus == first->gpus && own->job->arrival < first->job->arrival)))
            first = own;
    }
    return first ? (int)(first - room->requests) : -1;
}

int placement_revise_buddies(const cluster_t *cluster, const struct placement_request *requests,
                             size_t count, struct layout *layout, struct error *error)
{
    struct room room;
    int next;

    if (room_open(&room, cluster, requests, count, layout, error) < 0)
        return -1;
    while ((next = next_request(&room)) >= 0)
        settle(&room, next);
    room_close(&room, layout);
    return 0;
}
