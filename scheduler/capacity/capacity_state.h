/* capacity_state.h - the insides of a capacity, shared by the files of this folder only, in the
 * order in which they know each other: places.c says which node has which place of the cluster,
 * orders.c makes plans of decisions, observation.c says what trainers did, news.c makes occurrences
 * of that, hearing.c takes in what the source says,
 * keeping.c keeps what is known in a journal, capacity.c answers questions about it. */
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
    double welcome_s;     /* when it was attached last, by clock_s */
    bool heard_parts;     /* the worker listed its parts in its first heartbeat */
    bool heard_steps;     /* the worker said where trainers are, in a later one */
    uint64_t unknown;     /* a job that it holds and that is none of ours, 0 for none */
    int64_t expected;     /* nodes, before anything is planned */
    int64_t heartbeat_ms; /* of what it says */
    double hold_s;        /* so long a node that hears no word from the master holds its GPUs */
    struct error unread;  /* why the program of a job is not to be known, or "" */

    /* ---- nodes ---- */
    struct capacity_node *nodes; /* the places of the cluster, then nodes that wait for a place */
    int node_count;              /* of both */
    size_t node_room;
    int *places; /* of nodes, by number; -1 for none */
    size_t place_count;
    size_t place_room;
    uint64_t departures; /* of nodes, so far */
    bool heard_nodes;    /* the source named nodes */
    int cluster_nodes;   /* places of the cluster */

    /* ---- the plan in force ---- */
    struct writer plan;
    bool has_plan;
    bool sent_anew; /* to be sent to a source that came back */
    bool held_back; /* until the journal has it */
    uint64_t round;
    uint64_t settled;

    /* ---- the journal ---- */
    bool resumed;   /* the journal had steps */
    bool kept_plan; /* the journal has the plan in force */
    struct text text;

    /* ---- what the engine is to be told ---- */
    bool changed; /* nodes, or jobs that failed or ended */
    bool paid;    /* perhaps what a start cost */
    struct occurrences news;

    /* ---- time ---- */
    int64_t looked_at_s; /* of the run's clock: when slow trainers were last looked for */
    int64_t due_s;       /* the time of a round that waits for ends */
    double due_since_s;  /* real time since which that round is due, 0 for none */
    uint64_t distrusted;
    char cause[300]; /* lent with an observation */
};

/* ---- places.c: which node has which place of the cluster ---- */

/* The pool that a place of the cluster is in. */
const struct pool_spec *places_pool(const capacity_t *self, int place);

/* The place of the node that the source knows by `from`: its own, or one that it is given. NULL for
 * a node that is gone and has none. */
struct capacity_node *places_take(capacity_t *self, const struct msg_node *from);

/* The place that the node of that number has; NULL if it has none. */
struct capacity_node *places_find(capacity_t *self, int32_t number);

/* Whether the node that has the place may be the one of `from`, which has its number. */
bool places_suits(const capacity_t *self, const struct capacity_node *node,
                  const struct msg_node *from);

/* The node at `place` is gone: a node that waits for a place has it. */
void places_give(capacity_t *self, struct capacity_node *place);

/* Makes the places, which no node has yet. */
void places_open(capacity_t *self);

/* ---- observation.c: what became of a job ---- */

/* Of `job`, which is expected to have done `iterations` since it stood at `step`. `due`: it is
 * expected to be done by now. The cause is lent until the next call. */
struct observed observe(capacity_t *self, struct trained_job *job, const struct books *books,
                        double iterations, int64_t step, bool due);

/* Whether the engine is to hear of `job`, of which the same is expected: the job is far enough
 * behind for that to be told from late messages, and trains at another pace than the engine was
 * last told, by more than a tenth, or at any while its speed is not `known`. */
bool observe_slows(const capacity_t *self, const struct trained_job *job, const struct books *books,
                   double iterations, int64_t step, bool known);

/* Whether the end of `job`, which is due, is about to come. */
bool observe_end_comes(const capacity_t *self, const struct trained_job *job,
                       const struct submission *submission);

#endif
