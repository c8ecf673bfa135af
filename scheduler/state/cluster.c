/* cluster.c - see cluster.h. */
#include "scheduler/state/cluster.h"

#include "common/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A node of the cluster. */
struct node {
    enum node_state state;
    int64_t until_s;     /* the known end of a node that is up */
    struct stays *again; /* later times at which the node is known to be there; NULL for none */
    int gpus;            /* usable GPUs, the first ones of the node */
};

struct cluster {
    struct cluster_spec spec;
    struct pool pools[CLUSTER_POOLS_MAX];
    struct departure *departures; /* of all pools, one place for each node */
    int64_t change_s;             /* the earliest departure, or known return of a node */
    struct node *nodes;           /* by position */
    int node_count;
    int gpu_count;
    int gpus_up;
    int down_count;      /* nodes that are not up */
    bool order_is_stale; /* nodes came or went since free_nodes was put in order */
    int *free_nodes;     /* all nodes in the order of giving out: in use first, down last */
    int *released;       /* nodes in the order of their release */
    int released_count;
    int *scratch;
    int *id_starts; /* where the nodes of each id begin, for sorting by id */
    struct layout layout;
    size_t held_capacity;
};

/* ---- nodes and pools ---- */

static void add_node(cluster_t *self, int pool)
{
    const int position = self->node_count++;

    self->nodes[position].until_s = INT64_MAX;
    self->nodes[position].gpus = self->pools[pool].gpus_per_node;
    self->gpu_count += self->pools[pool].gpus_per_node;
    self->free_nodes[position] = position;
    self->layout.set_of_node[position] = -1;
}

static void add_pool(cluster_t *self, int index)
{
    const struct pool_spec *spec = &self->spec.pools[index];

    self->pools[index] = (struct pool){.name = spec->name,
                                       .gpu_type = spec->gpu_type,
                                       .first_node = self->node_count,
                                       .node_count = pool_spec_nodes(spec),
                                       .first_rank = self->gpu_count,
                                       .gpus_per_node = spec->gpus_per_node,
                                       .gpus_up = pool_spec_gpus(spec)};
    for (int i = 0; i < self->pools[index].node_count; i++)
        add_node(self, index);
}

cluster_t *cluster_new(const struct cluster_spec *spec)
{
    cluster_t *self = xcalloc(1, sizeof(*self));
    const size_t nodes = (size_t)cluster_spec_nodes(spec);

    self->spec = *spec;
    self->nodes = xcalloc(nodes, sizeof(*self->nodes));
    self->free_nodes = xcalloc(nodes, sizeof(*self->free_nodes));
    self->released = xcalloc(nodes, sizeof(*self->released));
    self->scratch = xcalloc(nodes, sizeof(*self->scratch));
    self->id_starts =
        xcalloc((size_t)spec->pools[0].nodes_per_switch + 1, sizeof(*self->id_starts));
    self->layout.sets = xcalloc(nodes, sizeof(*self->layout.sets));
    self->layout.set_of_node = xcalloc(nodes, sizeof(*self->layout.set_of_node));
    self->layout.chosen = xcalloc(nodes, sizeof(*self->layout.chosen));
    self->change_s = INT64_MAX;
    for (int i = 0; i < spec->pool_count; i++)
        add_pool(self, i);
    self->gpus_up = self->gpu_count;
    return self;
}

void cluster_destroy(cluster_t **self)
{
    if (!*self)
        return;
    free((*self)->layout.chosen);
    free((*self)->layout.held);
    free((*self)->layout.set_of_node);
    free((*self)->layout.sets);
    free((*self)->id_starts);
    free((*self)->scratch);
    free((*self)->released);
    free((*self)->free_nodes);
    for (int i = 0; i < (*self)->node_count; i++)
        free((*self)->nodes[i].again);
    free((*self)->nodes);
    free((*self)->departures);
    free(*self);
    *self = NULL;
}

int cluster_gpus(const cluster_t *self)
{
    return self->gpu_count;
}

int cluster_gpus_up(const cluster_t *self)
{
    return self->gpus_up;
}

int cluster_gpus_away(const cluster_t *self)
{
    int gpus = 0;

    for (int i = 0; i < self->spec.pool_count; i++)
        gpus += self->pools[i].gpus_away;
    return gpus;
}

int cluster_gpus_per_node(const cluster_t *self)
{
    return self->pools[0].gpus_per_node;
}

