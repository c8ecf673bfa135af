/* room.c - see room.h. */
#include "scheduler/placement/room.h"

void *room_array(struct room *room, size_t count, size_t size)
{
    return arena_alloc(room->memory, (count + 1) * size);
}

static int *new_numbers(struct room *room, size_t count, int value)
{
    int *numbers = room_array(room, count, sizeof(*numbers));

    for (size_t i = 0; i < count; i++)
        numbers[i] = value;
    return numbers;
}

static int check_sums(const struct room *room, struct error *error)
{
    int free_gpus[CLUSTER_POOLS_MAX];

    for (int i = 0; i < room->pool_count; i++)
        free_gpus[i] = room->pools[i].gpus_up;
    for (size_t i = 0; i < room->count; i++) {
        const struct job *job = room->requests[i].job;
        const int gpus = room->requests[i].gpus;

        if (gpus > free_gpus[job->grant.pool])
            return error_set(error, "job %s: no place for its %d GPUs, of which %d are free",
                             job->submission->id, gpus, free_gpus[job->grant.pool]);
        free_gpus[job->grant.pool] -= gpus;
    }
    return 0;
}

static void find_free_gpus(struct room *room)
{
    for (int i = 0; i < room->pool_count; i++) {
        const struct pool *pool = &room->pools[i];
        const bool all_up = pool->gpus_up == pool->node_count * pool->gpus_per_node;

        for (int node = pool->first_node; node < pool->first_node + pool->node_count; node++) {
            room->free_gpus[node] =
                all_up ? pool->gpus_per_node : cluster_node_gpus_up(room->cluster, node);
            for (int gpu = room->free_gpus[node]; gpu > 0 && gpu < pool->gpus_per_node; gpu++)
                room->owners[pool_rank(pool, node) + gpu] = ROOM_ABSENT;
        }
    }
}

/* ---- which GPUs a job keeps ---- */

/* A part of the layout, by its nodes. */
struct part {
    const struct pool *pool;
    const int *nodes;
    int node_count;
    int first; /* its first GPU, counted through its nodes */
    int gpus;
};

static struct part part_of(const struct room *room, const struct layout *layout,
                           const struct held *held)
{
    const struct node_set *set = &layout->sets[held->set];

    return (struct part){pool_at(room->pools, set->nodes[0]), set->nodes, set->node_count,
                         held->first, held->gpus};
}

/* Whether all GPUs of a part are up. No GPU has an owner yet, so the free GPUs of a node are all
 * that it has. */
static bool is_all_up(const struct room *room, const struct part *part)
{
    const int per_node = part->pool->gpus_per_node;
    const int end = part->first + part->gpus;

    if (part->pool->gpus_up == part->pool->node_count * per_node)
        return end <= part->node_count * per_node;
    for (int i = part->first / per_node; i <= (end - 1) / per_node; i++) {
        const int needs = end - i * per_node < per_node ? end - i * per_node : per_node;

        if (i >= part->node_count || room->free_gpus[part->nodes[i]] < needs)
            return false;
    }
    return true;
}

/* How many GPUs each job holds, by its first part; -1 if a GPU is on a node that is not up, or in
 * another pool than that of the job's grant. */
static int *count_held(struct room *room, const struct layout *layout)
{
    int *holds = new_numbers(room, (size_t)layout->held_count, 0);

    for (int i = 0; i < layout->held_count; i++) {
        const struct held *held = &layout->held[i];
        const struct part part = part_of(room, layout, held);
        const bool is_up = is_all_up(room, &part);
        const bool stands = is_up && part.pool == &room->pools[held->job->grant.pool];
        int *gpus = &holds[held->job->held];

        *gpus = *gpus >= 0 && stands ? *gpus + held->gpus : -1;
        room->lost_nodes = room->lost_nodes || !is_up;
    }
    return holds;
}

/* A guest that keeps its size while its host does not stay takes over the GPUs of both. The first
 * `own_count` parts are not those of guests. */
static void keep_guests(struct room *room, const struct layout *layout, int own_count,
                        const int holds[], int keepers[])
{
    for (size_t i = 0; i < room->count; i++) {
        const int first = room->requests[i].job->held;
        int host;

        if (first < own_count || holds[first] != room->requests[i].gpus ||
            room->requests[i].job->seat.chosen)
            continue;
        host = layout->held[layout->held[first].of].job->held;
        if (keepers[host] != ROOM_UNOWNED)
            continue;
        keepers[host] = (int)i;
        room->settled[i] = true;
    }
}

/* The request that keeps the GPUs of each part, ROOM_UNOWNED for none. */
static int *find_keepers(struct room *room, const struct layout *layout)
{
    const int own_count = layout_own_parts(layout);
    const int *holds = count_held(room, layout);
    int *keepers = new_numbers(room, (size_t)layout->held_count, ROOM_UNOWNED);

    for (size_t i = 0; i < room->count; i++) {
        const struct job *job = room->requests[i].job;
        const bool stands =
            job->held >= 0 && job->held < own_count && holds[job->held] == room->requests[i].gpus;

        room->settled[i] = stands || job->seat.chosen;
        if (stands && !job->seat.chosen)
            keepers[job->held] = (int)i;
    }
    if (own_count < layout->held_count)
        keep_guests(room, layout, own_count, holds, keepers);
    for (int i = 0; i < own_count; i++)
        keepers[i] = keepers[layout->held[i].job->held];
    return keepers;
}

