/* best_fit.c - jobs stay where they are; a new one goes to the tightest node that holds it, and is
 * spread over as few nodes as possible if none does.
 *
 * A job that holds as many GPUs as before keeps exactly these. The others choose in the order of their
 * size, the largest first, so that large ones find nodes while there are some: a job that no node holds
 * takes all that is free on the freest nodes, whole free ones before others, until the tightest node
 * holds the rest. Whatever the cluster has GPUs for finds a place.
 *
 * Source: best fit decreasing, Johnson et al., SIAM Journal on Computing 3(4), 1974; keeping and
 * spreading are ours. The published Chronus artifact searches among four orders of jobs with a measure
 * that prefers to split them; its alias is kept. */
#include "scheduler/placement/placement.h"

#include "common/memory.h"
#include "common/sort.h"

#include <assert.h>
#include <stdint.h>

#define NOBODY (-1)

/* The nodes that have as many free GPUs as others of their shelf: a bit for each. */
struct shelf {
    uint64_t *nodes;
    int count;
};

/* The cluster while it is filled. */
struct room {
    arena_t *memory;
    int node_count;
    int per_node;
    int *owners;           /* by rank: who holds the GPU, by the place of his request */
    int *free_gpus;        /* by node */
    struct shelf *shelves; /* by free GPUs */
};

static void *new_array(arena_t *memory, size_t count, size_t size)
{
    return arena_alloc(memory, (count + 1) * size);
}

static int *new_numbers(arena_t *memory, int count, int value)
{
    int *numbers = new_array(memory, (size_t)count, sizeof(*numbers));

    for (int i = 0; i < count; i++)
        numbers[i] = value;
    return numbers;
}

static struct room room_new(const cluster_t *cluster)
{
    struct room room = {.memory = arena_new(),
                        .node_count = cluster_node_count(cluster),
                        .per_node = cluster_gpus_per_node(cluster)};

    room.owners = new_numbers(room.memory, cluster_gpus(cluster), NOBODY);
    room.free_gpus = new_numbers(room.memory, room.node_count, room.per_node);
    for (int node = 0; node < room.node_count; node++)
        if (!cluster_is_up(cluster, node))
            room.free_gpus[node] = 0;
    return room;
}

static void own(struct room *room, int rank, int owner)
{
    assert(room->owners[rank] == NOBODY);
    room->owners[rank] = owner;
    room->free_gpus[rank / room->per_node]--;
}

/* The GPU `index` of a part of the layout, counted through all nodes. */
static int rank_in(const struct room *room, const struct layout *layout, const struct held *held,
                   int index)
{
    const int gpu = held->first + index;

    return layout->sets[held->set].nodes[gpu / room->per_node] * room->per_node +
           gpu % room->per_node;
}

static bool is_all_up(const struct room *room, const struct layout *layout, const struct held *held)
{
    for (int i = 0; i < held->gpus; i++)
        if (room->free_gpus[rank_in(room, layout, held, i) / room->per_node] == 0)
            return false;
    return true;
}

/* Which request each part of the layout belongs to: that of a job which asks for as many GPUs as it holds on
 * nodes that are up, or nobody's. Says which requests are settled so. */
static int *find_keepers(const struct room *room, const struct layout *layout,
                         const struct placement_request *requests, size_t count, bool settled[])
{
    int *holds = new_numbers(room->memory, layout->held_count, 0); /* by first part */
    int *stays = new_numbers(room->memory, layout->held_count, NOBODY);
    int *keepers = new_numbers(room->memory, layout->held_count, NOBODY);

    for (int i = 0; i < layout->held_count; i++) {
        const struct held *held = &layout->held[i];
        int *gpus = &holds[held->job->held];

        *gpus = *gpus >= 0 && is_all_up(room, layout, held) ? *gpus + held->gpus : -1;
    }
    for (size_t i = 0; i < count; i++) {
        const int first = requests[i].job->held;

        settled[i] = first >= 0 && holds[first] == requests[i].gpus;
        if (settled[i])
            stays[first] = (int)i;
    }
    for (int i = 0; i < layout->held_count; i++)
        if (is_all_up(room, layout, &layout->held[i]))
            keepers[i] = stays[layout->held[i].job->held];
    return keepers;
}

/* Takes everybody out of the layout, and those who keep their GPUs into the room. */
static void move_out(struct room *room, struct layout *layout, const int keepers[])
{
    for (int i = 0; i < layout->held_count; i++) {
        const struct held *held = &layout->held[i];

        for (int k = 0; k < held->gpus && keepers[i] != NOBODY; k++)
            own(room, rank_in(room, layout, held, k), keepers[i]);
    }
    for (int i = 0; i < layout->held_count; i++)
        layout->held[i].job->held = -1;
    for (int i = 0; i < layout->set_count; i++)
        for (int k = 0; k < layout->sets[i].node_count; k++)
            layout->set_of_node[layout->sets[i].nodes[k]] = -1;
    layout->set_count = layout->held_count = layout->nodes_taken = 0;
}

static void shelve(struct room *room, int node)
{
    struct shelf *shelf = &room->shelves[room->free_gpus[node]];

    shelf->nodes[node / 64] |= (uint64_t)1 << node % 64;
    shelf->count++;
}

static void unshelve(struct room *room, int node)
{
    struct shelf *shelf = &room->shelves[room->free_gpus[node]];

    shelf->nodes[node / 64] &= ~((uint64_t)1 << node % 64);
    shelf->count--;
}

