/* exchanged_engines.h - repeats a run in which, after some steps, the engine is written and a new
 * engine reads it and takes its place. */
#ifndef TESTS_EXCHANGED_ENGINES_H
#define TESTS_EXCHANGED_ENGINES_H

#include "common/rng.h"
#include "tests/engine/occurrence_log.h"

struct exchanged_engines {
    const struct engine_setting *setting;
    const struct submission *jobs; /* all jobs that the engine is told */
    size_t job_count;
    rng_t *rng; /* draws the steps at which the engine is replaced */
};

/* Fails the test if a decision differs from that in `log`, or if the last engine differs from
 * `other`, which was told the whole run. */
void exchanged_engines_check(const struct exchanged_engines *self, const occurrence_log_t *log,
                             engine_t *other);

#endif
