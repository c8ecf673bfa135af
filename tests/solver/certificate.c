/* certificate.c - see certificate.h. */
#include "tests/solver/certificate.h"

#include "common/memory.h"
#include "tests/support/test.h"

#include <stdlib.h>

#define NEAR 1e-6

static bool holds(double bound, double value)
{
    return isfinite(bound) && fabs(value - bound) <= NEAR * fmax(1, fabs(bound));
}

/* The share of the objective of one row or column, from its dual and what it is held between. */
static double share(const char *what, int index, double dual, double value, double lower,
                    double upper)
{
    if (fabs(dual) <= NEAR)
        return 0;
    if (dual > 0 && !holds(lower, value))
        fail_msg("%s %d: a dual of %g, though its lower bound %g is not what holds %g", what, index,
                 dual, lower, value);
    if (dual < 0 && !holds(upper, value))
        fail_msg("%s %d: a dual of %g, though its upper bound %g is not what holds %g", what, index,
                 dual, upper, value);
    return dual * (dual > 0 ? lower : upper);
}

void check_certificate(milp_t *milp, const struct milp_result *result)
{
    const struct milp_problem *problem = milp_problem(milp);
    const double sign = problem->maximise ? -1 : 1;
    double *activity = xcalloc((size_t)problem->rows, sizeof(*activity));
    double sum = 0;

    assert_non_null(result->row_duals);
    assert_non_null(result->reduced_costs);
    for (int column = 0; column < problem->columns; column++) {
        double cost = problem->objective[column];

        for (int i = problem->start[column]; i < problem->start[column + 1]; i++) {
            cost -= problem->coefficient[i] * result->row_duals[problem->row[i]];
            activity[problem->row[i]] += problem->coefficient[i] * result->values[column];
        }
        if (fabs(cost - result->reduced_costs[column]) > NEAR * fmax(1, fabs(cost)))
            fail_msg("column %d: a reduced cost of %g and not %g", column,
                     result->reduced_costs[column], cost);
        sum += share("column", column, sign * result->reduced_costs[column], result->values[column],
                     problem->column_lower[column], problem->column_upper[column]);
    }
    for (int i = 0; i < problem->rows; i++)
        sum += share("row", i, sign * result->row_duals[i], activity[i], problem->row_lower[i],
                     problem->row_upper[i]);
    if (fabs(sign * sum - result->objective) > 10 * NEAR * fmax(1, fabs(sum)))
        fail_msg("the duals add up to %g, the point is worth %g", sign * sum, result->objective);
    free(activity);
}
