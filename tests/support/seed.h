/* seed.h - where a random test starts: printed first, so that a failure can be repeated. */
#ifndef SUPPORT_SEED_H
#define SUPPORT_SEED_H

#include "common/rng.h"

#include <stdint.h>

/* RUBATO_SEED of the environment, else a fixed one; prints it the first time. */
uint64_t test_seed(void);

/* How often a random test repeats: RUBATO_TIMES of the environment, else `times`, of which a soak
 * asks for RUBATO_SOAK times as many. */
long test_times(long times);

/* As test_times, for runs that each start processes of a solver: under sanitizers, where one takes
 * 100 ms to begin, the number is a quarter. */
long test_solver_times(long times);

/* A number below `count`. */
int test_pick(rng_t *rng, int count);

#endif
