/* capacity_state.h - the insides of a capacity, shared by the files of this folder only, in the
 * order in which they depend on each other: places.c assigns nodes to places of the cluster,
 * orders.c turns decisions into plans, observation.c derives the progress of trainers, news.c turns
 * it into occurrences, hearing.c takes in reports of the source, keeping.c saves the state in a
 * journal, capacity.c answers questions about it. */
#ifndef CAPACITY_CAPACITY_STATE_H
#define CAPACITY_CAPACITY_STATE_H

#include "scheduler/capacity/capacity.h"
#include "scheduler/run/correction.h"

struct capacity {
    struct capacity_setting setting;
    struct capacity_source source;
    trained_jobs_t *jobs;

    /* ---- the source ---- */
    bool is_attached;
    double welcome_s;     /* when it last attached, by clock_s */
    bool heard_parts;     /* the first heartbeat, which lists the parts, has come */
    bool heard_steps;     /* a later heartbeat, with the steps of trainers, has come */
    uint64_t unknown;     /* an unknown job that the source holds, 0 for none */
    int64_t expected;     /* number of nodes to wait for before anything is planned */
    int64_t heartbeat_ms; /* interval of the source's heartbeats */
    double hold_s;        /* how long a node without word from the master holds its GPUs */
    struct error unread;  /* why the program of a job is not to be known, or "" */

    /* ---- nodes ---- */
    struct capacity_node *nodes; /* the places of the cluster, then nodes that wait for a place */
    int node_count;              /* number of places and waiting nodes together */
    size_t node_room;
    int *places; /* index in `nodes` by number of the node; -1 for none */
    size_t place_count;
    size_t place_room;
    uint64_t departures; /* number of departures of nodes so far */
    bool heard_nodes;    /* the source named nodes */
    int cluster_nodes;   /* places of the cluster */

    /* ---- the plan in force ---- */
    struct writer plan;
    bool has_plan;
    bool sent_anew; /* the plan is to be sent to a source that came back */
    bool held_back; /* orders wait until the journal has the decision */
    uint64_t round;
    uint64_t settled;

    /* ---- the journal ---- */
    bool resumed;   /* the journal had steps */
    bool kept_plan; /* the journal has the plan in force */
    struct text text;

    /* ---- what the engine is to be told ---- */
    bool changed; /* nodes changed, or jobs failed or ended */
    bool paid;    /* the time of some start may have become known */
    struct occurrences news;

    /* ---- time ---- */
    int64_t looked_at_s; /* time of the run's clock when slow trainers were last looked for */
    int64_t due_s;       /* time of a round that waits for ends of jobs */
    double due_since_s;  /* real time since which that round is due, 0 for none */
    uint64_t distrusted;
    char cause[300]; /* lent with an observation */
};

/* ---- places.c: which node has which place of the cluster ---- */

/* The pool that a place of the cluster is in. */
const struct pool_spec *places_pool(const capacity_t *self, int place);

/* The place of the node `from` of the source: its own, or a new one. NULL for a node that is gone
 * and has no place. */
struct capacity_node *places_take(capacity_t *self, const struct msg_node *from);

/* The place of the node with that number; NULL if it has none. */
struct capacity_node *places_find(capacity_t *self, int32_t number);

/* Whether the node at the place, which has the number of `from`, can be the same node. */
bool places_suits(const capacity_t *self, const struct capacity_node *node,
                  const struct msg_node *from);

/* The node at `place` is gone: gives the place to a waiting node. */
void places_give(capacity_t *self, struct capacity_node *place);

/* Makes the places, which no node has yet. */
void places_open(capacity_t *self);

/* ---- observation.c: what became of a job ---- */

/* Observes `job`, which is expected to have done `iterations` since it was at `step`. `due`: the
 * job is expected to be done by now. The cause is lent until the next call. */
struct observed observe(capacity_t *self, struct trained_job *job, const struct books *books,
                        double iterations, int64_t step, bool due);

/* Whether to tell the engine of `job`, with the expectations of observe: the job is further behind
 * than late messages explain, and its pace differs by more than a tenth from that last told, or its
 * speed is not `known`. */
bool observe_slows(const capacity_t *self, const struct trained_job *job, const struct books *books,
                   double iterations, int64_t step, bool known);

/* Whether the end of `job`, which is due, is about to come. */
bool observe_end_comes(const capacity_t *self, const struct trained_job *job,
                       const struct submission *submission);

#endif
