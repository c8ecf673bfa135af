/* steady.h - jobs that take a round number of seconds on the GPUs that they ask for, on one node of
 * 4 A100 GPUs and with slots of a minute, so that a run can be followed by hand.
 *
 * A start on 1, 2 or 4 GPUs costs 4, 6 or 8 s, or 2 s if the job ran on the same ranks before. Two
 * rounds are at least a slot apart. */
#ifndef TESTS_STEADY_H
#define TESTS_STEADY_H

#include "tests/engine/both_worlds.h"

#include <stddef.h>

struct steady_job {
    const char *id;
    int submit_s;
    int gpus;
    int seconds;
};

#define STEADY_JOBS_MAX 8

struct steady_world {
    struct world world;
    struct oracle_job jobs[STEADY_JOBS_MAX];
};

/* Fills `self` with a run of `jobs`, in the order of the trace, under `policy`, which ignores
 * durations. The deadlines are far away. */
void steady_world(struct steady_world *self, const char *policy, const tables_t *a100,
                  const struct steady_job *jobs, size_t count);

#endif
