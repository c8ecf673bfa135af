/* occurrence_log.h - the occurrences that an engine was told and the decisions that it took, to
 * compare another engine with it. */
#ifndef TESTS_OCCURRENCE_LOG_H
#define TESTS_OCCURRENCE_LOG_H

#include "scheduler/engine/engine.h"

#include <stddef.h>

typedef struct occurrence_log occurrence_log_t;

occurrence_log_t *occurrence_log_new(void);
void occurrence_log_destroy(occurrence_log_t **self);

/* Log a step: the occurrences, which are copied, and then the decision. Causes and submissions of
 * the occurrences are lent. */
void occurrence_log_hear(occurrence_log_t *self, int64_t now_s,
                         const struct occurrence occurrences[], size_t count);
void occurrence_log_decide(occurrence_log_t *self, const struct decision *decision);

/* Tells the new `engine` all logged occurrences. The test fails at the first decision that differs
 * from the logged one. Returns the number of decisions that leave live jobs out, because those jobs
 * are kept aside. */
size_t occurrence_log_check(const occurrence_log_t *self, engine_t *engine);

/* Does so for the steps from `first` up to, but without, `end`, if `engine` was told the steps
 * before. */
size_t occurrence_log_check_some(const occurrence_log_t *self, engine_t *engine, size_t first,
                                 size_t end);
size_t occurrence_log_steps(const occurrence_log_t *self);

#endif
