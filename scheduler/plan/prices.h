/* prices.h - what it costs a job, in seconds on its GPUs, to start, to be resized or to move, and
 * what a restart of all trainers costs.
 *
 * GPUs that ran together before start faster: a group is known by its first rank and its length,
 * whichever job used it. Source: the simulation mode of the published ElasticFlow artifact. */
#ifndef PLAN_PRICES_H
#define PLAN_PRICES_H

#include "scheduler/state/cluster.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct prices prices_t;

/* Every `restart_rounds` rounds all trainers restart; never if that is 0. */
prices_t *prices_new(int gpu_count, int64_t restart_rounds);
void prices_destroy(prices_t **self);

/* Looks at the layout: which groups ran before, from now on those of all jobs did. A job on several
 * nodes is looked up at the first of them. */
void prices_visit(prices_t *self, const cluster_t *cluster);

/* The same job by job: `job`, with `rank` as its first GPU, is looked up if this visit has not met
 * it before, or `again`. Returns whether it had not. */
void prices_begin_visit(prices_t *self);
bool prices_visit_job(prices_t *self, const struct job *job, int rank, bool again);

/* Looks which jobs hold other GPUs than at the look before. */
void prices_note_moves(prices_t *self, const cluster_t *cluster);

/* Whether all trainers restart in this round. */
bool prices_restart(const prices_t *self);

/* Whether `job`, which holds GPUs, holds others than at the look before. */
bool prices_moved(prices_t *self, const struct job *job);

/* What a change costs `job` on the GPUs that it holds; and any job on `gpus` GPUs that never ran
 * together. */
int prices_of(prices_t *self, const struct job *job);
int prices_of_new(const prices_t *self, int gpus);

/* Ends the round; one of restarts ends with all groups forgotten. */
void prices_end_round(prices_t *self);

#endif
