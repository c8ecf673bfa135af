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

/* Lets the back end work on the problem and waits for it; nothing of it is left afterwards.
 *
 * deadline_s  on clock_s(), when it is ended if it still works; infinite for never
 * reply       what it handed over, if it answered, as it stands there; the arrays last until the
 *             next run, and what it did not fill in is NaN */
enum milp_child_end milp_child_run(milp_child_t *self, const struct milp_solver *solver,
                                   const struct milp_problem *problem,
                                   const struct milp_limits *limits, double deadline_s,
                                   struct milp_reply *reply);

#endif
