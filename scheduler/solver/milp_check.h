/* milp_check.h - whether a model makes sense, and whether a point belongs to it. */
#ifndef SOLVER_MILP_CHECK_H
#define SOLVER_MILP_CHECK_H

#include "scheduler/solver/milp_solver.h"

/* -1, with a sentence that names the column, row or set, if a number is none or out of range,
 * bounds cross, or a set is empty or has a column twice. */
int milp_check_problem(const struct milp_problem *problem, struct error *error);

/* Whether the values are a point of the problem, within MILP_TOLERANCE; -1, with a sentence, if
 * not. What is within the tolerance is put right first: whole numbers, bounds, and the zeros of
 * sets. */
int milp_check_point(const struct milp_problem *problem, double *values, struct error *error);

/* The objective at the point, and the largest of the terms that add up to it (1 at least): sums are
 * not sharper than that. */
double milp_objective_at(const struct milp_problem *problem, const double *values, double *scale);

#endif
