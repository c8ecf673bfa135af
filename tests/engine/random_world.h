/* random_world.h - the common part of tests that draw worlds at random. */
#ifndef TESTS_RANDOM_WORLD_H
#define TESTS_RANDOM_WORLD_H

#include "common/rng.h"
#include "tests/engine/both_worlds.h"

#define RANDOM_JOBS_MAX 80

/* A world, and the memory that `world` points to. */
struct random_world {
    struct world world;
    struct oracle_job jobs[RANDOM_JOBS_MAX];
    char ids[RANDOM_JOBS_MAX][32];
    char rules[100];
};

/* Draw a number from 0 to count - 1, and true with a probability. */
int pick(rng_t *rng, int count);
bool chance(rng_t *rng, double probability);

/* Picks a few rows of the table, few enough for jobs to compete. Sometimes one is the row whose
 * rates rise and fall. */
size_t pick_rows(rng_t *rng, const tables_t *tables, const struct throughput_row *rows[4]);

/* Completes a world whose jobs were drawn: shuffles them, because the rows of a trace need not be
 * in the order of arrival, and names them. */
void random_world_settle(struct random_world *self, rng_t *rng);

#endif
