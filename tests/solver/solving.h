/* solving.h - Cbc, and solving without limits, for tests. */
#ifndef TESTS_SOLVER_SOLVING_H
#define TESTS_SOLVER_SOLVING_H

#include "scheduler/solver/milp_solver.h"

/* The back end of Cbc. The test fails if Rubato was built without it. */
const struct milp_solver *cbc(void);

/* Solves the model by Cbc until the solution is proven optimal. */
struct milp_result solve_with_cbc(milp_t *milp);

/* Fails, with the names of both answers and the error, unless the answer is `answer`. */
void check_answer(const struct milp_result *result, enum milp_answer answer);

/* Fails unless the values differ by at most 1e-9, relative to the larger one if that is more than
 * 1. cmocka compares floats only. */
void check_near(double value, double expected);

#endif
