/* node_order.h - the order in which a policy counts the nodes of a cluster of one pool. The nodes
 * that the policy keeps in reserve come last.
 *
 * A spare node takes the place of a lost node, so that plans for the GPUs of that place still
 * stand. Places and ranks are counted in this order. */
#ifndef PLANNER_NODE_ORDER_H
#define PLANNER_NODE_ORDER_H

#include "common/archive.h"
#include "scheduler/state/cluster.h"

struct node_order {
    int *nodes;  /* for each place the position of its node in the cluster */
    int *places; /* for each place before the last renewal the present place of its node */
    int *gpus;   /* for each position the GPUs at the last renewal */
    int count;
    int per_node;
    int spares; /* number of places in reserve, at the end */
};

void node_order_open(struct node_order *self, int node_count, int gpus_per_node, int spares);
void node_order_close(struct node_order *self);

/* Lets spare nodes that are up take the places of nodes that are down or have fewer GPUs. A node
 * that is known to come back keeps its place. */
void node_order_renew(struct node_order *self, const cluster_t *cluster);

/* GPUs of the node at `place` that are up or, unless the place is in reserve, known to come back.
 */
int node_order_up(const struct node_order *self, int place);
bool node_order_are_up(const struct node_order *self, int rank, int gpus);

/* GPUs of all places that are not in reserve. */
int node_order_gpus(const struct node_order *self);

/* The first of the `gpus` GPUs from `rank` on, as the cluster counts them. */
int node_order_first(const struct node_order *self, int rank, int gpus);

/* The rank in this order of the GPU that the cluster counts as `rank`. */
int node_order_rank(const struct node_order *self, int rank);

/* The rank of the first GPU of an aligned block after the last renewal; -1 if any GPU of the block
 * is gone. */
int node_order_moved(const struct node_order *self, int rank, int gpus);

/* Archives the places of the nodes; places before the last renewal are needed within a round only.
 * See common/archive.h. */
void node_order_archive(struct node_order *self, struct archive *archive);

#endif
