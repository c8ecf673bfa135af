/* faulty_solver.h - back ends that do what a back end must not do, and what becomes of it. */
#ifndef TESTS_SOLVER_FAULTY_SOLVER_H
#define TESTS_SOLVER_FAULTY_SOLVER_H

#include "scheduler/solver/milp_solver.h"

#include <stddef.h>

extern const struct milp_solver solver_that_fails;
extern const struct milp_solver solver_that_aborts;
extern const struct milp_solver solver_that_segfaults;
extern const struct milp_solver solver_that_exits;

/* Solvers that work for ever. The second closes all descriptors that it did not open first. */
extern const struct milp_solver solver_that_stalls;
extern const struct milp_solver solver_that_hides;

/* Takes memory for ever; only where a limit ends it. */
extern const struct milp_solver solver_that_hoards;

/* Their points: nothing at all, all columns at 1e6, and all at the lower bound or else at 0, as
 * optimal and better than it is. */
extern const struct milp_solver solver_without_values;
extern const struct milp_solver solver_of_nonsense;
extern const struct milp_solver solver_that_boasts;

/* A solver with an answer that does not exist. */
extern const struct milp_solver solver_without_answer;

/* Uses up most of its time, if that is limited, and then calls every model infeasible. */
extern const struct milp_solver solver_that_despairs;

/* All of them, with the answer that a model gets from each under a limit of time. */
struct faulty_solver {
    const struct milp_solver *solver;
    enum milp_answer answer;
};

extern const struct faulty_solver faulty_solvers[];
extern const size_t faulty_solver_count;

#endif
