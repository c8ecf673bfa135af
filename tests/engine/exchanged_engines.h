/* exchanged_engines.h - a run in which each engine is written after some steps, and goes on as
 * another one that reads it. */
#ifndef TESTS_EXCHANGED_ENGINES_H
#define TESTS_EXCHANGED_ENGINES_H

#include "common/rng.h"
#include "tests/engine/occurrence_log.h"

struct exchanged_engines {
    const struct engine_setting *setting;
    const struct submission *jobs; /* all that are told */
    size_t job_count;
    rng_t *rng; /* which steps these are */
};

/* The test fails if one of them decides otherwise than `log` has it, or if the last does not stand
 * as `other`, which was told all. */
void exchanged_engines_check(const struct exchanged_engines *self, const occurrence_log_t *log,
                             engine_t *other);

#endif
