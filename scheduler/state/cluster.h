/* cluster.h - the nodes, and which job holds which GPU. A node has a position, counted through all
 * pools and switches, and its GPUs have ranks, counted through all nodes. A node set is one or more
 * nodes of a pool that one job, or several small ones, share. */
#ifndef STATE_CLUSTER_H
#define STATE_CLUSTER_H

#include "common/error.h"
#include "scheduler/state/cluster_spec.h"
#include "scheduler/state/job_table.h"
#include "scheduler/state/stays.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum node_state {
    NODE_UP,
    NODE_DRAINING, /* takes no further jobs */
    NODE_GONE,
};

/* The cluster has `gpus` GPUs fewer from `at_s` on. */
struct departure {
    int64_t at_s;
    int gpus;
};

/* Equal nodes with GPUs of one type. */
struct pool {
    const char *name;
    const char *gpu_type; /* "" for that of the run */
    int first_node;
    int node_count;
    int first_rank;
    int gpus_per_node;
    int gpus_up;                        /* GPUs of nodes that are up */
    int gpus_away;                      /* GPUs of draining nodes that are known to come back */
    const struct departure *departures; /* known departures of its nodes, by time */
    int departure_count;
};

/* pool_at: the pool of `pools` that has the node at `position`. pool_rank: the first rank of that
 * node. */
static inline const struct pool *pool_at(const struct pool *pools, int position)
{
    while (position >= pools->first_node + pools->node_count)
        pools++;
    return pools;
}

static inline int pool_rank(const struct pool *pool, int position)
{
    return pool->first_rank + (position - pool->first_node) * pool->gpus_per_node;
}

/* Nodes given out together. */
struct node_set {
    const int *nodes; /* positions; part of the list of free nodes, or of those chosen */
    int node_count;
    int capacity; /* GPUs */
    int used;
    int label;       /* size class by its name */
    int class_label; /* actual size class */
    int first_held;  /* first entry in `held` of its jobs, in the order of placement; -1 for none */
    int last_held;
};

/* GPUs of a job in a node set that lie side by side. */
struct held {
    struct job *job;
    int gpus;
    int set;
    int first; /* index of its first GPU in the set */
    int next;  /* next job in the set, -1 for none */
    int more;  /* next part of the job, in any set; -1 for the last */
    int of;    /* part of another job whose GPUs these are; -1: they are its own */
};

/* A placement of all jobs of a round. */
struct layout {
    struct node_set *sets;
    int set_count;
    struct held *held; /* in the order of placement; a job has the place of its first part */
    int held_count;
    int nodes_taken;  /* number of free nodes taken, from the first on */
    int *set_of_node; /* by position, -1 for none */
    int64_t number;   /* differs for every layout */
    int *chosen;      /* nodes of a layout that takes them in another order than the free ones */
};

/* Which GPUs of the node at `place` of its set a part is on, where nodes have `per_node`: how many,
 * from `*first` on. 0 if none. */
static inline int held_on_node(const struct held *held, int place, int per_node, int *first)
{
    const int begin = place * per_node;
    const int from = held->first > begin ? held->first : begin;
    const int end = held->first + held->gpus;
    const int to = end < begin + per_node ? end : begin + per_node;

    *first = from - begin;
    return to > from ? to - from : 0;
}

typedef struct cluster cluster_t;

cluster_t *cluster_new(const struct cluster_spec *spec);
void cluster_destroy(cluster_t **self);

int cluster_gpus(const cluster_t *self);
int cluster_gpus_up(const cluster_t *self);   /* GPUs of nodes that are up */
int cluster_gpus_away(const cluster_t *self); /* GPUs of nodes that are known to come back */
int cluster_node_count(const cluster_t *self);
int cluster_switches(const cluster_t *self);

/* The pools, in the order of the spec; their number is in `count` unless that is NULL. They stay
 * where they are, and follow the states of the nodes. */
const struct pool *cluster_pools(const cluster_t *self, int *count);

/* GPUs of a node of the first pool. */
int cluster_gpus_per_node(const cluster_t *self);

/* The free nodes of a cluster of one pool, in the order of giving out. With several switches that
 * order depends on earlier releases. */
const int *cluster_free_nodes(const cluster_t *self, int *count);

/* The node at `position` is in `state` from now on; all are up at first. A node that is up is known
 * to stay until `until_s`, INT64_MAX if open. Jobs that hold GPUs of a node that is not up are
 * still in the layout in force: the next placement puts them elsewhere. The next empty layout has
 * the free nodes in the order of their ids again. */
