/* milp_child.h - a back end in a child process, and the shared memory for its answer.
 *
 * A solver is a large foreign program: a solver may overrun its limit, crash or corrupt memory. In
 * a child process none of these faults harms the caller. */
#ifndef SOLVER_MILP_CHILD_H
#define SOLVER_MILP_CHILD_H

#include "scheduler/solver/milp_process.h"
#include "scheduler/solver/milp_solver.h"

typedef struct milp_child milp_child_t;

milp_child_t *milp_child_new(void);
void milp_child_destroy(milp_child_t **self);

/* The child of a model, kept between solves. */
milp_child_t *milp_child(milp_t *self);

/* Has the back end work on the problem, and waits for it. No process is left afterwards.
 *
 * deadline_s is the time on clock_s() at which a working process is ended; infinite for never.
 * `reply` is the process's reply, unchecked, if it answered. The arrays of the reply last until the
 * next run; values that the process did not fill in are NaN. */
enum milp_child_end milp_child_run(milp_child_t *self, const struct milp_solver *solver,
                                   const struct milp_problem *problem,
                                   const struct milp_limits *limits, double deadline_s,
                                   struct milp_reply *reply);

#endif