int cluster_node_count(const cluster_t *self)
{
    return self->node_count;
}

int cluster_switches(const cluster_t *self)
{
    return cluster_spec_switches(&self->spec);
}

const struct pool *cluster_pools(const cluster_t *self, int *count)
{
    if (count)
        *count = self->spec.pool_count;
    return self->pools;
}

enum node_state cluster_node_state(const cluster_t *self, int position)
{
    return self->nodes[position].state;
}

int64_t cluster_node_until_s(const cluster_t *self, int position)
{
    return self->nodes[position].until_s;
}

bool cluster_is_up(const cluster_t *self, int position)
{
    return self->nodes[position].state == NODE_UP;
}

const struct stays *cluster_node_again(const cluster_t *self, int position)
{
    static const struct stays never = {.count = 0};

    return self->nodes[position].again ? self->nodes[position].again : &never;
}

static bool comes_back(const struct node *node)
{
    return node->state == NODE_DRAINING && node->again;
}

static int compare_departures(const void *a, const void *b)
{
    const struct departure *x = a;
    const struct departure *y = b;

    return x->at_s < y->at_s ? -1 : x->at_s > y->at_s;
}

/* Lists the known ends of nodes of a pool in `departures`. */
static void note_departures(cluster_t *self, struct pool *pool, struct departure *departures)
{
    pool->departures = departures;
    pool->departure_count = 0;
    for (int i = pool->first_node; i < pool->first_node + pool->node_count; i++)
        if (cluster_is_up(self, i) && self->nodes[i].until_s < INT64_MAX)
            departures[pool->departure_count++] =
                (struct departure){self->nodes[i].until_s, self->nodes[i].gpus};
    if (pool->departure_count == 0)
        return;
    qsort(departures, (size_t)pool->departure_count, sizeof(*departures), compare_departures);
    if (departures->at_s < self->change_s)
        self->change_s = departures->at_s;
}

static void note_returns(cluster_t *self, struct pool *pool)
{
    pool->gpus_away = 0;
    for (int i = pool->first_node; i < pool->first_node + pool->node_count; i++)
        if (comes_back(&self->nodes[i])) {
            const int64_t back_s = self->nodes[i].again->items[0].from_s;

            pool->gpus_away += self->nodes[i].gpus;
            self->change_s = back_s < self->change_s ? back_s : self->change_s;
        }
}

static void note_all_changes(cluster_t *self)
{
    struct departure *next;

    if (!self->departures)
        self->departures = xcalloc((size_t)self->node_count, sizeof(*self->departures));
    next = self->departures;
    self->change_s = INT64_MAX;
    for (int i = 0; i < self->spec.pool_count; i++) {
        note_departures(self, &self->pools[i], next);
        note_returns(self, &self->pools[i]);
        next += self->pools[i].departure_count;
    }
}

int cluster_node_gpus(const cluster_t *self, int position)
{
    return self->nodes[position].gpus;
}

int cluster_node_gpus_up(const cluster_t *self, int position)
{
    return cluster_is_up(self, position) ? self->nodes[position].gpus : 0;
}

int cluster_node_gpus_known(const cluster_t *self, int position)
{
    const struct node *node = &self->nodes[position];

    return node->state == NODE_UP || comes_back(node) ? node->gpus : 0;
}

static void count_gpus(cluster_t *self, int position, int more)
{
    self->gpus_up += more;
    self->pools[pool_at(self->pools, position) - self->pools].gpus_up += more;
}

void cluster_set_node(cluster_t *self, int position, enum node_state state, int64_t until_s)
{
    struct node *node = &self->nodes[position];
    const int more = (state == NODE_UP) - (node->state == NODE_UP);

    if (more != 0) {
        self->down_count -= more;
        count_gpus(self, position, more * node->gpus);
        self->order_is_stale = true;
    }
    node->state = state;
    node->until_s = until_s;
    if (until_s < INT64_MAX || self->change_s < INT64_MAX)
        note_all_changes(self);
}

void cluster_set_node_again(cluster_t *self, int position, const struct stays *again)
{
    struct node *node = &self->nodes[position];

    if (again->count == 0 && !node->again)
        return;
    if (again->count == 0) {
        free(node->again);
        node->again = NULL;
    } else {
        if (!node->again)
            node->again = xmalloc(sizeof(*node->again));
        *node->again = *again;
    }
    note_all_changes(self);
}

