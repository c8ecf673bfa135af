/* peers.h - the sessions of the master: the worker of each node that is in session, and one
 * scheduler. */
#ifndef MASTER_PEERS_H
#define MASTER_PEERS_H

#include "master/registry.h"
#include "protocol/link.h"

/* Empty when it is zeroed. Lends the sessions of the link: each is taken out when it is gone. */
struct peers {
    link_peer_t **workers; /* by node, NULL for those that are not in session */
    size_t worker_capacity;
    size_t worker_count; /* in session */
    link_peer_t *scheduler;
};

/* Frees what it holds. */
void peers_clear(struct peers *self);

/* The worker of `node` came, which must not be there, or went. */
void peers_add_worker(struct peers *self, const struct worker_node *node, link_peer_t *peer);
void peers_remove_worker(struct peers *self, const struct worker_node *node);

/* NULL if it is not in session. */
link_peer_t *peers_worker(const struct peers *self, const struct worker_node *node);

#endif
