/* milp_cbc_test.c - Cbc through milp.h: each answer means what it says. */
#include "common/memory.h"
#include "tests/solver/certificate.h"
#include "tests/solver/hard_models.h"
#include "tests/solver/solving.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

/* Maximise the worth of what fits into a bag of 10: 10 40 30 50 that weigh 5 4 6 3. */
static milp_t *bag(void)
{
    static const double worths[] = {10, 40, 30, 50};
    static const double weights[] = {5, 4, 6, 3};
    milp_t *milp = milp_new();
    const int row = milp_add_row(milp, -MILP_INFINITY, 10);

    milp_set_maximise(milp, true);
    for (size_t i = 0; i < COUNT(worths); i++)
        milp_add_term(milp, row, milp_add_column(milp, 0, 1, worths[i], true), weights[i]);
    return milp;
}

static void check_solved(milp_t *milp, double objective)
{
    const struct milp_result result = solve_with_cbc(milp);

    check_answer(&result, MILP_OPTIMAL);
    check_near(result.objective, objective);
    check_near(result.bound, objective);
    check_near(result.gap, 0);
    assert_string_equal(result.error.text, "");
}

static void check_unsolved(milp_t *milp, enum milp_answer answer)
{
    const struct milp_result result = solve_with_cbc(milp);

    check_answer(&result, answer);
    assert_null(result.values);
    assert_null(result.row_duals);
    assert_true(isnan(result.objective));
    assert_true(isinf(result.gap));
}

TEST(a_bag_is_packed)
{
    milp_t *milp = bag();
    const struct milp_result result = solve_with_cbc(milp);

    check_answer(&result, MILP_OPTIMAL);
    check_near(result.objective, 90);
    assert_memory_equal(result.values, ((double[]){0, 1, 0, 1}), 4 * sizeof(double));
    assert_null(result.row_duals);
    assert_null(result.reduced_costs);
    milp_destroy(&milp);
}

/* Cbc itself returns the old answer when an object is solved twice. */
TEST(a_model_that_was_changed_has_another_answer)
{
    milp_t *milp = bag();

    check_solved(milp, 90);
    milp_set_row(milp, 0, -MILP_INFINITY, 13);
    check_solved(milp, 120);
    milp_set_bounds(milp, 3, 0, 0);
    check_solved(milp, 70);
    milp_set_objective(milp, 0, 100);
    check_solved(milp, 140);
    milp_add_term(milp, 0, 0, 7);
    check_solved(milp, 100);
    milp_set_maximise(milp, false);
    check_solved(milp, 0);
    milp_set_row(milp, 0, 20, 23);
    check_solved(milp, 170);
    milp_set_row(milp, 0, 23, 30);
    check_unsolved(milp, MILP_INFEASIBLE);
    milp_set_bounds(milp, 3, 0, 1);
    check_solved(milp, 220);
    milp_destroy(&milp);
}

TEST(there_may_be_no_point)
{
    milp_t *milp = bag();

    milp_set_row(milp, 0, 1.5, 2.5); /* between whole numbers */
    check_unsolved(milp, MILP_INFEASIBLE);
    milp_set_bounds(milp, 0, 0, MILP_INFINITY);
    check_unsolved(milp, MILP_INFEASIBLE); /* nor with what could be unbounded */
    milp_destroy(&milp);

    milp = milp_new();
    (void)milp_add_column(milp, 0.2, 0.8, -1, true);
    check_unsolved(milp, MILP_INFEASIBLE);
    milp_destroy(&milp);
}

TEST(there_may_be_better_points_for_ever)
{
    milp_t *milp = bag();

    milp_set_row(milp, 0, 2, MILP_INFINITY);
    milp_set_bounds(milp, 1, 0, MILP_INFINITY);
    check_unsolved(milp, MILP_UNBOUNDED);
    milp_set_objective(milp, 1, 0);
    check_solved(milp, 90);
    milp_destroy(&milp);
}

