/* holdings_bed.h - a node of two GPUs without processes and sockets: what it reports is kept. */
#ifndef TESTS_WORKER_HOLDINGS_BED_H
#define TESTS_WORKER_HOLDINGS_BED_H

#include "worker/holdings.h"

#define BED_GPUS 2

struct holdings_bed {
    holdings_t *holdings;
    trainer_command_t *command;
    char reported[1024]; /* "preparing ready ", one word for each report */
    char cause[256];     /* of the last one */
};

/* The trainers' program is one that is not there. */
void holdings_bed_make(struct holdings_bed *bed);
void holdings_bed_clear(struct holdings_bed *bed);

/* A RUN of incarnation 1 of `job` on `gpu`, rank 0 of one. All that it points to is lent for
 * ever. */
struct msg_run holdings_bed_run(uint64_t job, int32_t gpu);

/* The rank of `job` on `gpu` reports its state. */
void holdings_bed_rank_is(struct holdings_bed *bed, uint64_t job, int32_t gpu,
                          enum part_state state);

#endif
