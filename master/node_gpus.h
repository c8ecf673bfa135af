/* node_gpus.h - which GPU of a node has which rank. GPUs fall off, come back, are left out and are
 * taken back while jobs run on the others: the GPUs that may be planned have the first ranks of the
 * node, and keep theirs as long as these are among the first. */
#ifndef MASTER_NODE_GPUS_H
#define MASTER_NODE_GPUS_H

#include "master/registry.h"

/* The GPUs of a worker that is new, each with the rank of its number where none is gone. What was
 * known of those before is forgotten, but for how these differ. */
void node_take_gpus(struct worker_node *node, const struct msg_gpu *gpus, size_t count);
void node_forget_gpus(struct worker_node *node);

/* The worker of the node in session says that it has other GPUs, `count` of them: those that go on
 * keep their ranks, but for the last ones, which take the ranks of those that are gone. Whether
 * anything changed. */
bool node_change_gpus(struct worker_node *node, const struct msg_gpu *gpus, size_t count);

/* Gives each GPU the rank of its number, where none is gone or left out. Nothing may run there. */
void node_gpus_order(struct worker_node *node);

/* A GPU that is left out has no rank, and a GPU that is taken back has the last one. The others
 * keep theirs as where GPUs go and come. */
void node_leave_out(struct worker_node *node, int32_t gpu, bool left_out);

/* Writes a sentence that names the GPUs that are left out, with their UUIDs where these are known,
 * and why; "" if there are none. */
void node_say_left_out(const struct worker_node *node, char *text, size_t size);

/* The GPU of a rank of the node that may be planned; the rank of a GPU, -1 if it has none. */
int32_t node_gpu(const struct worker_node *self, int32_t rank);
int32_t node_rank(const struct worker_node *self, int32_t gpu);

#endif
