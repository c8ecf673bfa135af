/* decision_watch.h - checks every decision of an engine, under any policy. Each GPU has at most one
 * holder and is up. Each job comes, holds GPUs and goes once, as the decisions say. */
#ifndef TESTS_DECISION_WATCH_H
#define TESTS_DECISION_WATCH_H

#include "scheduler/engine/engine.h"

#include <stddef.h>

typedef struct decision_watch decision_watch_t;

/* A watch for an engine with `setting`, which is lent. */
decision_watch_t *decision_watch_new(const struct engine_setting *setting);
void decision_watch_destroy(decision_watch_t **self);

/* Notes the occurrences that the engine is told next. */
void decision_watch_hear(decision_watch_t *self, const struct occurrence occurrences[],
                         size_t count);

/* Fails the test if the engine cannot have decided `decision` after the occurrences that
 * decision_watch_hear noted. */
void decision_watch_check(decision_watch_t *self, const engine_t *engine,
                          const struct decision *decision);

/* Checks at the end of a run that every submitted job is over and had a verdict. */
void decision_watch_check_end(const decision_watch_t *self);

/* The GPUs that `job` held after the last decision. */
int decision_watch_gpus(const decision_watch_t *self, uint64_t job);

#endif
