/* milp_server.h - a process that stays and solves one model after another.
 *
 * A process for each solve costs a fork: 4 ms, and 40 ms where the scheduler is large. A server is
 * started once, as a small program of its own (milp_serve.c), and gets each problem whole, in
 * shared memory, so a server can be ended without loss. The server solves linear programs itself
 * where the back end can (`stays`) and no limit of memory is set. Copies of the server solve all
 * other problems, and each copy ends with its answer. */
#ifndef SOLVER_MILP_SERVER_H
#define SOLVER_MILP_SERVER_H

#include "scheduler/solver/milp_process.h"
#include "scheduler/solver/milp_solver.h"

#include <sys/types.h>

/* A server without a process, which the first solve starts. A server serves any number of models
 * (milp_use_server). */
milp_server_t *milp_server_new(void);

/* Ends the server's process. NULL is ignored. */
void milp_server_destroy(milp_server_t **self);

/* The id of the server's process, 0 while there is none. */
pid_t milp_server_pid(const milp_server_t *self);

/* The server of a model, or NULL. */
milp_server_t *milp_server(const milp_t *self);

/* Copies the arrays and the basis of an answer to a model, which keeps the arrays until its next
 * solve. */
void milp_keep_answer(milp_t *self, struct milp_reply *reply);

/* Has a back end of milp_find_solver() work on a problem without sets, with the same answers as
 * milp_child_run(). The arrays of the reply last until the next run. A server that is found dead,
 * or dies of a problem, is replaced, and a copy of the new server is asked the problem once
 * more. */
enum milp_child_end milp_server_run(milp_server_t *self, const struct milp_solver *solver,
                                    const struct milp_problem *problem,
                                    const struct milp_limits *limits, double deadline_s,
                                    struct milp_reply *reply);

#endif