static void keep(struct room *room, const struct part *part, int owner)
{
    const int per_node = part->pool->gpus_per_node;

    for (int i = part->first; i < part->first + part->gpus; i++) {
        const int node = part->nodes[i / per_node];

        room_own(room, node, pool_rank(part->pool, node) + i % per_node, owner);
    }
}

static void move_out(struct room *room, struct layout *layout, const int keepers[])
{
    for (int i = 0; i < layout->held_count; i++) {
        const struct part part = part_of(room, layout, &layout->held[i]);

        if (keepers[i] != ROOM_UNOWNED)
            keep(room, &part, keepers[i]);
    }
    for (int i = 0; i < layout->held_count; i++)
        layout->held[i].job->held = -1;
    for (int i = 0; i < layout->set_count; i++)
        for (int k = 0; k < layout->sets[i].node_count; k++)
            layout->set_of_node[layout->sets[i].nodes[k]] = -1;
    layout->set_count = layout->held_count = layout->nodes_taken = 0;
}

/* Gives `owner` the GPUs of a seat. Returns the first GPU that is not free, -1 if all were. */
static int own_seat(struct room *room, const struct pool *pool, const int nodes[], int rank,
                    int gpus, int owner)
{
    int place = (rank - pool->first_rank) / pool->gpus_per_node;
    int offset = (rank - pool->first_rank) % pool->gpus_per_node;

    for (; gpus > 0; place++, offset = 0) {
        int node;
        int first;

        if (place >= pool->node_count)
            return rank;
        node = nodes ? nodes[place] : pool->first_node + place;
        first = pool_rank(pool, node);
        for (; gpus > 0 && offset < pool->gpus_per_node; offset++, gpus--, rank++) {
            if (room->free_gpus[node] == 0 || room->owners[first + offset] != ROOM_UNOWNED)
                return first + offset;
            room_own(room, node, first + offset, owner);
        }
    }
    return -1;
}

/* Carries out requests that name their GPUs. -1, with `error`, if a named GPU is not up or is
 * another job's. */
static int put_where_asked(struct room *room, struct error *error)
{
    for (size_t i = 0; i < room->count; i++) {
        const struct placement_request *request = &room->requests[i];
        const struct seat *seat = &request->job->seat;
        const int lacking = seat->chosen ? own_seat(room, &room->pools[request->job->grant.pool],
                                                    seat->nodes, seat->rank, request->gpus, (int)i)
                                         : -1;

        if (lacking >= 0)
            return error_set(error, "job %s: GPU %d, which it was given, is not free",
                             request->job->submission->id, lacking);
    }
    return 0;
}

int room_open(struct room *room, const cluster_t *cluster, const struct placement_request *requests,
              size_t count, struct layout *layout, struct error *error)
{
    *room = (struct room){.cluster = cluster, .requests = requests, .count = count};
    room->pools = cluster_pools(cluster, &room->pool_count);
    if (check_sums(room, error) < 0)
        return -1;
    room->memory = arena_new();
    room->owners = new_numbers(room, (size_t)cluster_gpus(cluster), ROOM_UNOWNED);
    room->free_gpus = room_array(room, (size_t)cluster_node_count(cluster), sizeof(int));
    room->settled = room_array(room, count, sizeof(*room->settled));
    find_free_gpus(room);
    move_out(room, layout, find_keepers(room, layout));
    return put_where_asked(room, error);
}

/* ---- the new layout ---- */

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

/* Adds a part to the layout. `last` has the last part of each request so far. */
static void enter_part(const struct room *room, struct layout *layout, int owner, int first,
                       int gpus, int last[])
{
    struct job *job = room->requests[owner].job;
    const int part = layout_hold_part(layout, layout->set_count - 1, job, first, gpus);

    if (last[owner] < 0)
        job->held = part;
    else
        layout->held[last[owner]].more = part;
    last[owner] = part;
}

static void enter_node(const struct room *room, const struct pool *pool, int node,
                       struct layout *layout, int last[])
{
    const int *owners = room->owners + pool_rank(pool, node);

    open_node(layout, node, pool->gpus_per_node);
    for (int first = 0, next; first < pool->gpus_per_node; first = next) {
        for (next = first + 1; next < pool->gpus_per_node && owners[next] == owners[first];)
            next++;
        if (owners[first] >= 0)
            enter_part(room, layout, owners[first], first, next - first, last);
    }
}

static void own_ranks(struct room *room, const struct pool *pool, const int ranks[], int gpus,
                      int owner)
{
    for (int i = 0; i < gpus; i++) {
        const int place = (ranks[i] - pool->first_rank) / pool->gpus_per_node;

        room_own(room, pool->first_node + place, ranks[i], owner);
    }
}

void placement_put(const cluster_t *cluster, const struct placement_request *requests,
                   const int *const ranks[], size_t count, struct layout *layout)
{
    struct room room;
    struct error error;
    const int status = room_open(&room, cluster, requests, count, layout, &error);

    assert(status == 0);
    for (size_t i = 0; i < count; i++)
        own_ranks(&room, &room.pools[requests[i].job->grant.pool], ranks[i], requests[i].gpus,
                  (int)i);
    room_close(&room, layout);
}

void room_close(struct room *room, struct layout *layout)
{
    int *last = new_numbers(room, room->count, -1);

    for (int i = 0; i < room->pool_count; i++) {
        const struct pool *pool = &room->pools[i];

        for (int node = pool->first_node; node < pool->first_node + pool->node_count; node++)
            if (room->free_gpus[node] < cluster_node_gpus(room->cluster, node))
                enter_node(room, pool, node, layout, last);
    }
    arena_destroy(&room->memory);
}
