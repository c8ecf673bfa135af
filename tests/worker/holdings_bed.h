/* holdings_bed.h - a node of two GPUs without processes and sockets, which keeps the reports of its
 * holdings. */
#ifndef TESTS_WORKER_HOLDINGS_BED_H
#define TESTS_WORKER_HOLDINGS_BED_H

#include "worker/holdings.h"

#define BED_GPUS 2

struct holdings_bed {
    holdings_t *holdings;
    trainer_command_t *command;
    char reported[1024]; /* such as "preparing ready ", one word for each report */
    char cause[256];     /* cause of the last report */
};

/* Makes a node whose trainers' program does not exist. */
void holdings_bed_make(struct holdings_bed *bed);
void holdings_bed_clear(struct holdings_bed *bed);

/* A RUN of incarnation 1 of `job` on `gpu`, as the only rank. Everything that it points to stays
 * valid. */
struct msg_run holdings_bed_run(uint64_t job, int32_t gpu);

/* Lets the rank of `job` on `gpu` report `state`. */
void holdings_bed_rank_is(struct holdings_bed *bed, uint64_t job, int32_t gpu,
                          enum part_state state);

#endif
