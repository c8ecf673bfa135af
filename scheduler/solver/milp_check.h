/* milp_check.h - checks that a model is valid, and that a point satisfies it. */
#ifndef SOLVER_MILP_CHECK_H
#define SOLVER_MILP_CHECK_H

#include "scheduler/solver/milp_solver.h"

/* -1, with a sentence that names the column, row or set, if a number is NaN or out of range,
 * bounds cross, or a set is empty or has a column twice. */
int milp_check_problem(const struct milp_problem *problem, struct error *error);

/* Checks that the values satisfy the problem within MILP_TOLERANCE; -1, with a sentence, if not.
 * First corrects deviations within the tolerance: whole numbers, bounds, and the zeros of sets. */
int milp_check_point(const struct milp_problem *problem, double *values, struct error *error);

/* The objective at the point, and the largest of the terms that add up to it (1 at least): sums are
 * not sharper than that. */
double milp_objective_at(const struct milp_problem *problem, const double *values, double *scale);

#endif
