/* hard_models.h - models that take a solver some time. */
#ifndef TESTS_SOLVER_HARD_MODELS_H
#define TESTS_SOLVER_HARD_MODELS_H

#include "scheduler/solver/milp.h"

#include <stdint.h>

/* Market split. In each of `rows` rows, a sum of random weights times columns of 0 or 1 should be
 * half of all weights. The model minimises the error. Every choice is feasible, and good choices
 * are rare. Source: Cornuejols and Dawande, IPCO 1998. */
void build_market_split(milp_t *milp, int rows, int columns, uint64_t seed);

/* Jobs that need some of the slots before their deadlines, on so few GPUs that all jobs just fit.
 * The model maximises the GPUs in the first slot. It is feasible with whole columns and without,
 * and has some 80 columns for each job. */
void build_tight_slots(milp_t *milp, int jobs, uint64_t seed, bool whole);

#endif
