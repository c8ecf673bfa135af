/* best_fit.c - jobs stay where they are. A new job goes to the tightest node that holds it, and is
 * spread over as few nodes as possible if none does.
 *
 * A job that holds as many GPUs as before keeps them. The others choose in the order of their size,
 * the largest first, so that large jobs find empty nodes. A job that no node holds takes all free
 * GPUs of the freest nodes, empty nodes before others, until the tightest node holds the rest.
 * Every job for which the cluster has enough GPUs finds a place.
 *
 * Source: best fit decreasing, Johnson et al., SIAM Journal on Computing 3(4), 1974; keeping and
 * spreading are ours. An artifact, whose name of the scheme is kept as an alias, searches among
 * four orders of jobs with a measure that prefers to split them. */
#include "common/sort.h"
#include "scheduler/placement/room.h"

#include <stdint.h>

/* The nodes that have the same number of free GPUs: a bit for each. */
struct shelf {
    uint64_t *nodes;
    int count;
};

/* A pool of the room. */
struct wing {
    struct room *room;
    const struct pool *pool;
    struct shelf *shelves; /* by number of free GPUs; bit 0 is the pool's first node */
};

static void shelve(struct wing *wing, int node)
{
    struct shelf *shelf = &wing->shelves[wing->room->free_gpus[wing->pool->first_node + node]];

    shelf->nodes[node / 64] |= (uint64_t)1 << node % 64;
    shelf->count++;
}

static void unshelve(struct wing *wing, int node)
{
    struct shelf *shelf = &wing->shelves[wing->room->free_gpus[wing->pool->first_node + node]];

    shelf->nodes[node / 64] &= ~((uint64_t)1 << node % 64);
    shelf->count--;
}

static struct wing open_wing(struct room *room, int pool)
{
    struct wing wing = {.room = room, .pool = &room->pools[pool]};
    const size_t words = (size_t)wing.pool->node_count / 64 + 1;
    const size_t count = (size_t)wing.pool->gpus_per_node + 1;

    wing.shelves = room_array(room, count, sizeof(*wing.shelves));
    for (size_t gpus = 0; gpus < count; gpus++) {
        wing.shelves[gpus].nodes = room_array(room, words, sizeof(uint64_t));
        wing.shelves[gpus].count = 0;
        for (size_t i = 0; i < words; i++)
            wing.shelves[gpus].nodes[i] = 0;
    }
    for (int node = 0; node < wing.pool->node_count; node++)
        shelve(&wing, node);
    return wing;
}

static int first_node(const struct shelf *shelf)
{
    int word = 0;

    assert(shelf->count > 0);
    while (shelf->nodes[word] == 0)
        word++;
    return word * 64 + __builtin_ctzll(shelf->nodes[word]);
}

/* The first node of those with the fewest free GPUs that are enough; -1 if no node has enough. */
static int tightest_node(const struct wing *wing, int gpus)
{
    for (int i = gpus; i <= wing->pool->gpus_per_node; i++)
        if (wing->shelves[i].count > 0)
            return first_node(&wing->shelves[i]);
    return -1;
}

static int freest_node(const struct wing *wing)
{
    int gpus = wing->pool->gpus_per_node;

    while (wing->shelves[gpus].count == 0)
        gpus--;
    assert(gpus > 0);
    return first_node(&wing->shelves[gpus]);
}

/* Gives `owner` the first free GPUs of the node, which has enough. */
static void take(struct wing *wing, int node, int gpus, int owner)
{
    struct room *room = wing->room;
    const int position = wing->pool->first_node + node;
    int rank = pool_rank(wing->pool, position);

    unshelve(wing, node);
    for (; gpus > 0; rank++)
        if (room->owners[rank] == ROOM_UNOWNED) {
            room_own(room, position, rank, owner);
            gpus--;
        }
    shelve(wing, node);
}

static void settle(struct wing *wing, int gpus, int owner)
{
    while (gpus > 0) {
        int node = tightest_node(wing, gpus);
        int part = gpus;

        if (node < 0) {
            node = freest_node(wing);
            part = wing->room->free_gpus[wing->pool->first_node + node];
        }
        take(wing, node, part, owner);
        gpus -= part;
    }
}

/* Sorts by size, the largest first, then by arrival. The sum is exact: both are whole numbers below
 * 2^32, and no cluster has 2^21 GPUs. */
static double rank_of(const struct placement_request *request)
{
    return (double)request->job->arrival - 4294967296.0 * request->gpus;
}

/* Places the jobs of a pool that keep no GPUs. */
static void settle_pool(struct room *room, int pool)
{
    struct keyed *order = room_array(room, 2 * room->count, sizeof(*order));
    struct wing wing;
    size_t left = 0;

    for (size_t i = 0; i < room->count; i++)
        if (!room->settled[i] && room->requests[i].job->grant.pool == pool)
            order[left++] = (struct keyed){.key = rank_of(&room->requests[i]), .item = i};
    if (left == 0)
        return;
    sort_keyed(order, left, order + room->count);
    wing = open_wing(room, pool);
    for (size_t i = 0; i < left; i++)
        settle(&wing, room->requests[order[i].item].gpus, (int)order[i].item);
}

static int revise(const cluster_t *cluster, const struct placement_request *requests, size_t count,
                  struct layout *layout, struct error *error)
{
    struct room room;

    if (room_open(&room, cluster, requests, count, layout, error) < 0)
        return -1;
    for (int i = 0; i < room.pool_count; i++)
        settle_pool(&room, i);
    room_close(&room, layout);
    return 0;
}

const struct placement placement_best_fit = {
    .name = "best-fit",
    .alias = "local_search",
    .summary = "jobs stay where they are, new ones on the tightest node that holds them",
    .revise = revise,
};
