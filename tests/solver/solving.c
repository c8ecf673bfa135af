/* solving.c - see solving.h. */
#include "tests/solver/solving.h"

#include "tests/support/test.h"

const struct milp_solver *cbc(void)
{
    struct error error;
    const struct milp_solver *solver = milp_find_solver("cbc", &error);

    if (!solver)
        fail_msg("%s", error.text);
    return solver;
}

struct milp_result solve_with_cbc(milp_t *milp)
{
    const struct milp_limits limits = {.seconds = 0};
    struct milp_result result;

    milp_solve(cbc(), milp, &limits, &result);
    return result;
}

void check_answer(const struct milp_result *result, enum milp_answer answer)
{
    if (result->answer != answer)
        fail_msg("%s and not %s: %s", milp_answer_name(result->answer), milp_answer_name(answer),
                 result->error.text);
}

void check_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * fmax(1, fabs(expected))))
        fail_msg("%.17g and not %.17g", value, expected);
}