static void shelve_all(struct room *room)
{
    const size_t words = (size_t)room->node_count / 64 + 1;

    room->shelves = new_array(room->memory, (size_t)room->per_node + 1, sizeof(*room->shelves));
    for (int gpus = 0; gpus <= room->per_node; gpus++) {
        room->shelves[gpus].nodes = new_array(room->memory, words, sizeof(uint64_t));
        room->shelves[gpus].count = 0;
        for (size_t i = 0; i < words; i++)
            room->shelves[gpus].nodes[i] = 0;
    }
    for (int node = 0; node < room->node_count; node++)
        shelve(room, node);
}

static int first_node(const struct shelf *shelf)
{
    int word = 0;

    assert(shelf->count > 0);
    while (shelf->nodes[word] == 0)
        word++;
    return word * 64 + __builtin_ctzll(shelf->nodes[word]);
}

/* The first node with the fewest free GPUs that are enough; -1 if no node has enough. */
static int tightest_node(const struct room *room, int gpus)
{
    for (int i = gpus; i <= room->per_node; i++)
        if (room->shelves[i].count > 0)
            return first_node(&room->shelves[i]);
    return -1;
}

static int freest_node(const struct room *room)
{
    int gpus = room->per_node;

    while (room->shelves[gpus].count == 0)
        gpus--;
    assert(gpus > 0);
    return first_node(&room->shelves[gpus]);
}

/* The first free GPUs of the node, which has enough. */
static void take(struct room *room, int node, int gpus, int owner)
{
    int rank = node * room->per_node;

    unshelve(room, node);
    for (; gpus > 0; rank++)
        if (room->owners[rank] == NOBODY) {
            own(room, rank, owner);
            gpus--;
        }
    shelve(room, node);
}

static void settle(struct room *room, int gpus, int owner)
{
    while (gpus > 0) {
        int node = tightest_node(room, gpus);
        int part = gpus;

        if (node < 0) {
            node = freest_node(room);
            part = room->free_gpus[node];
        }
        take(room, node, part, owner);
        gpus -= part;
    }
}

/* Sorts larger jobs first, equal ones as they arrived: exact, as both are whole numbers below 2^32 and
 * no cluster has 2^21 GPUs. */
static double rank_of(const struct placement_request *request)
{
    return (double)request->job->arrival - 4294967296.0 * request->gpus;
}

/* Settles the others. */
static void settle_all(struct room *room, const struct placement_request *requests, size_t count,
                       const bool settled[])
{
    struct keyed *order = new_array(room->memory, 2 * count, sizeof(*order));
    size_t left = 0;

    for (size_t i = 0; i < count; i++)
        if (!settled[i])
            order[left++] = (struct keyed){.key = rank_of(&requests[i]), .item = i};
    sort_keyed(order, left, order + count);
    for (size_t i = 0; i < left; i++)
        settle(room, requests[order[i].item].gpus, (int)order[i].item);
}

static void open_node(struct layout *layout, int node, int per_node)
{
    int *chosen = &layout->chosen[layout->nodes_taken++];

    *chosen = node;
    layout->set_of_node[node] = layout->set_count;
    layout->sets[layout->set_count++] = (struct node_set){.nodes = chosen,
                                                          .node_count = 1,
                                                          .capacity = per_node,
                                                          .label = per_node,
                                                          .class_label = per_node,
                                                          .first_held = -1,
                                                          .last_held = -1};
}

/* Enters the GPUs of a node into the layout; `last` has the last part of each request so far. */
static void enter_node(const struct room *room, int node, const struct placement_request *requests,
                       struct layout *layout, int last[])
{
    const int first = node * room->per_node;
    const int end = first + room->per_node;

    open_node(layout, node, room->per_node);
    for (int rank = first, next; rank < end; rank = next) {
        const int owner = room->owners[rank];
        int part;

        for (next = rank + 1; next < end && room->owners[next] == owner;)
            next++;
        if (owner == NOBODY)
            continue;
        part = layout_hold_part(layout, layout->set_count - 1, requests[owner].job, rank - first,
                                next - rank);
        if (last[owner] < 0)
            requests[owner].job->held = part;
        else
            layout->held[last[owner]].more = part;
        last[owner] = part;
    }
}

static int check_sum(const cluster_t *cluster, const struct placement_request *requests,
                     size_t count, struct error *error)
{
    int free_gpus = cluster_gpus_up(cluster);

    for (size_t i = 0; i < count; i++) {
        if (requests[i].gpus > free_gpus)
            return error_set(error, "job %s: no place for its %d GPUs, of which %d are free",
                             requests[i].job->submission->id, requests[i].gpus, free_gpus);
        free_gpus -= requests[i].gpus;
    }
    return 0;
}

int placement_revise(const cluster_t *cluster, const struct placement_request *requests,
                     size_t count, struct layout *layout, struct error *error)
{
    struct room room;
    const int *keepers;
    bool *settled;
    int *last;

    if (check_sum(cluster, requests, count, error) < 0)
        return -1;
    room = room_new(cluster);
    settled = new_array(room.memory, count, sizeof(*settled));
    keepers = find_keepers(&room, layout, requests, count, settled);
    move_out(&room, layout, keepers);
    shelve_all(&room);
    settle_all(&room, requests, count, settled);
    last = new_numbers(room.memory, (int)count, -1);
    for (int node = 0; node < room.node_count; node++)
        if (room.free_gpus[node] < room.per_node)
            enter_node(&room, node, requests, layout, last);
    arena_destroy(&room.memory);
    return 0;
}

const struct placement placement_best_fit = {
    .name = "best-fit",
    .alias = "local_search",
    .summary = "jobs stay where they are, new ones on the tightest node that holds them",
    .revise = placement_revise,
};
