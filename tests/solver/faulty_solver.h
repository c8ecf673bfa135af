/* faulty_solver.h - back ends that break the rules for back ends, and the answers that a model gets
 * from them. */
#ifndef TESTS_SOLVER_FAULTY_SOLVER_H
#define TESTS_SOLVER_FAULTY_SOLVER_H

#include "scheduler/solver/milp_solver.h"

#include <stddef.h>

extern const struct milp_solver solver_that_fails;
extern const struct milp_solver solver_that_aborts;
extern const struct milp_solver solver_that_segfaults;
extern const struct milp_solver solver_that_exits;

/* Solvers that never end. The second solver first closes all descriptors of its process. */
extern const struct milp_solver solver_that_stalls;
extern const struct milp_solver solver_that_hides;

/* Takes memory without end. Only for tests with a limit of memory. */
extern const struct milp_solver solver_that_hoards;

/* Solvers with wrong points: no values, all columns at 1e6, and all columns at their lower bounds
 * or 0, which is called optimal with a bound that is too good. */
extern const struct milp_solver solver_without_values;
extern const struct milp_solver solver_of_nonsense;
extern const struct milp_solver solver_that_boasts;

/* A solver whose answer is no value of enum milp_answer. */
extern const struct milp_solver solver_without_answer;

/* Uses most of its time, if there is a limit, and then calls every model infeasible. */
extern const struct milp_solver solver_that_despairs;

/* All faulty solvers, each with the answer that a model gets under a limit of time. */
struct faulty_solver {
    const struct milp_solver *solver;
    enum milp_answer answer;
};

extern const struct faulty_solver faulty_solvers[];
extern const size_t faulty_solver_count;

#endif
