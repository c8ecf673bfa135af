/* prices.h - what it costs a job, in seconds on its GPUs, to start, to be resized or to move, and
 * what a restart of all trainers costs.
 *
 * GPUs that ran together before start faster: a group is known by its first rank and its length,
 * whichever job used it. Source: the simulation mode of the published ElasticFlow artifact. */
#ifndef PLAN_PRICES_H
#define PLAN_PRICES_H

#include "common/archive.h"
#include "scheduler/state/cluster.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct prices prices_t;

/* Every `restart_rounds` rounds all trainers restart; never if that is 0. */
prices_t *prices_new(int gpu_count, int64_t restart_rounds);
void prices_destroy(prices_t **self);

/* Looks at the layout: finds which groups of GPUs ran together before, and remembers the groups of
 * all jobs. A job on several nodes is looked up at the first of them. */
void prices_visit(prices_t *self, const cluster_t *cluster);

/* The same job by job: `job`, with `rank` as its first GPU, is looked up if this visit has not met
 * it before, or `again`. Returns whether it had not. */
void prices_begin_visit(prices_t *self);
bool prices_visit_job(prices_t *self, const struct job *job, int rank, bool again);

/* Finds the jobs that hold other GPUs than at the look before. */
void prices_note_moves(prices_t *self, const cluster_t *cluster);

/* Whether all trainers restart in this round. */
bool prices_restart(const prices_t *self);

/* Whether `job`, which holds GPUs, holds other GPUs than at the look before. */
bool prices_moved(prices_t *self, const struct job *job);

/* The price of a change of `job` on the GPUs that it holds; of any job on `gpus` GPUs that never
 * ran together; and of any job on GPUs that did, which is the least price. */
int prices_of(prices_t *self, const struct job *job);
int prices_of_new(const prices_t *self, int gpus);
int prices_of_known(const prices_t *self);

/* The prices of changes: the base alone on GPUs that ran together since the last restart; beside it
 * `restart_s` in a round that restarts all, and 2 s for each class of size. */
struct tariff {
    int base_s;
    int restart_s;
    int64_t restart_rounds; /* rounds from one restart of all trainers to the next, 0 for none */
    int64_t next_restart;   /* rounds until then, 0 in a round of restarts */
};

struct tariff prices_tariff(const prices_t *self);

/* Whether the `gpus` GPUs from `rank` on ran together since the last restart. */
bool prices_ran_together(const prices_t *self, int rank, int gpus);

static inline int tariff_price(const struct tariff *self, int gpus, bool ran_together, bool restart)
{
    if (ran_together)
        return self->base_s;
    return self->base_s + (restart ? self->restart_s : 0) + 2 * scaling_block_class(gpus);
}

/* Begins a round; an early round restarts nothing, and is not counted. */
void prices_begin_round(prices_t *self, bool is_early);

/* Ends the round; after a round of restarts all groups are forgotten. */
void prices_end_round(prices_t *self);

/* Which GPUs ran together, and the GPUs met at the last look; see common/archive.h. */
void prices_archive(prices_t *self, struct archive *archive);

#endif
