/* cluster_spec.h - how large a cluster is: pools of equal nodes with GPUs of one type, under one or
 * more switches. */
#ifndef STATE_CLUSTER_SPEC_H
#define STATE_CLUSTER_SPEC_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLUSTER_POOLS_MAX         64
#define CLUSTER_NODES_MAX         100000
#define CLUSTER_ENDS_MAX          256 /* groups of nodes that leave at a known time */
#define CLUSTER_GPUS_PER_NODE_MAX 256
#define CLUSTER_GPUS_MAX          1048576 /* so that sums of GPU seconds fit */
#define GPU_TYPE_BYTES_MAX        24
#define GPU_TYPE_EXPECTED         "a GPU type of 1 to 24 letters, digits and -_.+"

struct pool_spec {
    int switches;
    int nodes_per_switch;
    int gpus_per_node;
    char gpu_type[GPU_TYPE_BYTES_MAX + 1]; /* "" for that of the run */
    char name[GPU_TYPE_BYTES_MAX +
              16]; /* the type, followed by a number if an earlier pool has that name */
};

/* Nodes that leave at a known time. */
struct end_spec {
    int first_node; /* position of the first such node */
    int node_count;
    int64_t until_s;
};

/* Nodes and GPUs are counted through all pools, in this order. */
struct cluster_spec {
    struct pool_spec pools[CLUSTER_POOLS_MAX];
    int pool_count; /* at least 1 */
    struct end_spec ends[CLUSTER_ENDS_MAX];
    int end_count; /* 0: all nodes stay */
};

/* An initialiser for one pool. */
#define CLUSTER_OF(switches_, nodes_per_switch_, gpus_per_node_)                                   \
    {                                                                                              \
        .pools = {{.switches = (switches_),                                                        \
                   .nodes_per_switch = (nodes_per_switch_),                                        \
                   .gpus_per_node = (gpus_per_node_)}},                                            \
        .pool_count = 1                                                                            \
    }

/* The cluster that is simulated when none is named: one switch, 32 nodes of 8 GPUs. */
struct cluster_spec cluster_spec_default(void);

int pool_spec_nodes(const struct pool_spec *pool);
int pool_spec_gpus(const struct pool_spec *pool);

/* Sums over all pools. */
int cluster_spec_switches(const struct cluster_spec *spec);
int cluster_spec_nodes(const struct cluster_spec *spec);
int cluster_spec_gpus(const struct cluster_spec *spec);

/* GPUs of the node at `position`. */
int cluster_spec_node_gpus(const struct cluster_spec *spec, int position);

/* Writes the pools of a cluster, as "A100 and T4" or "2 pools of A100". Returns whether they have
 * several types. */
bool cluster_spec_describe(const struct cluster_spec *spec, char *text, size_t size);

/* Adds `pool` and names it. */
void cluster_spec_add(struct cluster_spec *spec, const struct pool_spec *pool);

bool gpu_type_is_good(const char *text);

/* Reads the CSV file at `path`: columns num_switch, num_node_p_switch, num_gpu_p_node,
 * num_cpu_p_node, mem_p_node, and gpu_type, without which all rows are one pool. With the column
 * available_until, the second up to which the nodes of the row are there, empty for always, rows of
 * the same type whose nodes have as many GPUs are one pool; without it each row is a pool. -1, with
 * `error` set, if it makes no cluster. */
int cluster_spec_read(const char *path, struct cluster_spec *spec, struct error *error);

#endif
