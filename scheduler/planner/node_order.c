/* node_order.c - see node_order.h. */
#include "scheduler/planner/node_order.h"

#include "common/memory.h"

#include <limits.h>
#include <stdlib.h>

void node_order_open(struct node_order *self, int node_count, int gpus_per_node, int spares)
{
    const size_t count = (size_t)node_count;

    *self = (struct node_order){.nodes = xcalloc(count, sizeof(*self->nodes)),
                                .places = xcalloc(count, sizeof(*self->places)),
                                .up = xcalloc(count, sizeof(*self->up)),
                                .count = node_count,
                                .per_node = gpus_per_node,
                                .spares = spares < node_count ? spares : node_count};
    for (int i = 0; i < node_count; i++) {
        self->nodes[i] = self->places[i] = i;
        self->up[i] = true;
    }
}

void node_order_close(struct node_order *self)
{
    free(self->up);
    free(self->places);
    free(self->nodes);
}

bool node_order_is_up(const struct node_order *self, int place)
{
    return self->up[self->nodes[place]];
}

bool node_order_are_up(const struct node_order *self, int rank, int gpus)
{
    for (int i = rank; i < rank + gpus; i++)
        if (!node_order_is_up(self, i / self->per_node))
            return false;
    return true;
}

static void swap_nodes(struct node_order *self, int place, int other)
{
    const int node = self->nodes[place];

    self->nodes[place] = self->nodes[other];
    self->nodes[other] = node;
    self->places[place] = other;
    self->places[other] = place;
}

void node_order_renew(struct node_order *self, const cluster_t *cluster)
{
    const int kept = self->count - self->spares;
    int spare = kept;

    for (int i = 0; i < self->count; i++) {
        self->up[i] = cluster_is_up(cluster, i);
        self->places[i] = i;
    }
    for (int place = 0; place < kept; place++) {
        if (node_order_is_up(self, place))
            continue;
        while (spare < self->count && !node_order_is_up(self, spare))
            spare++;
        if (spare == self->count)
            return;
        swap_nodes(self, place, spare++);
    }
}

int node_order_gpus(const struct node_order *self)
{
    int up = 0;

    for (int place = 0; place < self->count - self->spares; place++)
        up += node_order_is_up(self, place);
    return self->per_node * up;
}

int node_order_first(const struct node_order *self, int rank, int gpus)
{
    const int last = (rank + gpus - 1) / self->per_node;
    int first = INT_MAX;

    for (int place = rank / self->per_node; place <= last && place < self->count; place++) {
        const int skipped = rank > place * self->per_node ? rank - place * self->per_node : 0;
        const int own = self->nodes[place] * self->per_node + skipped;

        first = own < first ? own : first;
    }
    return first;
}

int node_order_moved(const struct node_order *self, int rank, int gpus)
{
    const int place = rank / self->per_node;
    const int last = (rank + gpus - 1) / self->per_node;
    const int moved = self->places[place] * self->per_node + rank % self->per_node;

    if (place == last)
        return moved % gpus == 0 ? moved : -1;
    for (int i = place; i <= last; i++)
        if (self->places[i] != i)
            return -1;
    return rank;
}

void node_order_archive(struct node_order *self, struct archive *archive)
{
    for (int i = 0; i < self->count; i++)
        self->nodes[i] =
            (int)archive_count(archive, (size_t)self->nodes[i], (size_t)self->count - 1);
}
