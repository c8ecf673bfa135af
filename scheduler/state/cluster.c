/* cluster.c - see cluster.h. */
#include "scheduler/state/cluster.h"

#include "common/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct cluster {
    struct cluster_spec spec;
    int node_count;
    bool *down; /* by position */
    int down_count;
    bool order_is_stale; /* nodes went or came since the free ones were put in order */
    int *
        free_nodes; /* all of them in the order of giving out; those in use come first, those that are
                        down last */
    int *released; /* nodes in the order in which they came free */
    int released_count;
    int *scratch;
    int *id_starts; /* for sorting by id: where the nodes of each id begin */
    struct layout layout;
    size_t held_capacity;
};

cluster_t *cluster_new(const struct cluster_spec *spec)
{
    cluster_t *self = xcalloc(1, sizeof(*self));
    const size_t nodes = (size_t)cluster_spec_nodes(spec);

    self->spec = *spec;
    self->node_count = (int)nodes;
    self->down = xcalloc(nodes, sizeof(*self->down));
    self->free_nodes = xcalloc(nodes, sizeof(*self->free_nodes));
    self->released = xcalloc(nodes, sizeof(*self->released));
    self->scratch = xcalloc(nodes, sizeof(*self->scratch));
    self->id_starts = xcalloc((size_t)spec->pools[0].nodes_per_switch + 1, sizeof(*self->id_starts));
    self->layout.sets = xcalloc(nodes, sizeof(*self->layout.sets));
    self->layout.set_of_node = xcalloc(nodes, sizeof(*self->layout.set_of_node));
    self->layout.chosen = xcalloc(nodes, sizeof(*self->layout.chosen));
    for (int i = 0; i < self->node_count; i++) {
        self->free_nodes[i] = i;
        self->layout.set_of_node[i] = -1;
    }
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
    free((*self)->down);
    free(*self);
    *self = NULL;
}

int cluster_gpus(const cluster_t *self)
{
    return cluster_spec_gpus(&self->spec);
}

int cluster_gpus_up(const cluster_t *self)
{
    return (self->node_count - self->down_count) * self->spec.pools[0].gpus_per_node;
}

int cluster_gpus_per_node(const cluster_t *self)
{
    return self->spec.pools[0].gpus_per_node;
}

int cluster_node_count(const cluster_t *self)
{
    return self->node_count;
}

int cluster_switches(const cluster_t *self)
{
    return self->spec.pools[0].switches;
}

const int *cluster_free_nodes(const cluster_t *self, int *count)
{
    *count = self->node_count - self->down_count - self->layout.nodes_taken;
    return self->free_nodes + self->layout.nodes_taken;
}

const struct layout *cluster_layout(const cluster_t *self)
{
    return &self->layout;
}

bool cluster_is_up(const cluster_t *self, int position)
{
    return !self->down[position];
}

/* Those that are up come first, in their order. */
static void put_down_last(cluster_t *self)
{
    int up = 0;
    int down = 0;

    for (int i = 0; i < self->node_count; i++) {
        const int node = self->free_nodes[i];

        if (self->down[node])
            self->scratch[down++] = node;
        else
            self->free_nodes[up++] = node;
    }
    memcpy(self->free_nodes + up, self->scratch, (size_t)down * sizeof(*self->scratch));
}

void cluster_set_up(cluster_t *self, int position, bool up)
{
    if (self->down[position] == !up)
        return;
    self->down[position] = !up;
    self->down_count += up ? -1 : 1;
    self->order_is_stale = true;
}

static void order_by_id(cluster_t *self)
{
    const int ids = self->spec.pools[0].nodes_per_switch;

    for (int i = 0; i < self->node_count; i++)
        self->free_nodes[i] =
            self->spec.pools[0].switches == 1 ? i : i / self->spec.pools[0].switches + i % self->spec.pools[0].switches * ids;
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
    const int per_node = self->spec.pools[0].gpus_per_node;
    int count = 0;

    for (int part = job->held; part >= 0; part = self->layout.held[part].more) {
        const struct held *held = &self->layout.held[part];
        const struct node_set *set = &self->layout.sets[held->set];

        for (int i = held->first; i < held->first + held->gpus; i++)
            if (i / per_node < set->node_count)
                ranks[count++] = set->nodes[i / per_node] * per_node + i % per_node;
    }
    return count;
}

bool cluster_stands_on(const cluster_t *self, const struct job *job, int position)
{
    const int per_node = self->spec.pools[0].gpus_per_node;

    for (int part = job->held; part >= 0; part = self->layout.held[part].more) {
        const struct held *held = &self->layout.held[part];
        const struct node_set *set = &self->layout.sets[held->set];
        const int last = (held->first + held->gpus - 1) / per_node;

        for (int i = held->first / per_node; i <= last && i < set->node_count; i++)
            if (set->nodes[i] == position)
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

/* While the sets' nodes, which lie in the list of free ones, are still in their order. */
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

/* The free nodes are sorted by an id that starts at 0 in every switch. Among equal ids those
 * that were free already stay ahead, and the rest keep the order of their release. */
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

struct layout *cluster_clear(cluster_t *self, size_t job_count)
{
    struct layout *layout = &self->layout;

    assert(self->released_count == layout->nodes_taken);
    forget_sets(layout);
    /* With one switch the ids are the positions; until the first release the order is that of the
     * positions in any case. */
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

struct layout *cluster_revise(cluster_t *self)
{
    assert(self->released_count == 0);
    reserve_held(self, (size_t)cluster_gpus(self));
    self->layout.number++;
    return &self->layout;
}
