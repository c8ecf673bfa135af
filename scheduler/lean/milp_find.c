/* milp_find.c - in the place of scheduler/solver/milp_find.c: whoever wants a solver, whose libraries can
 * only be loaded by a program that is not static, wants the full scheduler. */
#include "scheduler/lean/handover.h"
#include "scheduler/solver/milp_solver.h"

const struct milp_solver *milp_find_solver(const char *name, struct error *error)
{
    (void)name;
    (void)error;
    handover();
}