void cluster_set_node_gpus(cluster_t *self, int position, int gpus)
{
    struct node *node = &self->nodes[position];

    assert(gpus >= 1);
    assert(gpus <= pool_at(self->pools, position)->gpus_per_node);
    if (node->state == NODE_UP)
        count_gpus(self, position, gpus - node->gpus);
    node->gpus = gpus;
    if (self->change_s < INT64_MAX)
        note_all_changes(self);
}

int64_t cluster_change_s(const cluster_t *self)
{
    return self->change_s;
}

int cluster_departing(const cluster_t *self, int64_t now_s)
{
    for (int i = 0; i < self->node_count && self->change_s <= now_s; i++)
        if (cluster_is_up(self, i) && self->nodes[i].until_s <= now_s)
            return i;
    return -1;
}

int cluster_returning(const cluster_t *self, int64_t now_s)
{
    for (int i = 0; i < self->node_count && self->change_s <= now_s; i++)
        if (comes_back(&self->nodes[i]) && self->nodes[i].again->items[0].from_s <= now_s)
            return i;
    return -1;
}

/* ---- the layout ---- */

const int *cluster_free_nodes(const cluster_t *self, int *count)
{
    *count = self->node_count - self->down_count - self->layout.nodes_taken;
    return self->free_nodes + self->layout.nodes_taken;
}

const struct layout *cluster_layout(const cluster_t *self)
{
    return &self->layout;
}

/* Moves nodes that are down to the end of free_nodes. The others keep their order. */
static void put_down_last(cluster_t *self)
{
    int up = 0;
    int down = 0;

    for (int i = 0; i < self->node_count; i++) {
        const int node = self->free_nodes[i];

        if (!cluster_is_up(self, node))
            self->scratch[down++] = node;
        else
            self->free_nodes[up++] = node;
    }
    memcpy(self->free_nodes + up, self->scratch, (size_t)down * sizeof(*self->scratch));
}

static void order_by_id(cluster_t *self)
{
    const int switches = self->spec.pools[0].switches;
    const int ids = self->spec.pools[0].nodes_per_switch;

    for (int i = 0; i < self->node_count; i++)
        self->free_nodes[i] = switches == 1 ? i : i / switches + i % switches * ids;
    put_down_last(self);
    self->order_is_stale = false;
}

static struct node_set *set_of(const cluster_t *self, const struct job *job)
{
    assert(job->held >= 0 && job->held < self->layout.held_count);
    return &self->layout.sets[self->layout.held[job->held].set];
}

int cluster_ranks(const cluster_t *self, const struct job *job, int *ranks)
{
    int count = 0;

    for (int part = job->held; part >= 0; part = self->layout.held[part].more) {
        const struct held *held = &self->layout.held[part];
        const struct node_set *set = &self->layout.sets[held->set];
        const struct pool *pool = pool_at(self->pools, set->nodes[0]);
        const int per_node = pool->gpus_per_node;

        for (int i = held->first; i < held->first + held->gpus; i++)
            if (i / per_node < set->node_count)
                ranks[count++] = pool_rank(pool, set->nodes[i / per_node]) + i % per_node;
    }
    return count;
}

int cluster_rank_node(const cluster_t *self, int rank)
{
    const struct pool *pool = self->pools;

    while (rank >= pool->first_rank + pool->node_count * pool->gpus_per_node)
        pool++;
    return pool->first_node + (rank - pool->first_rank) / pool->gpus_per_node;
}

/* Whether `held` has GPUs on the node at `place` of its set, beyond the first `gpus` of that
 * node. */
static bool is_beyond(const struct held *held, int place, int per_node, int gpus)
{
    int first;
    const int own = held_on_node(held, place, per_node, &first);

    return own > 0 && first + own > gpus;
}

bool cluster_stands_on(const cluster_t *self, const struct job *job, int position)
{
    return cluster_stands_beyond(self, job, position, 0);
}

bool cluster_stands_beyond(const cluster_t *self, const struct job *job, int position, int gpus)
{
    const struct pool *pool = pool_at(self->pools, position);
    const int per_node = pool->gpus_per_node;

    for (int part = job->held; part >= 0; part = self->layout.held[part].more) {
        const struct held *held = &self->layout.held[part];
        const struct node_set *set = &self->layout.sets[held->set];
        const int last = (held->first + held->gpus - 1) / per_node;

        if (pool_at(self->pools, set->nodes[0]) != pool)
            return false;
        for (int i = held->first / per_node; i <= last && i < set->node_count; i++)
            if (set->nodes[i] == position && is_beyond(held, i, per_node, gpus))
                return true;
    }
    return false;
}

