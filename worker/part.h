/* part.h - the share of this node in one incarnation of a job: the ranks on its GPUs.
 *
 * The state of a part is that of its slowest rank; the whole part fails when a rank fails. A part
 * sends no messages: its caller notes in the part which changes trainer and master were told of. */
#ifndef WORKER_PART_H
#define WORKER_PART_H

#include "common/error.h"
#include "protocol/master_worker.h"

#define PART_CAUSE_BYTES 512

struct rank {
    int32_t gpu;
    int32_t rank;
    struct msg_part part; /* as the trainer reported it, without the cause */
    bool prepare_sent;
    bool begin_sent;
    bool stop_sent;
};

struct part {
    struct msg_run run; /* a copy: */
    void *run_memory;   /* memory of the texts and arrays of `run` */
    size_t rank_count;
    struct rank *ranks;
    bool begin_wanted;
    bool stop_wanted;
    bool failed; /* a rank failed, or the part could not run at all */
    bool retry;
    int32_t failed_gpu; /* GPU of the rank that failed first, -1 if no rank did */
    struct msg_begin begin;
    struct msg_stop stop;
    char cause[PART_CAUSE_BYTES];
    enum part_state told; /* state that the master was last told */
    int64_t checkpoint_told;
    int64_t described_us; /* when the master was first told of the end, 0: not yet */
};

/* Whether a node of `gpu_count` GPUs can carry out `run`; if not, `error` says why. */
bool part_can_run(const struct msg_run *run, int32_t gpu_count, struct error *error);

/* The part of `run`, which is copied; the caller destroys it. */
struct part *part_new(const struct msg_run *run);
void part_destroy(struct part *part);

enum part_state part_state(const struct part *part);
bool part_has_ended(const struct part *part);
bool rank_has_ended(const struct rank *rank);

/* Fills in `out` for heartbeats and reports; the cause is lent by the part. */
void part_describe(const struct part *part, struct msg_part *out);

/* The live rank of the part on `gpu`, NULL if there is none. */
struct rank *part_rank_on(const struct part *part, int32_t gpu);

/* The part is to stop as `stop` says, unless it was told to stop before. A rank that no trainer was
 * told of ends at once. */
void part_want_stop(struct part *part, const struct msg_stop *stop);

/* Notes that the rank on `gpu`, or with -1 the whole part, has failed. Of several failures the
 * first cause and GPU are kept. The other ranks still have to stop. */
void part_fail(struct part *part, int32_t gpu, bool retry, const char *cause);

/* A live rank reports its state. States only move forward: a report of an earlier state changes
 * nothing and returns false. */
bool part_hear(struct part *part, struct rank *rank, const struct msg_part *said);

#endif
