/* decision_watch.h - what must hold of every decision of an engine, under whatever policy: no GPU
 * has two holders or none that is up, jobs come, hold and go as they are told, and each of them
 * once. */
#ifndef TESTS_DECISION_WATCH_H
#define TESTS_DECISION_WATCH_H

#include "scheduler/engine/engine.h"

#include <stddef.h>

typedef struct decision_watch decision_watch_t;

/* On the cluster of `setting` and under its policy, both lent. */
decision_watch_t *decision_watch_new(const struct engine_setting *setting);
void decision_watch_destroy(decision_watch_t **self);

/* The engine is going to be told this. */
void decision_watch_hear(decision_watch_t *self, const struct occurrence occurrences[],
                         size_t count);

/* What it decided then: the test fails if that cannot be. */
void decision_watch_check(decision_watch_t *self, const engine_t *engine,
                          const struct decision *decision);

/* Nothing is due any more: every job that was submitted is over, and was told what becomes of
 * it. */
void decision_watch_check_end(const decision_watch_t *self);

/* GPUs that `job` held in the last decision. */
int decision_watch_gpus(const decision_watch_t *self, uint64_t job);

#endif
