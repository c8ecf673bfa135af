/* wayward_solver.h - what the back end of that name is told by the objective of column 0. */
#ifndef TESTS_SOLVER_WAYWARD_SOLVER_H
#define TESTS_SOLVER_WAYWARD_SOLVER_H

enum wayward {
    WAYWARD_ANSWERS = 1, /* as all but those that end do: every value is its process id */
    WAYWARD_CRASHES,
    WAYWARD_CRASHES_A_SERVER, /* but not a copy of one */
    WAYWARD_STALLS,
    WAYWARD_STALLS_A_SERVER, /* but not a copy of one */
    WAYWARD_HOARDS,          /* memory, for ever */
};

#endif
