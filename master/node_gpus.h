/* node_gpus.h - which GPU of a node has which rank. GPUs fail, come back, are excluded and
 * readmitted while jobs run on the others. The GPUs that may be planned have the first ranks of the
 * node; a GPU keeps its rank while that is among the first. */
#ifndef MASTER_NODE_GPUS_H
#define MASTER_NODE_GPUS_H

#include "master/registry.h"

/* Takes over the GPUs of a new worker: each gets the rank of its index if no GPU is gone. The
 * earlier GPUs are forgotten, except for a sentence on how the new ones differ. */
void node_take_gpus(struct worker_node *node, const struct msg_gpu *gpus, size_t count);
void node_forget_gpus(struct worker_node *node);

/* The worker of the node in session reports new GPUs, `count` of them: GPUs that stay keep their
 * ranks, but the last ones take the ranks of GPUs that are gone. Returns whether anything
 * changed. */
bool node_change_gpus(struct worker_node *node, const struct msg_gpu *gpus, size_t count);

/* Gives each GPU the rank of its index, if none is gone or excluded. Nothing may run on the
 * node. */
void node_gpus_order(struct worker_node *node);

/* Excludes or readmits a GPU. An excluded GPU has no rank; a readmitted GPU gets the last rank. The
 * other GPUs change ranks as in node_change_gpus. */
void node_leave_out(struct worker_node *node, int32_t gpu, bool left_out);

/* Writes a sentence that names the excluded GPUs, with their UUIDs where known, and why; "" if
 * there are none. */
void node_say_left_out(const struct worker_node *node, char *text, size_t size);

/* node_gpu: the GPU with a rank of the node. node_rank: the rank of a GPU, -1 if it has none. */
int32_t node_gpu(const struct worker_node *self, int32_t rank);
int32_t node_rank(const struct worker_node *self, int32_t gpu);

#endif