void cluster_release(cluster_t *self, struct job *job)
{
    struct node_set *set = set_of(self, job);

    set->used -= self->layout.held[job->held].gpus;
    job->held = -1;
    assert(set->used >= 0);
    if (set->used > 0)
        return;
    memcpy(self->released + self->released_count, set->nodes,
           (size_t)set->node_count * sizeof(*set->nodes));
    self->released_count += set->node_count;
}

/* Forgets the sets. Their nodes lie in free_nodes, whose order must not have changed yet. */
static void forget_sets(struct layout *layout)
{
    for (int i = 0; i < layout->set_count; i++)
        for (int k = 0; k < layout->sets[i].node_count; k++)
            layout->set_of_node[layout->sets[i].nodes[k]] = -1;
    layout->set_count = 0;
}

static void empty_layout(struct layout *layout)
{
    forget_sets(layout);
    layout->held_count = 0;
    layout->nodes_taken = 0;
}

void cluster_vacate(cluster_t *self)
{
    assert(self->released_count == 0);
    for (int i = 0; i < self->layout.held_count; i++)
        self->layout.held[i].job->held = -1;
    empty_layout(&self->layout);
}

/* Sorts the free nodes by an id that starts at 0 below every switch. Among equal ids, nodes that
 * were free already come first, then the released ones in the order of their release. */
static void sort_free_nodes(cluster_t *self)
{
    const int still_free = self->node_count - self->layout.nodes_taken;
    const int ids = self->spec.pools[0].nodes_per_switch;
    int *starts = self->id_starts;

    assert(ids > 0);
    memcpy(self->scratch, self->free_nodes + self->layout.nodes_taken,
           (size_t)still_free * sizeof(*self->scratch));
    memcpy(self->scratch + still_free, self->released,
           (size_t)self->released_count * sizeof(*self->scratch));
    for (int id = 0; id <= ids; id++)
        starts[id] = id * self->spec.pools[0].switches;
    for (int i = 0; i < self->node_count; i++)
        self->free_nodes[starts[self->scratch[i] % ids]++] = self->scratch[i];
    if (self->down_count > 0)
        put_down_last(self);
}

static void reserve_held(cluster_t *self, size_t count)
{
    if (count <= self->held_capacity)
        return;
    self->held_capacity = count;
    self->layout.held = xrealloc(self->layout.held, count * sizeof(*self->layout.held));
}

void cluster_reserve(cluster_t *self, size_t parts)
{
    reserve_held(self, parts);
}

void cluster_share(cluster_t *self, const struct job *host, struct job *guest)
{
    struct layout *layout = &self->layout;
    int last = -1;

    for (int part = host->held; part >= 0; part = layout->held[part].more) {
        const struct held own = layout->held[part];
        const int used = layout->sets[own.set].used;
        int shared;

        if ((size_t)layout->held_count == self->held_capacity)
            reserve_held(self, 2 * self->held_capacity);
        shared = layout_hold_part(layout, own.set, guest, own.first, own.gpus);
        layout->sets[own.set].used = used;
        layout->held[shared].of = part;
        if (last < 0)
            guest->held = shared;
        else
            layout->held[last].more = shared;
        last = shared;
    }
}

struct layout *cluster_clear(cluster_t *self, size_t job_count)
{
    struct layout *layout = &self->layout;

    assert(self->spec.pool_count == 1);
    assert(self->released_count == layout->nodes_taken);
    forget_sets(layout);
    /* Below one switch the ids are the positions. Before the first release the nodes are in that
     * order anyway. */
    if (self->spec.pools[0].switches > 1 && self->released_count > 0)
        sort_free_nodes(self);
    if (job_count > self->held_capacity)
        reserve_held(self, job_count * 2);
    empty_layout(layout);
    if (self->order_is_stale)
        order_by_id(self);
    self->released_count = 0;
    layout->number++;
    return layout;
}

struct layout *cluster_reopen(cluster_t *self)
{
    assert(self->released_count == 0);
    reserve_held(self, (size_t)cluster_gpus(self));
    return &self->layout;
}

struct layout *cluster_revise(cluster_t *self)
{
    self->layout.number++;
    return cluster_reopen(self);
}
