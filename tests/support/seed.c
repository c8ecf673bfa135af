/* seed.c - see seed.h. */
#include "tests/support/seed.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define USUAL_SEED 20260419

uint64_t test_seed(void)
{
    static bool printed;
    const char *given = getenv("RUBATO_SEED");
    const uint64_t seed = given ? strtoull(given, NULL, 10) : USUAL_SEED;

    if (!printed)
        printf("RUBATO_SEED=%" PRIu64 "\n", seed);
    (void)fflush(stdout);
    printed = true;
    return seed;
}

long test_times(long times)
{
    const char *given = getenv("RUBATO_TIMES");
    const char *soak = getenv("RUBATO_SOAK");

    if (given)
        return strtol(given, NULL, 10);
    return soak ? times * strtol(soak, NULL, 10) : times;
}

long test_solver_times(long times)
{
#ifdef RUBATO_SANITIZED
    times = (times + 3) / 4;
#endif
    return test_times(times);
}

int test_pick(rng_t *rng, int count)
{
    return (int)rng_below(rng, (uint64_t)count);
}
