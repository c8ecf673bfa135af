/* policy_solver_test.c - a policy that solves in each round gets a point that depends on the model
 * alone, or a sentence. */
#include "scheduler/policies/policy_solver.h"

#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

/* Two columns that are equally good, of which one row has room for `room`. */
static milp_t *equal_columns(policy_solver_t *solver, double room)
{
    milp_t *model = policy_solver_begin(solver);
    const int row = milp_add_row(model, 0, room);

    milp_set_maximise(model, true);
    for (int i = 0; i < 2; i++)
        milp_add_term(model, row, milp_add_column(model, 0, 1, 1, false), 1);
    return model;
}

static void solve(policy_solver_t *solver, struct milp_result *result)
{
    struct error error;

    if (policy_solver_solve(solver, result, &error) < 0)
        fail_msg("%s", error.text);
}

TEST(a_point_does_not_depend_on_what_was_solved_before)
{
    policy_solver_t *solver = policy_solver_new(NULL);
    struct milp_result result;
    double first[2];

    (void)equal_columns(solver, 1);
    solve(solver, &result);
    assert_float_equal(result.objective, 1, 1e-9);
    assert_non_null(result.row_duals);
    first[0] = result.values[0];
    first[1] = result.values[1];
    for (int i = 0; i < 5; i++) {
        milp_t *other = equal_columns(solver, 1.5);

        milp_set_objective(other, i % 2, 3);
        solve(solver, &result);
        (void)equal_columns(solver, 1);
        solve(solver, &result);
        assert_float_equal(result.values[0], first[0], 0);
        assert_float_equal(result.values[1], first[1], 0);
    }
    policy_solver_destroy(&solver);
    assert_null(solver);
}

TEST(a_model_without_an_optimum_is_a_sentence)
{
    policy_solver_t *solver = policy_solver_new(NULL);
    struct milp_result result;
    struct error error;
    milp_t *model = policy_solver_begin(solver);

    (void)milp_add_column(model, 0, MILP_INFINITY, 1, false);
    milp_set_maximise(model, true);
    assert_int_equal(policy_solver_solve(solver, &result, &error), -1);
    assert_non_null(strstr(error.text, "the solver cbc finds no optimum: unbounded"));
    (void)equal_columns(solver, 1);
    solve(solver, &result);
    policy_solver_destroy(&solver);
}

TEST(a_solver_that_is_not_there_is_a_sentence)
{
    policy_solver_t *solver = policy_solver_new(NULL);
    struct milp_result result;
    struct error error;

    assert_int_equal(setenv("RUBATO_SOLVERS", "/nowhere", 1), 0);
    (void)equal_columns(solver, 1);
    assert_int_equal(policy_solver_solve(solver, &result, &error), -1);
    assert_non_null(strstr(error.text, "cbc"));
    assert_int_equal(unsetenv("RUBATO_SOLVERS"), 0);
    policy_solver_destroy(&solver);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
