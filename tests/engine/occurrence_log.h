/* occurrence_log.h - what an engine was told and what it decided, to be told to another one. */
#ifndef TESTS_OCCURRENCE_LOG_H
#define TESTS_OCCURRENCE_LOG_H

#include "scheduler/engine/engine.h"

#include <stddef.h>

typedef struct occurrence_log occurrence_log_t;

occurrence_log_t *occurrence_log_new(void);
void occurrence_log_destroy(occurrence_log_t **self);

/* A step; what it was told is copied, causes and submissions are lent. */
void occurrence_log_hear(occurrence_log_t *self, int64_t now_s,
                         const struct occurrence occurrences[], size_t count);
void occurrence_log_decide(occurrence_log_t *self, const struct decision *decision);

/* Tells `engine`, which is new, the same; the test fails at the first decision that differs in
 * anything. Returns how many decisions do not list the live jobs, as some were set aside. */
size_t occurrence_log_check(const occurrence_log_t *self, engine_t *engine);

/* The same for the steps from `first` up to `end`, of an engine that was told those before. */
size_t occurrence_log_check_some(const occurrence_log_t *self, engine_t *engine, size_t first,
                                 size_t end);
size_t occurrence_log_steps(const occurrence_log_t *self);

#endif
