/* hard_models.h - models that a solver needs time for. */
#ifndef TESTS_SOLVER_HARD_MODELS_H
#define TESTS_SOLVER_HARD_MODELS_H

#include "scheduler/solver/milp.h"

#include <stdint.h>

/* Market split: a sum of 0s and 1s times random weights shall be half of all weights, in each of
 * `rows` rows at once; minimise by how much it is missed. Every choice is feasible, and good ones
 * are rare. Source: Cornuejols and Dawande, IPCO 1998. */
void build_market_split(milp_t *milp, int rows, int columns, uint64_t seed);

/* Jobs that need some of the slots before their deadlines, on so few GPUs that they just fit;
 * maximise what runs in the first slot. Feasible, with some 80 columns a job, whole or not. */
void build_tight_slots(milp_t *milp, int jobs, uint64_t seed, bool whole);

#endif
