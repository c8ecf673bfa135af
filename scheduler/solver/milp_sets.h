/* milp_sets.h - replaces special ordered sets for back ends without them. */
#ifndef SOLVER_MILP_SETS_H
#define SOLVER_MILP_SETS_H

#include "scheduler/solver/milp_solver.h"

/* The model without sets that replaces a model with sets, empty at first and kept between
 * solves. */
milp_t *milp_plain(milp_t *self);

/* Makes `plain` an equivalent of `problem` without sets. After the columns and rows of the problem,
 * `plain` has whole numbers that choose the columns which may differ from 0. -1, with a sentence,
 * if a column of a set has no finite bound. */
int milp_spell_out_sets(const struct milp_problem *problem, milp_t *plain, struct error *error);

#endif
