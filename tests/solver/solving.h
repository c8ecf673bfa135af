/* solving.h - Cbc and a solve without limits, for tests. */
#ifndef TESTS_SOLVER_SOLVING_H
#define TESTS_SOLVER_SOLVING_H

#include "scheduler/solver/milp_solver.h"

/* The back end that we have; the test fails without it. */
const struct milp_solver *cbc(void);

/* Solves with it, to the proof. */
struct milp_result solve_with_cbc(milp_t *milp);

/* Fails with both names and the sentence unless the answer is that. */
void check_answer(const struct milp_result *result, enum milp_answer answer);

/* Fails unless both differ by 1e-9 at most, relative to what is larger than 1; cmocka compares
 * floats. */
void check_near(double value, double expected);

#endif
