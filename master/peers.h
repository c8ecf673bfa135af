/* peers.h - the sessions of the master: the worker of each node that is in session, and one
 * scheduler. */
#ifndef MASTER_PEERS_H
#define MASTER_PEERS_H

#include "master/registry.h"
#include "protocol/link.h"

/* Zeroed: empty. Sessions are lent by the link: each must be removed when it ends. */
struct peers {
    link_peer_t **workers; /* by node, NULL for nodes that are not in session */
    size_t worker_capacity;
    size_t worker_count; /* number of workers in session */
    link_peer_t *scheduler;
};

/* Frees the tables. */
void peers_clear(struct peers *self);

/* The worker of `node`, which was not in session, begins its session; peers_remove_worker: it
 * ends. */
void peers_add_worker(struct peers *self, const struct worker_node *node, link_peer_t *peer);
void peers_remove_worker(struct peers *self, const struct worker_node *node);

/* The session of a node's worker, NULL if there is none. */
link_peer_t *peers_worker(const struct peers *self, const struct worker_node *node);

#endif
