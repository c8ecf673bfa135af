/* incarnation.h - one try at running a job on certain GPUs: a part on each of its nodes, from the
 * RUN that prepares it until nothing of it is left.
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
    INCARNATION_PREPARING, /* until all parts are ready and no other part is there */
    INCARNATION_BEGUN,
    INCARNATION_STABLE,
    INCARNATION_ENDING, /* told to stop */
    INCARNATION_OVER,   /* nothing is left of any part */
};

/* Why an incarnation cannot go on although it was not told to stop. */
enum incarnation_fault {
    FAULT_NONE,
    FAULT_FAILED,    /* a part ended by itself */
    FAULT_FORGOTTEN, /* a worker came back without its part */
    FAULT_NODE_DOWN,
    FAULT_GPU_GONE, /* a GPU of it is not there any more */
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
    int32_t *gpus;  /* of the node */
    int32_t *ranks; /* of the job */

    bool sent;   /* a RUN was sent at some time */
    bool begun;  /* a BEGIN was: its GPUs are taken until it is confirmed to be gone */
    bool ended;  /* nothing is left of it */
    bool leased; /* that is so because its lease is over */
    bool seen;   /* its worker spoke of it in this session; `state` is what it said */
    enum part_state state;
    int64_t step; /* as its worker says, -1 if it does not know */
    int64_t overhead_ms;
    bool emulated;
    double rate;

    /* The session with its worker broke, and the worker has not spoken of it since: it ends itself
     * before this time. 0 while there is a session that knows it. */
    int64_t fence_us;

    /* Heartbeats of the node when each command was last sent in this session, 0 for never. */
    uint64_t run_beat;
    uint64_t begin_beat;
    uint64_t update_beat;
    uint64_t stop_beat;
    uint64_t listed_beat; /* when its worker last spoke of it */

    UT_hash_handle hh;        /* by key */
    struct remote_part *prev; /* of its node */
    struct remote_part *next;
};

/* How an incarnation is told to end. */
struct ending {
    enum stop_why why;
    int64_t step;      /* that a fast-forwarded job is at, -1: its own */
    int64_t grace_ms;  /* -1: as the worker has it */
    const char *cause; /* one word for the log: "plan", "fault" ... */
};

struct incarnation {
    uint64_t job;
    uint32_t number; /* of the job's, from 1 */
    enum incarnation_phase phase;
    struct msg_run run;          /* the fields that all parts share, a copy: */
    void *run_memory;            /* its texts, and the program that the launch had */
    struct msg_program *program; /* the program that was given later, else NULL */
    bool may_begin;
    size_t part_count;
    struct remote_part *parts;        /* by node rank */
    size_t in_state[PART_FAILED + 1]; /* parts that were seen, by state */
    size_t ended;
    size_t done;   /* of those that ended: how many did all their iterations */
    size_t leased; /* ... and of how many only the lease is known to be over */

    int64_t step;       /* it began from, and was brought to since */
    bool updated;       /* it was, since it began */
    int64_t checkpoint; /* last confirmed one, -1 for none */
    bool checkpointed;  /* it ended with its state saved */

    enum incarnation_fault fault;
    const struct remote_part *failed; /* the part that failed first, NULL for none */
    int32_t failed_gpu;               /* of its node: where, as its worker says; -1: unknown */
    bool retry;                       /* of a fault: another try may help */
    char cause[NODE_CAUSE_MAX];
    struct ending ending;

    int64_t started_us;
    int64_t ready_us; /* all parts were, for the first time; as the next three, -1 before */
    int64_t begun_us;
    int64_t stable_us;
    int64_t over_us;
    int64_t done_us; /* when the last of the parts that are done was; before that when it began.
                      * INT64_MIN if that is not known */

    void *item; /* of the caller that started it */
    struct lineage *lineage;
    struct incarnation *older; /* of the same job that are not over, as utlist.h links them */
    struct incarnation *newer;
    struct incarnation *next_changed;
    bool changed;                 /* it is among the news */
    struct incarnation *prev_due; /* of those that perhaps may begin now */
    struct incarnation *next_due;
    bool due;
};

/* A part of an incarnation that is to be made. */
struct launch_part {
    struct worker_node *node; /* in session */
    int32_t node_rank;
    size_t gpu_count;
    const int32_t *gpus;
    const int32_t *ranks;
};

struct job_launch {
    /* The fields that all parts share; without a rendezvous address that of node rank 0's worker is
     * taken, and its next port. */
    struct msg_run run;
    bool may_begin; /* as soon as it can; otherwise dispatch_allow must come */
    size_t part_count;
    const struct launch_part *parts; /* by node rank */
    void *item;
};

/* Preparing, with copies of all that `launch` lends. */
struct incarnation *incarnation_new(const struct job_launch *launch, uint32_t number);
void incarnation_destroy(struct incarnation **self);

/* The incarnation, which has no program, executes a copy of `program`; NULL for none. */
void incarnation_take_program(struct incarnation *self, const struct msg_program *program);

/* Whether it was begun, or is about to be: not told to stop, and without a fault. */
bool incarnation_is_wanted(const struct incarnation *self);

/* Whether all its parts train at their rate, or did all their iterations. */
bool incarnation_is_stable(const struct incarnation *self);

/* Whether a lease is all that is left of it: each part is over, or on a node that is gone and has
 * not come back with it. */
bool incarnation_is_fenced(const struct incarnation *self);

/* Whether it ended because all its iterations are done. */
bool incarnation_is_done(const struct incarnation *self);

/* The part of node rank 0, which knows steps, checkpoints and the rate. */
const struct remote_part *incarnation_first(const struct incarnation *self);

#endif