TEST(linear_programs_may_have_no_point_or_no_best_one)
{
    milp_t *milp = milp_new();
    const int x = milp_add_column(milp, 0, MILP_INFINITY, -1, false);
    const int y = milp_add_column(milp, 0, MILP_INFINITY, 0, false);
    const int row = milp_add_row(milp, -MILP_INFINITY, 1);

    milp_add_term(milp, row, x, 1);
    milp_add_term(milp, row, y, -1);
    check_unsolved(milp, MILP_UNBOUNDED);
    milp_add_term(milp, milp_add_row(milp, -MILP_INFINITY, -1), y, 1);
    check_unsolved(milp, MILP_INFEASIBLE);
    milp_destroy(&milp);
}

/* Clp's presolve calls this one optimal at 0. */
TEST(a_column_of_its_own_may_grow_for_ever)
{
    static const double worths[] = {1, -1, -2, 5, 2, -9, 2};
    static const double lowers[] = {-MILP_INFINITY, 0, -MILP_INFINITY, -MILP_INFINITY, 0,
                                    -MILP_INFINITY, -2};
    static const double uppers[] = {MILP_INFINITY, 4, MILP_INFINITY, MILP_INFINITY, 9,
                                    MILP_INFINITY, 5};
    milp_t *milp = milp_new();

    milp_set_maximise(milp, true);
    for (size_t i = 0; i < COUNT(worths); i++)
        (void)milp_add_column(milp, lowers[i], uppers[i], worths[i], false);
    (void)milp_add_row(milp, 7, 8);
    (void)milp_add_row(milp, -MILP_INFINITY, 3);
    (void)milp_add_row(milp, -5, -2);
    milp_add_term(milp, 1, 1, -3);
    milp_add_term(milp, 2, 1, 1);
    milp_add_term(milp, 1, 2, 5);
    milp_add_term(milp, 1, 3, -2);
    milp_add_term(milp, 0, 4, 2);
    milp_add_term(milp, 1, 4, -1);
    milp_add_term(milp, 1, 5, 5);
    milp_add_term(milp, 2, 5, 5);
    milp_add_term(milp, 2, 6, 2);
    check_unsolved(milp, MILP_UNBOUNDED);
    milp_destroy(&milp);
}

TEST(models_of_next_to_nothing_are_solved)
{
    milp_t *milp = milp_new();

    check_solved(milp, 0);
    (void)milp_add_row(milp, -1, 1);
    check_solved(milp, 0);
    (void)milp_add_row(milp, 1, 2);
    check_unsolved(milp, MILP_INFEASIBLE);
    milp_clear(milp);
    (void)milp_add_column(milp, -3, 5, -2, true);
    check_solved(milp, -10);
    milp_set_bounds(milp, 0, -3, 4.5);
    check_solved(milp, -8);
    milp_set_bounds(milp, 0, -3, MILP_INFINITY);
    check_unsolved(milp, MILP_UNBOUNDED);
    milp_clear(milp);
    (void)milp_add_column(milp, -MILP_INFINITY, 5, -2, false);
    check_solved(milp, -10);
    milp_destroy(&milp);
}

TEST(a_linear_program_has_duals)
{
    milp_t *milp = milp_new();
    const int x = milp_add_column(milp, 0, MILP_INFINITY, 3, false);
    const int y = milp_add_column(milp, 0, MILP_INFINITY, 5, false);
    const int z = milp_add_column(milp, 1, 2, -1, false);
    struct milp_result result;

    (void)milp_add_row(milp, -MILP_INFINITY, 4);
    (void)milp_add_row(milp, -MILP_INFINITY, 12);
    (void)milp_add_row(milp, -MILP_INFINITY, 18);
    milp_add_term(milp, 0, x, 1);
    milp_add_term(milp, 1, y, 2);
    milp_add_term(milp, 2, x, 3);
    milp_add_term(milp, 2, y, 2);
    milp_set_maximise(milp, true);
    result = solve_with_cbc(milp);
    check_answer(&result, MILP_OPTIMAL);
    check_near(result.objective, 35);
    check_near(result.values[x], 2);
    check_near(result.values[y], 6);
    check_near(result.row_duals[0], 0);
    check_near(result.row_duals[1], 1.5);
    check_near(result.row_duals[2], 1);
    check_near(result.reduced_costs[z], -1);
    check_certificate(milp, &result);

    /* The same as a minimisation: every sign is the other one. */
    milp_set_maximise(milp, false);
    milp_set_objective(milp, x, -3);
    milp_set_objective(milp, y, -5);
    milp_set_objective(milp, z, 1);
    result = solve_with_cbc(milp);
    check_near(result.objective, -35);
    check_near(result.row_duals[1], -1.5);
    check_near(result.reduced_costs[z], 1);
    check_certificate(milp, &result);
    milp_destroy(&milp);
}

