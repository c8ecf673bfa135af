/* seed.h - the seed of a random test, printed first, so that a failure can be repeated. */
#ifndef SUPPORT_SEED_H
#define SUPPORT_SEED_H

#include "common/rng.h"

#include <stdint.h>

/* The seed: RUBATO_SEED of the environment, else a fixed number. The first call prints it. */
uint64_t test_seed(void);

/* The number of repetitions of a random test: RUBATO_TIMES of the environment, else `times`. A soak
 * multiplies `times` by RUBATO_SOAK. */
long test_times(long times);

/* As test_times, for a test whose every repetition starts solver processes. Under sanitizers, where
 * the start of a process takes 100 ms, the number is a quarter. */
long test_solver_times(long times);

/* A number below `count`. */
int test_pick(rng_t *rng, int count);

#endif
