/* metrics.h - what papers report of a run beside its counts, gathered while it goes on: how often
 * jobs were disturbed, how long they waited, how fair their ends were, and what service each queue
 * gave. docs/metrics.md defines every figure.
 *
 * Nothing that is gathered here changes a decision. */
#ifndef ENGINE_METRICS_H
#define ENGINE_METRICS_H

#include "scheduler/policies/policy.h"
#include "scheduler/report/report.h"
#include "scheduler/state/cluster.h"
#include "scheduler/state/job.h"

#include <stddef.h>
#include <stdint.h>

typedef struct metrics metrics_t;

/* For a run of `job_count` jobs under `policy` (lent) on a cluster of `gpus` GPUs. */
metrics_t *metrics_new(const struct policy *policy, int gpus, size_t job_count);
void metrics_destroy(metrics_t **self);

/* A round starts at `now_s`: in the `elapsed_s` seconds since the one before, `live` jobs were live. */
void metrics_start(metrics_t *self, int64_t now_s, int64_t elapsed_s, size_t live);

/* `job` is done: its end is known, its GPUs are still those of the round before. */
void metrics_retire(metrics_t *self, const struct job *job);

/* `job` is live from this round on. */
void metrics_admit(metrics_t *self, const struct job *job);

/* All jobs of this round have their GPUs. */
void metrics_place(metrics_t *self, const cluster_t *cluster);

/* These jobs are live now, each in its queue if the policy has queues. */
void metrics_queue(metrics_t *self, struct job *const jobs[], size_t count);

/* Completes the figures of the run that are gathered here. */
void metrics_count(metrics_t *self, struct figures *figures);

#endif