TEST(small_differences_count)
{
    milp_t *milp = milp_new();
    const int pick = milp_add_row(milp, 1, 3);
    const int weigh = milp_add_row(milp, -MILP_INFINITY, 100);

    milp_set_maximise(milp, true);
    for (int i = 0; i < 12; i++) {
        const int column = milp_add_column(milp, 0, 1, 1 + i * 5 % 12 * 2e-6, true);

        milp_add_term(milp, pick, column, 1);
        milp_add_term(milp, weigh, column, 17 + i * 7 % 12 * 3.3);
    }
    check_solved(milp, 3 + 30 * 2e-6);
    milp_destroy(&milp);
}

/* With its preprocessing Cbc 2.10.8 calls 2 the optimum. */
TEST(nothing_better_is_overlooked)
{
    milp_t *milp = milp_new();

    milp_set_maximise(milp, true);
    for (int i = 0; i < 4; i++)
        (void)milp_add_column(milp, 0, 1, (double[]){-6, -3, 2, 3}[i], true);
    (void)milp_add_row(milp, -MILP_INFINITY, 4);
    (void)milp_add_row(milp, -MILP_INFINITY, 3);
    (void)milp_add_row(milp, -MILP_INFINITY, 8);
    (void)milp_add_row(milp, 5, 6);
    milp_add_term(milp, 0, 0, 2);
    milp_add_term(milp, 0, 1, -1);
    milp_add_term(milp, 0, 2, 2);
    milp_add_term(milp, 1, 1, -3);
    milp_add_term(milp, 3, 1, -3);
    milp_add_term(milp, 3, 2, 4);
    milp_add_term(milp, 3, 3, 5);
    check_solved(milp, 3);
    milp_destroy(&milp);
}

/* What is found without a proof is a point, and called no more than that. */
TEST(shortcuts_promise_nothing)
{
    const struct milp_limits limits = {.unproven = true};
    milp_t *milp = bag();
    struct milp_result result;

    milp_solve(cbc(), milp, &limits, &result);
    check_answer(&result, MILP_FEASIBLE);
    check_near(result.objective, 90);
    assert_true(isinf(result.bound));
    milp_set_row(milp, 0, 1.5, 2.5);
    milp_solve(cbc(), milp, &limits, &result);
    check_answer(&result, MILP_NO_SOLUTION);
    milp_destroy(&milp);
}

/* With its probing it calls 0 the optimum. */
TEST(nor_among_whole_numbers)
{
    milp_t *milp = milp_new();
    const int x = milp_add_column(milp, -3, 2, -4, true);
    const int y = milp_add_column(milp, -2, 4, -9, true);

    (void)milp_add_row(milp, -MILP_INFINITY, MILP_INFINITY);
    (void)milp_add_row(milp, -MILP_INFINITY, 1);
    milp_add_term(milp, 0, x, 2);
    milp_add_term(milp, 0, y, -2);
    milp_add_term(milp, 1, x, 2);
    milp_add_term(milp, 1, y, 5);
    check_solved(milp, -1);
    milp_destroy(&milp);
}

/* Cbc aborts on this model: two columns, two rows. */
TEST(tiny_models_do_no_harm)
{
    milp_t *milp = milp_new();
    const int x = milp_add_column(milp, 0, 1, -7, true);
    const int y = milp_add_column(milp, 0, 3, -3, false);

    milp_set_maximise(milp, true);
    (void)milp_add_row(milp, -MILP_INFINITY, 9);
    (void)milp_add_row(milp, 1, 1);
    milp_add_term(milp, 0, y, 5);
    milp_add_term(milp, 1, x, -2);
    milp_add_term(milp, 1, y, 3);
    check_solved(milp, -1);
    milp_destroy(&milp);
}

