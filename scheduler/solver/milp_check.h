/* milp_check.h - checks that a model is valid, and that a point satisfies it. */
#ifndef SOLVER_MILP_CHECK_H
#define SOLVER_MILP_CHECK_H

#include "scheduler/solver/milp_solver.h"

/* -1, with a sentence that names the column, row or set, if a number is NaN or out of range,
 * bounds cross, or a set is empty or has a column twice. */
int milp_check_problem(const struct milp_problem *problem, struct error *error);

/* Checks that the values satisfy the problem within MILP_TOLERANCE. First corrects deviations
 * within the tolerance: whole numbers, bounds, and the zeros of sets. -1, with a sentence, if the
 * values do not satisfy the problem. */
int milp_check_point(const struct milp_problem *problem, double *values, struct error *error);

/* The objective at the point. `*scale` is the largest of its terms, at least 1, which bounds the
 * precision of the sum. */
double milp_objective_at(const struct milp_problem *problem, const double *values, double *scale);

#endif
