/* cluster_spec.h - how large a cluster is: equal nodes of equal GPUs under one or more switches. */
#ifndef STATE_CLUSTER_SPEC_H
#define STATE_CLUSTER_SPEC_H

#include "common/error.h"

#define CLUSTER_NODES_MAX         100000
#define CLUSTER_GPUS_PER_NODE_MAX 256
#define CLUSTER_GPUS_MAX          1048576 /* what scaling_class and sums of GPU seconds can hold */

struct cluster_spec {
    int switches;
    int nodes_per_switch;
    int gpus_per_node;
};

/* What is simulated when nobody names a cluster: one switch, 32 nodes of 8 GPUs. */
struct cluster_spec cluster_spec_default(void);

int cluster_spec_nodes(const struct cluster_spec *spec);
int cluster_spec_gpus(const struct cluster_spec *spec);

/* Reads the one row of the CSV file at `path`, columns num_switch, num_node_p_switch,
 * num_gpu_p_node, num_cpu_p_node, mem_p_node. -1, with `error` set, if it makes no cluster. */
int cluster_spec_read(const char *path, struct cluster_spec *spec, struct error *error);

#endif
