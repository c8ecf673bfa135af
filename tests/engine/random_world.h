/* random_world.h - worlds that are drawn at random: what they have in common, whatever is drawn. */
#ifndef TESTS_RANDOM_WORLD_H
#define TESTS_RANDOM_WORLD_H

#include "common/rng.h"
#include "tests/engine/both_worlds.h"

#define RANDOM_JOBS_MAX 80

/* A world that holds all it speaks of. */
struct random_world {
    struct world world;
    struct oracle_job jobs[RANDOM_JOBS_MAX];
    char ids[RANDOM_JOBS_MAX][32];
    char rules[100];
};

/* One of 0 .. count-1; and true so often. */
int pick(rng_t *rng, int count);
bool chance(rng_t *rng, double probability);

/* A few rows of the table, so that jobs compete; now and then the one with rates that rise and
 * fall. */
size_t pick_rows(rng_t *rng, const tables_t *tables, const struct throughput_row *rows[4]);

/* Ends the drawing of the jobs that the world counts: puts them into an order of their own, for the
 * rows of a trace need not be in that of arrival, and names them. */
void random_world_settle(struct random_world *self, rng_t *rng);

#endif
