/* policy_solver.h - linear and integer programs that a policy solves in its rounds: a model, and a
 * solver in a process that stays from round to round (solver/milp.h, solver/milp_server.h).
 *
 * The same model gives the same point, whatever was solved before: each solve forgets the basis of
 * the one before. So a policy has nothing to remember of its solver for a restart. */
#ifndef POLICIES_POLICY_SOLVER_H
#define POLICIES_POLICY_SOLVER_H

#include "common/error.h"
#include "common/stop.h"
#include "scheduler/solver/milp.h"

typedef struct policy_solver policy_solver_t;

/* Starts nothing yet. `stop`, which is asked while a solve takes long, is that of the policy's
 * setting. */
policy_solver_t *policy_solver_new(const struct stop *stop) __attribute__((returns_nonnull));

/* Ends its process. */
void policy_solver_destroy(policy_solver_t **self);

/* The model of the next solve, emptied: the policy adds columns and rows. Lent. */
milp_t *policy_solver_begin(policy_solver_t *self);

/* Solves the model to a proven optimum, however long that takes. The arrays of `result` last until
 * the next policy_solver_begin. -1, with `error`, if there is no optimum: the model has no point,
 * or has better ones for ever, or there is no solver. */
int policy_solver_solve(policy_solver_t *self, struct milp_result *result, struct error *error);

#endif
