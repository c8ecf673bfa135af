/* part.h - what this node holds of one incarnation of a job: the ranks on its GPUs.
 *
 * A part is as far as the slowest of its ranks, and goes as a whole when one of them fails. Knows
 * neither trainer nor master: the caller that has told either of a change tells the part. */
#ifndef WORKER_PART_H
#define WORKER_PART_H

#include "common/error.h"
#include "protocol/master_worker.h"

#define PART_CAUSE_BYTES 512

struct rank {
    int32_t gpu;
    int32_t rank;
    struct msg_part part; /* as the trainer told it, without the cause */
    bool prepare_sent;
    bool begin_sent;
    bool stop_sent;
};

struct part {
    struct msg_run run; /* a copy: */
    void *run_memory;   /* its texts and arrays */
    size_t rank_count;
    struct rank *ranks;
    bool begin_wanted;
    bool stop_wanted;
    bool failed; /* one of its ranks, or it could not run at all */
    bool retry;
    int32_t failed_gpu; /* of the rank that failed first, -1 if no rank did */
    struct msg_begin begin;
    struct msg_stop stop;
    char cause[PART_CAUSE_BYTES];
    enum part_state told; /* to the master, likewise */
    int64_t checkpoint_told;
    int64_t described_us; /* when the master was first told how it ended, 0: not yet */
};

/* Whether a node of `gpu_count` GPUs can carry out `run`; if not, `error` says why. */
bool part_can_run(const struct msg_run *run, int32_t gpu_count, struct error *error);

/* The part of `run`, which is copied; the caller destroys it. */
struct part *part_new(const struct msg_run *run);
void part_destroy(struct part *part);

enum part_state part_state(const struct part *part);
bool part_has_ended(const struct part *part);
bool rank_has_ended(const struct rank *rank);

/* As heartbeats and reports have it; the cause is lent by the part. */
void part_describe(const struct part *part, struct msg_part *out);

/* The live rank of the part on `gpu`, NULL if there is none. */
struct rank *part_rank_on(const struct part *part, int32_t gpu);

/* From now on it is to stop as `stop` says, unless it was to already. A rank that no trainer ever
 * heard of has ended with that. */
void part_want_stop(struct part *part, const struct msg_stop *stop);

/* The rank on `gpu` has failed, or with -1 the part as a whole, unless the part had failed before:
 * then the first cause and GPU stand. What is left of the part still has to stop. */
void part_fail(struct part *part, int32_t gpu, bool retry, const char *cause);

/* A live rank reports its state. A rank never goes back, so a report from before the last report
 * changes nothing: false. */
bool part_hear(struct part *part, struct rank *rank, const struct msg_part *said);

#endif