void cluster_set_node(cluster_t *self, int position, enum node_state state, int64_t until_s);
enum node_state cluster_node_state(const cluster_t *self, int position);
int64_t cluster_node_until_s(const cluster_t *self, int position);
bool cluster_is_up(const cluster_t *self, int position);

/* When the node at `position`, which is up or drains, is known to be there again later. The caller
 * sets its state then. */
void cluster_set_node_again(cluster_t *self, int position, const struct stays *again);
const struct stays *cluster_node_again(const cluster_t *self, int position);

/* Gives the node at `position` its first `gpus` GPUs, at least 1, whatever its state. At first a
 * node has all GPUs. Jobs on other GPUs stay in the layout in force. */
void cluster_set_node_gpus(cluster_t *self, int position, int gpus);
int cluster_node_gpus(const cluster_t *self, int position);

/* GPUs of the node at `position` that jobs may be given: none of a node that is not up. */
int cluster_node_gpus_up(const cluster_t *self, int position);

/* The same, or those of a draining node that is known to come back. */
int cluster_node_gpus_known(const cluster_t *self, int position);

/* When a node is next known to leave or to come back; INT64_MAX if no such time is known. */
int64_t cluster_change_s(const cluster_t *self);

/* A node that is up and known to be there only until `now_s` or before; and one that drains and is
 * known to be there again from `now_s` or before. -1 if there is none. */
int cluster_departing(const cluster_t *self, int64_t now_s);
int cluster_returning(const cluster_t *self, int64_t now_s);

/* The layout in force. A placement fills it, from an empty one that cluster_clear gives. */
const struct layout *cluster_layout(const cluster_t *self);

/* `job` holds `gpus` GPUs of the set at `set_index` from its GPU `first` on; a job that holds
 * some before that comes first. Returns where that stands in `held`. */
static inline int layout_hold_part(struct layout *layout, int set_index, struct job *job, int first,
                                   int gpus)
{
    struct node_set *set = &layout->sets[set_index];
    const int index = layout->held_count++;

    layout->held[index] = (struct held){job, gpus, set_index, first, -1, -1, -1};
    if (set->last_held >= 0)
        layout->held[set->last_held].next = index;
    else
        set->first_held = index;
    set->last_held = index;
    set->used += gpus;
    return index;
}

/* `job` holds `gpus` GPUs of the set at `set_index`, after those that hold some already. */
static inline void layout_hold(struct layout *layout, int set_index, struct job *job, int gpus)
{
    job->held = layout_hold_part(layout, set_index, job, layout->sets[set_index].used, gpus);
}

/* The number of parts that are jobs' own. They come first in the layout, the parts of guests last.
 */
static inline int layout_own_parts(const struct layout *layout)
{
    int count = layout->held_count;

    while (count > 0 && layout->held[count - 1].of >= 0)
        count--;
    return count;
}

/* `guest` shares the GPUs of `host`, which has its place. Guests come after all hosts. */
void cluster_share(cluster_t *self, const struct job *host, struct job *guest);

/* Makes room for `parts` parts in the layout. */
void cluster_reserve(cluster_t *self, size_t parts);

/* Writes the GPUs that `job` holds to `ranks`, counted through all nodes; it has room for
 * job_gpus(job). Returns how many: fewer only where a scheme puts a job beyond the nodes of its
 * set. */
int cluster_ranks(const cluster_t *self, const struct job *job, int *ranks);

/* The position of the node that has the GPU of that rank. */
int cluster_rank_node(const cluster_t *self, int rank);

/* Whether `job` holds a GPU of the node at `position`; or one after the first `gpus` of them. */
bool cluster_stands_on(const cluster_t *self, const struct job *job, int position);
bool cluster_stands_beyond(const cluster_t *self, const struct job *job, int position, int gpus);

/* Takes all GPUs from `job`. */
void cluster_release(cluster_t *self, struct job *job);

/* Takes the GPUs from all jobs at once, where no layout depends on the order of releases. */
void cluster_vacate(cluster_t *self);

/* With no job left in a cluster of one pool: the released nodes are free again. Lends an empty
 * layout with room for `job_count` jobs, to be filled by a placement. */
struct layout *cluster_clear(cluster_t *self, size_t job_count);

/* Lends the layout in force, to be changed by a placement that leaves jobs where they are: with
 * room for a part on each GPU. */
struct layout *cluster_revise(cluster_t *self);

/* As cluster_revise, and the layout keeps its number. */
struct layout *cluster_reopen(cluster_t *self);

#endif
