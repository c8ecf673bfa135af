/* hard_models.c - see hard_models.h. */
#include "tests/solver/hard_models.h"

#include "common/memory.h"
#include "common/rng.h"

#include <stdlib.h>

void build_market_split(milp_t *milp, int rows, int columns, uint64_t seed)
{
    rng_t rng = rng_new(seed, "market split");

    milp_clear(milp);
    for (int i = 0; i < columns; i++)
        (void)milp_add_column(milp, 0, 1, 0, true);
    for (int row = 0; row < rows; row++) {
        double sum = 0;

        (void)milp_add_row(milp, 0, 0);
        for (int i = 0; i < columns; i++) {
            const double weight = (double)rng_below(&rng, 100);

            milp_add_term(milp, row, i, weight);
            sum += weight;
        }
        milp_set_row(milp, row, floor(sum / 2), floor(sum / 2));
        milp_add_term(milp, row, milp_add_column(milp, 0, 1e6, 1, false), 1);
        milp_add_term(milp, row, milp_add_column(milp, 0, 1e6, 1, false), -1);
    }
}

#define GPUS  128
#define SLOTS 500

/* Packs a job latest first into what is free; -1 if it finds no place. */
static int pack(int *free_gpus, int slots, int need, int gpus)
{
    int missing = need;

    for (int i = 0; i < slots; i++)
        missing -= free_gpus[i] >= gpus;
    if (missing > 0)
        return -1;
    for (int i = slots - 1; i >= 0 && need > 0; i--)
        if (free_gpus[i] >= gpus) {
            free_gpus[i] -= gpus;
            need--;
        }
    return 0;
}

void build_tight_slots(milp_t *milp, int jobs, uint64_t seed, bool whole)
{
    rng_t rng = rng_new(seed, "tight slots");
    int free_gpus[SLOTS];

    milp_clear(milp);
    milp_set_maximise(milp, true);
    for (int i = 0; i < SLOTS; i++) {
        free_gpus[i] = GPUS;
        (void)milp_add_row(milp, -MILP_INFINITY, GPUS);
    }
    for (int job = 0; job < jobs; job++) {
        const int slots = (int)rng_log_uniform(&rng, 2, SLOTS);
        const int gpus = 1 << rng_below(&rng, 6);
        const int need = 1 + (int)((slots - 1) * rng_uniform(&rng, 0.2, 1));
        int row;

        if (pack(free_gpus, slots, need, gpus) < 0)
            continue;
        row = milp_add_row(milp, need, need);
        for (int i = 0; i < slots; i++) {
            const int column = milp_add_column(milp, 0, 1, i == 0 ? gpus : 0, whole);

            milp_add_term(milp, i, column, gpus);
            milp_add_term(milp, row, column, 1);
        }
    }
}
