/* certificate.h - whether the duals of a linear program prove that its point is the best. */
#ifndef TESTS_SOLVER_CERTIFICATE_H
#define TESTS_SOLVER_CERTIFICATE_H

#include "scheduler/solver/milp_solver.h"

/* Fails unless the signs of all duals and reduced costs are those of milp.h, none of them differs
 * from 0 where no bound holds, the reduced costs follow from the duals, and the bounds that hold,
 * each times its dual, add up to the objective. */
void check_certificate(milp_t *milp, const struct milp_result *result);

#endif
