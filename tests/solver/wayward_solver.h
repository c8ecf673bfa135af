/* wayward_solver.h - the tasks of the back end "wayward", which finds its task in the objective of
 * column 0. */
#ifndef TESTS_SOLVER_WAYWARD_SOLVER_H
#define TESTS_SOLVER_WAYWARD_SOLVER_H

enum wayward {
    WAYWARD_ANSWERS = 1, /* every value is the number of the solving process, as for all tasks that
                            do not end the process */
    WAYWARD_CRASHES,
    WAYWARD_CRASHES_A_SERVER, /* crashes a long-lived server, but not a copy of it */
    WAYWARD_STALLS,
    WAYWARD_STALLS_A_SERVER, /* stalls a long-lived server, but not a copy of it */
    WAYWARD_HOARDS,          /* takes memory without end */
};

#endif
