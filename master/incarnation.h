/* incarnation.h - one try at running a job on certain GPUs: a part on each of its nodes, from the
 * RUN that prepares the parts until no process of them is left.
 *
 * Plain data that the dispatch keeps; the caller that started an incarnation reads it. */
#ifndef MASTER_INCARNATION_H
#define MASTER_INCARNATION_H

#include "master/registry.h"
#include "protocol/master_worker.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

enum incarnation_phase {
    INCARNATION_PREPARING, /* until all parts are ready and no other part holds their GPUs */
    INCARNATION_BEGUN,
    INCARNATION_STABLE,
    INCARNATION_ENDING, /* told to stop */
    INCARNATION_OVER,   /* all parts are over */
};

/* Why an incarnation cannot go on although it was not told to stop. */
enum incarnation_fault {
    FAULT_NONE,
    FAULT_FAILED,    /* a part ended by itself */
    FAULT_FORGOTTEN, /* a worker reconnected without its part */
    FAULT_NODE_DOWN,
    FAULT_GPU_GONE, /* a GPU of the part is gone */
};

struct lineage;

struct part_key {
    uint64_t job;
    uint32_t incarnation;
    int32_t node;
};

struct remote_part {
    struct part_key key;
    struct incarnation *incarnation;
    struct worker_node *node;
    int32_t node_rank;
    size_t gpu_count;
    int32_t *gpus;  /* indices on the node */
    int32_t *ranks; /* ranks in the job */

    bool sent;   /* a RUN was sent at some time */
    bool begun;  /* BEGIN was sent: the part holds its GPUs until it is confirmed to be gone */
    bool ended;  /* no process of the part is left */
    bool leased; /* the part ended because its lease expired */
    bool seen;   /* its worker reported it in this session; `state` is the last report */
    enum part_state state;
    int64_t step; /* step that its worker reports, -1 if unknown */
    int64_t overhead_ms;
    bool emulated;
    double rate;

    /* The part ends itself before this time if its worker stays away: set when the session breaks,
     * 0 once the worker lists the part in a session. */
    int64_t fence_us;

    /* Heartbeats of the node when each command was last sent in this session, 0 for never. */
    uint64_t run_beat;
    uint64_t begin_beat;
    uint64_t update_beat;
    uint64_t stop_beat;
    uint64_t listed_beat; /* beat at which its worker last listed the part */

    UT_hash_handle hh;        /* by key */
    struct remote_part *prev; /* other parts on its node */
    struct remote_part *next;
};

/* How to end an incarnation. */
struct ending {
    enum stop_why why;
    int64_t step; /* step of a fast-forwarded job, -1: the step that the part itself has reached */
    int64_t grace_ms;  /* -1: the grace time of the worker */
    const char *cause; /* one word for the log: "plan", "fault" ... */
};

struct incarnation {
    uint64_t job;
    uint32_t number; /* number among the incarnations of the job, from 1 */
    enum incarnation_phase phase;
    struct msg_run run;          /* fields that all parts share, a copy: */
    void *run_memory;            /* memory of the texts of `run` and of its program */
    struct msg_program *program; /* the program if it came after the launch, else NULL */
    bool may_begin;
    size_t part_count;
    struct remote_part *parts;        /* parts by node rank */
    size_t in_state[PART_FAILED + 1]; /* number of parts that were seen, by state */
    size_t ended;
    size_t done;   /* number of ended parts that did all their iterations */
    size_t leased; /* ... and of how many only the lease is known to be over */

    int64_t step;       /* the step that it began from, or a later UPDATE brought it to */
    bool updated;       /* an UPDATE was sent since BEGIN */
    int64_t checkpoint; /* step of the last confirmed checkpoint, -1 for none */
    bool checkpointed;  /* ended with its state saved */

    enum incarnation_fault fault;
    const struct remote_part *failed; /* the part that failed first, NULL for none */
    int32_t failed_gpu; /* index on its node of the GPU that failed, as its worker reports; -1:
                           unknown */
    bool retry;         /* after a fault: another try may help */
    char cause[NODE_CAUSE_MAX];
    struct ending ending;

    int64_t started_us;
    int64_t ready_us; /* when all parts were first ready; this and the next three are -1 before */
    int64_t begun_us;
    int64_t stable_us;
    int64_t over_us;
    int64_t done_us; /* when the last of the done parts was done; while no part is done, when it
                        began. INT64_MIN if unknown */

    void *item; /* belongs to the caller that started the incarnation */
    struct lineage *lineage;
    struct incarnation *older; /* other incarnations of the job that are not over, linked by
                                  utlist.h */
    struct incarnation *newer;
    struct incarnation *next_changed;
    bool changed;                 /* listed in dispatch_news */
    struct incarnation *prev_due; /* neighbours in the list `due` */
    struct incarnation *next_due;
    bool due;
};

/* A part of an incarnation to launch. */
struct launch_part {
    struct worker_node *node; /* a node in session */
    int32_t node_rank;
    size_t gpu_count;
    const int32_t *gpus;
    const int32_t *ranks;
};

struct job_launch {
    /* The fields that all parts share; an empty rendezvous address stands for that of node rank 0's
     * worker, with its next port. */
    struct msg_run run;
    bool may_begin; /* begins as soon as possible; otherwise waits for dispatch_allow */
    size_t part_count;
    const struct launch_part *parts; /* parts by node rank */
    void *item;
};

/* A new incarnation in state PREPARING, with copies of all that `launch` lends. */
struct incarnation *incarnation_new(const struct job_launch *launch, uint32_t number);
void incarnation_destroy(struct incarnation **self);

/* Gives the incarnation, which has no program, a copy of `program`; NULL: none. */
void incarnation_take_program(struct incarnation *self, const struct msg_program *program);

/* Whether the incarnation has begun or will begin: not told to stop, and without a fault. */
bool incarnation_is_wanted(const struct incarnation *self);

/* Whether all parts train at their rate, or did all their iterations. */
bool incarnation_is_stable(const struct incarnation *self);

/* Whether only leases keep the incarnation: each part is over, or on a node that is gone and has
 * not come back with the part. */
bool incarnation_is_fenced(const struct incarnation *self);

/* Whether the incarnation ended with all its iterations done. */
bool incarnation_is_done(const struct incarnation *self);

/* The part of node rank 0, which knows steps, checkpoints and the rate. */
const struct remote_part *incarnation_first(const struct incarnation *self);

#endif
