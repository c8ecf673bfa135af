/* certificate.h - checks that the duals of a linear program prove its point optimal. */
#ifndef TESTS_SOLVER_CERTIFICATE_H
#define TESTS_SOLVER_CERTIFICATE_H

#include "scheduler/solver/milp_solver.h"

/* Fails unless the duals prove the result. All duals and reduced costs must have the signs of
 * milp.h and be 0 where no bound is tight. The reduced costs must follow from the duals. The tight
 * bounds, each times its dual, must add up to the objective. */
void check_certificate(milp_t *milp, const struct milp_result *result);

#endif
