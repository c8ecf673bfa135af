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
                                .gpus = xcalloc(count, sizeof(*self->gpus)),
                                .count = node_count,
                                .per_node = gpus_per_node,
                                .spares = spares < node_count ? spares : node_count};
    for (int i = 0; i < node_count; i++) {
        self->nodes[i] = self->places[i] = i;
        self->gpus[i] = gpus_per_node;
    }
}

void node_order_close(struct node_order *self)
{
    free(self->gpus);
    free(self->places);
    free(self->nodes);
}

int node_order_up(const struct node_order *self, int place)
{
    return self->gpus[self->nodes[place]];
}

bool node_order_are_up(const struct node_order *self, int rank, int gpus)
{
    for (int i = rank; i < rank + gpus; i++)
        if (i % self->per_node >= node_order_up(self, i / self->per_node))
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

/* Nodes in reserve count while they are up. */
static int gpus_at(const struct node_order *self, const cluster_t *cluster, int place)
{
    return place < self->count - self->spares ? cluster_node_gpus_known(cluster, self->nodes[place])
                                              : cluster_node_gpus_up(cluster, self->nodes[place]);
}

/* The first place in reserve whose node has more GPUs; beyond all places if there is none. */
static int fuller_spare(const struct node_order *self, int gpus)
{
    int spare = self->count - self->spares;

    while (spare < self->count && gpus < self->per_node && node_order_up(self, spare) <= gpus)
        spare++;
    return gpus < self->per_node ? spare : self->count;
}

void node_order_renew(struct node_order *self, const cluster_t *cluster)
{
    for (int place = 0; place < self->count; place++) {
        self->gpus[self->nodes[place]] = gpus_at(self, cluster, place);
        self->places[place] = place;
    }
    for (int place = 0; place < self->count - self->spares; place++) {
        const int spare = fuller_spare(self, node_order_up(self, place));

        if (spare < self->count) {
            swap_nodes(self, place, spare);
            self->gpus[self->nodes[spare]] = gpus_at(self, cluster, spare);
        }
    }
}

int node_order_gpus(const struct node_order *self)
{
    int up = 0;

    for (int place = 0; place < self->count - self->spares; place++)
        up += node_order_up(self, place);
    return up;
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

int node_order_rank(const struct node_order *self, int rank)
{
    int place = 0;

    while (self->nodes[place] != rank / self->per_node)
        place++;
    return place * self->per_node + rank % self->per_node;
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
