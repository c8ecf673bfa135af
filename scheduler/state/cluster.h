/* cluster.h - which job holds which GPU.
 *
 * A node has a position, counted through all switches, and its GPUs have ranks: node i holds ranks
 * i*p .. i*p+p-1. A node set is one or more nodes that one job, or several small ones, share. */
#ifndef STATE_CLUSTER_H
#define STATE_CLUSTER_H

#include "common/error.h"
#include "scheduler/state/cluster_spec.h"
#include "scheduler/state/job.h"

#include <stdbool.h>
#include <stddef.h>

/* Nodes given out together. */
struct node_set {
    const int *nodes; /* positions; part of the list of free nodes, or of those chosen */
    int node_count;
    int capacity; /* GPUs */
    int used;
    int label;       /* the size class that it says it is in */
    int class_label; /* the size class that it is in */
    int first_held;  /* of its jobs, in the order of placement; -1 for none */
    int last_held;
};

/* A job in a node set: GPUs of it that lie side by side. */
struct held {
    struct job *job;
    int gpus;
    int set;
    int first; /* its first GPU, counted through the set's */
    int next;  /* the next job in the set, -1 for none */
    int more;  /* the next part of the job, wherever it is; -1 if this is all, or the last */
};

/* A placement of all jobs of a round. */
struct layout {
    struct node_set *sets;
    int set_count;
    struct held *held; /* in the order of placement; a job's own place is that of its first part */
    int held_count;
    int nodes_taken;  /* so many of the free nodes, from the first on */
    int *set_of_node; /* by position, -1 for none */
    int64_t number;   /* another one for each layout */
    int *chosen;      /* room for all nodes, if they are not taken in the order of the free ones */
};

typedef struct cluster cluster_t;

cluster_t *cluster_new(const struct cluster_spec *spec);
void cluster_destroy(cluster_t **self);

int cluster_gpus(const cluster_t *self);
int cluster_gpus_up(const cluster_t *self); /* without those of nodes that are down */
int cluster_gpus_per_node(const cluster_t *self);
int cluster_node_count(const cluster_t *self);
int cluster_switches(const cluster_t *self);

/* The free nodes in the order in which they are given out. With several switches that order depends
 * on the releases before. */
const int *cluster_free_nodes(const cluster_t *self, int *count);

/* The node at `position` is gone, or there again; all are there at first. Jobs that hold GPUs of it are
 * still in the layout in force: the next placement puts them elsewhere. The next empty layout has the free
 * nodes in the order of their ids again. */
void cluster_set_up(cluster_t *self, int position, bool up);
bool cluster_is_up(const cluster_t *self, int position);

/* The layout in force. A placement fills it, from an empty one that cluster_clear gives. */
const struct layout *cluster_layout(const cluster_t *self);

/* `job` holds `gpus` GPUs of the set at `set_index` from its GPU `first` on; whoever holds some before
 * that comes first. Returns where that stands in `held`. */
static inline int layout_hold_part(struct layout *layout, int set_index, struct job *job, int first,
                                   int gpus)
{
    struct node_set *set = &layout->sets[set_index];
    const int index = layout->held_count++;

    layout->held[index] = (struct held){job, gpus, set_index, first, -1, -1};
    if (set->last_held >= 0)
        layout->held[set->last_held].next = index;
    else
        set->first_held = index;
    set->last_held = index;
    set->used += gpus;
    return index;
}

/* `job` holds `gpus` GPUs of the set at `set_index`, behind those that hold some already. */
static inline void layout_hold(struct layout *layout, int set_index, struct job *job, int gpus)
{
    job->held = layout_hold_part(layout, set_index, job, layout->sets[set_index].used, gpus);
}

/* Writes the GPUs that `job` holds to `ranks`, counted through all nodes; it has room for job_gpus(job). Returns
 * how many: fewer only where a scheme puts a job beyond the nodes of its set. */
int cluster_ranks(const cluster_t *self, const struct job *job, int *ranks);

/* Whether `job` holds a GPU of the node at `position`. */
bool cluster_stands_on(const cluster_t *self, const struct job *job, int position);

/* Takes `job` off its GPUs. */
void cluster_release(cluster_t *self, struct job *job);

/* Takes all jobs off their GPUs at once, where no layout depends on the order in which they go. */
void cluster_vacate(cluster_t *self);

/* With no job left: the released nodes are free again. Lends an empty layout with room for
 * `job_count` jobs, to be filled by a placement. */
struct layout *cluster_clear(cluster_t *self, size_t job_count);

/* Lends the layout in force, to be changed by a placement that leaves jobs where they are: with room
 * for a part on each GPU. */
struct layout *cluster_revise(cluster_t *self);

#endif
