/* peers.c - see peers.h. */
#include "master/peers.h"

#include "common/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void peers_clear(struct peers *self)
{
    free(self->workers);
    memset(self, 0, sizeof(*self));
}

link_peer_t *peers_worker(const struct peers *self, const struct worker_node *node)
{
    return (size_t)node->number < self->worker_capacity ? self->workers[node->number] : NULL;
}

void peers_add_worker(struct peers *self, const struct worker_node *node, link_peer_t *peer)
{
    assert(!peers_worker(self, node));
    while ((size_t)node->number >= self->worker_capacity) {
        const size_t before = self->worker_capacity;

        self->workers =
            grow_array(self->workers, before, &self->worker_capacity, sizeof(link_peer_t *));
        for (size_t i = before; i < self->worker_capacity; i++)
            self->workers[i] = NULL;
    }
    self->workers[node->number] = peer;
    self->worker_count++;
}

void peers_remove_worker(struct peers *self, const struct worker_node *node)
{
    assert(peers_worker(self, node));
    self->workers[node->number] = NULL;
    self->worker_count--;
}