/* Three weights that add up to 1 interpolate between 0, 1 and 8 at 0, 1 and 2; only neighbours
 * may. */
TEST(sets_hold_without_whole_numbers)
{
    static const double worths[] = {0, 1, 8};
    const int columns[] = {0, 1, 2};
    milp_t *milp = milp_new();

    milp_set_maximise(milp, true);
    (void)milp_add_row(milp, 1, 1);
    (void)milp_add_row(milp, -MILP_INFINITY, 1);
    for (int i = 0; i < 3; i++) {
        (void)milp_add_column(milp, 0, 1, worths[i], false);
        milp_add_term(milp, 0, i, 1);
        milp_add_term(milp, 1, i, i);
    }
    check_solved(milp, 4); /* half of 0 and half of 8 */
    milp_add_sos(milp, 2, columns, 3);
    check_solved(milp, 1);
    milp_add_sos(milp, 1, columns, 3);
    milp_set_row(milp, 1, -MILP_INFINITY, 1.9);
    check_solved(milp, 1);
    milp_set_row(milp, 1, -MILP_INFINITY, 2);
    check_solved(milp, 8);
    milp_destroy(&milp);
}

static double *solve_dup(milp_t *milp, const struct milp_limits *limits)
{
    const size_t bytes = (size_t)milp_columns(milp) * sizeof(double);
    struct milp_result result;
    double *values = xmalloc(bytes);

    milp_solve(cbc(), milp, limits, &result);
    check_answer(&result, MILP_OPTIMAL);
    memcpy(values, result.values, bytes);
    return values;
}

TEST(equal_models_have_equal_points)
{
    const struct milp_limits limits = {.seed = 7};
    milp_t *milp = milp_new();
    double *first;
    double *again;

    build_tight_slots(milp, 12, 5, true);
    first = solve_dup(milp, &limits);
    for (int i = 0; i < 3; i++) {
        build_tight_slots(milp, 12, 5, true);
        again = solve_dup(milp, &limits);
        assert_memory_equal(again, first, (size_t)milp_columns(milp) * sizeof(double));
        free(again);
    }
    free(first);
    milp_destroy(&milp);
}

TEST(every_seed_finds_the_same_optimum)
{
    milp_t *milp = milp_new();
    struct milp_result result;
    double objective;

    build_tight_slots(milp, 12, 6, true);
    objective = solve_with_cbc(milp).objective;
    for (int seed = 1; seed < 5; seed++) {
        const struct milp_limits limits = {.seed = seed};

        milp_solve(cbc(), milp, &limits, &result);
        check_answer(&result, MILP_OPTIMAL);
        check_near(result.objective, objective);
    }
    milp_destroy(&milp);
}

TEST(a_start_is_not_lost)
{
    const struct milp_limits limits = {.nodes = 1};
    milp_t *milp = milp_new();
    struct milp_result result;
    double *known;
    double objective;

    build_market_split(milp, 3, 24, 3);
    result = solve_with_cbc(milp);
    check_answer(&result, MILP_OPTIMAL);
    objective = result.objective;
    known = xmalloc((size_t)milp_columns(milp) * sizeof(*known));
    memcpy(known, result.values, (size_t)milp_columns(milp) * sizeof(*known));

    milp_solve(cbc(), milp, &limits, &result);
    assert_true(result.answer == MILP_NO_SOLUTION || result.objective > objective);
    for (int i = 0; i < milp_columns(milp); i++)
        milp_set_start(milp, i, known[i]);
    milp_solve(cbc(), milp, &limits, &result);
    assert_non_null(result.values);
    check_near(result.objective, objective);
    free(known);
    milp_destroy(&milp);
}

TEST(a_start_that_is_no_point_does_no_harm)
{
    milp_t *milp = bag();

    for (int i = 0; i < 4; i++)
        milp_set_start(milp, i, 1);
    check_solved(milp, 90);
    milp_clear_start(milp);
    milp_set_start(milp, 2, 1); /* a part of one */
    check_solved(milp, 90);
    milp_destroy(&milp);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
