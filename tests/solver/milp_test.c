/* milp_test.c - a model reaches a back end as it was stated, a model that makes no sense reaches
 * none, and of an answer only what holds is passed on. */
#include "scheduler/solver/milp.h"

#include "scheduler/solver/milp_solver.h"
#include "tests/solver/solving.h"
#include "tests/support/test.h"

#include <string.h>

/* A back end that says what a test tells it to. */
static struct milp_reply told;
static double told_values[8];
static double told_duals[8];

static void say_what_is_told(const struct milp_problem *problem, const struct milp_limits *limits,
                             struct milp_reply *reply)
{
    (void)limits;
    memcpy(reply->values, told_values, (size_t)problem->columns * sizeof(double));
    memcpy(reply->row_duals, told_duals, (size_t)problem->rows * sizeof(double));
    memset(reply->reduced_costs, 0, (size_t)problem->columns * sizeof(double));
    reply->answer = told.answer;
    reply->bound = told.bound;
    reply->has_duals = told.has_duals;
}

static const struct milp_solver parrot = {.name = "parrot", .solve = say_what_is_told};

static void tell(enum milp_answer answer, double bound, double first, double second)
{
    told = (struct milp_reply){.answer = answer, .bound = bound};
    told_values[0] = first;
    told_values[1] = second;
}

/* Minimise 2 x + y, x whole in [0, 4], y in [-1, 3], x + y >= 2. */
static milp_t *small_model(void)
{
    milp_t *milp = milp_new();
    const int x = milp_add_column(milp, 0, 4, 2, true);
    const int y = milp_add_column(milp, -1, 3, 1, false);
    const int row = milp_add_row(milp, 2, MILP_INFINITY);

    milp_add_term(milp, row, x, 1);
    milp_add_term(milp, row, y, 1);
    return milp;
}

static struct milp_result ask_parrot(milp_t *milp, double gap_absolute, double gap_relative)
{
    const struct milp_limits limits = {.gap_absolute = gap_absolute, .gap_relative = gap_relative};
    struct milp_result result;

    milp_solve(&parrot, milp, &limits, &result);
    return result;
}

TEST(terms_reach_a_back_end_by_column_and_row)
{
    milp_t *milp = milp_new();
    const struct milp_problem *problem;

    for (int i = 0; i < 3; i++) {
        assert_int_equal(milp_add_column(milp, 0, 1, i, false), i);
        assert_int_equal(milp_add_row(milp, 0, i), i);
    }
    milp_add_term(milp, 2, 0, 5);
    milp_add_term(milp, 1, 2, 7);
    milp_add_term(milp, 0, 0, 1);
    milp_add_term(milp, 2, 0, -2); /* adds up to 3 */
    milp_add_term(milp, 1, 2, -7); /* to 0: no term */
    milp_add_term(milp, 1, 1, 0.5);
    problem = milp_problem(milp);
    assert_int_equal(problem->columns, 3);
    assert_int_equal(problem->rows, 3);
    assert_memory_equal(problem->start, ((int[]){0, 2, 3, 3}), 4 * sizeof(int));
    assert_memory_equal(problem->row, ((int[]){0, 2, 1}), 3 * sizeof(int));
    assert_memory_equal(problem->coefficient, ((double[]){1, 3, 0.5}), 3 * sizeof(double));
    assert_memory_equal(problem->objective, ((double[]){0, 1, 2}), 3 * sizeof(double));
    milp_destroy(&milp);
    assert_null(milp);
    milp_destroy(&milp);
}

TEST(changes_reach_it_too)
{
    milp_t *milp = small_model();
    const struct milp_problem *problem = milp_problem(milp);

    assert_int_equal(problem->starts, 0);
    milp_set_bounds(milp, 1, 0, 9);
    milp_set_objective(milp, 0, -4);
    milp_set_row(milp, 0, 1, 2);
    milp_set_maximise(milp, true);
    milp_set_start(milp, 1, 3);
    problem = milp_problem(milp);
    assert_true(problem->maximise);
    check_near(problem->column_upper[1], 9);
    check_near(problem->objective[0], -4);
    check_near(problem->row_upper[0], 2);
    assert_int_equal(problem->starts, 1);
    assert_int_equal(problem->start_column[0], 1);
    check_near(problem->start_value[0], 3);
    milp_clear_start(milp);
    assert_int_equal(milp_problem(milp)->starts, 0);
    milp_destroy(&milp);
}

TEST(a_cleared_model_is_empty)
{
    const int columns[] = {0, 1};
    milp_t *milp = small_model();

    milp_set_maximise(milp, true);
    milp_add_sos(milp, 1, columns, 2);
    milp_clear(milp);
    assert_int_equal(milp_columns(milp), 0);
    assert_int_equal(milp_rows(milp), 0);
    assert_int_equal(milp_problem(milp)->sets, 0);
    assert_int_equal(milp_problem(milp)->start[0], 0);
    assert_false(milp_problem(milp)->maximise);
    milp_destroy(&milp);
}

/* As a policy does it in every round. */
static void build_round(milp_t *milp, int columns)
{
    milp_clear(milp);
    for (int i = 0; i < columns / 10; i++)
        (void)milp_add_row(milp, 0, 1);
    for (int i = 0; i < columns; i++) {
        (void)milp_add_column(milp, 0, 1, i, true);
        milp_add_term(milp, i / 10, i, 1);
    }
}

TEST(memory_is_used_again_in_the_next_round)
{
    milp_t *milp = milp_new();
    struct milp_problem first;
    struct milp_result result;
    const double *values;

    build_round(milp, 5000);
    first = *milp_problem(milp);
    for (int round = 0; round < 10; round++) {
        build_round(milp, round % 2 ? 5000 : 4000);
        build_round(milp, 5000);
        assert_ptr_equal(milp_problem(milp)->objective, first.objective);
        assert_ptr_equal(milp_problem(milp)->column_lower, first.column_lower);
        assert_ptr_equal(milp_problem(milp)->row, first.row);
        assert_ptr_equal(milp_problem(milp)->coefficient, first.coefficient);
    }
    milp_destroy(&milp);

    milp = small_model();
    tell(MILP_OPTIMAL, 2, 0, 2);
    result = ask_parrot(milp, 0, 0);
    values = result.values;
    assert_non_null(values);
    for (int i = 0; i < 10; i++)
        assert_ptr_equal(ask_parrot(milp, 0, 0).values, values);
    milp_destroy(&milp);
}

static void check_refused(milp_t *milp, const char *sentence)
{
    const struct milp_result result = ask_parrot(milp, 0, 0);

    assert_int_equal(result.answer, MILP_FAILED);
    assert_string_equal(result.error.text, sentence);
    assert_null(result.values);
    milp_destroy(&milp);
}

TEST(numbers_out_of_range_are_refused)
{
    milp_t *milp;

    tell(MILP_OPTIMAL, 2, 0, 2);
    milp = small_model();
    milp_set_bounds(milp, 1, NAN, 1);
    check_refused(milp, "column 1: a lower bound of nan is out of range");
    milp = small_model();
    milp_set_bounds(milp, 0, 0, 2e15);
    check_refused(milp, "column 0: an upper bound of 2e+15 is out of range");
    milp = small_model();
    milp_set_bounds(milp, 0, MILP_INFINITY, MILP_INFINITY);
    check_refused(milp, "column 0: a lower bound of inf is out of range");
    milp = small_model();
    milp_set_bounds(milp, 0, 3, 2);
    check_refused(milp, "column 0: its lower bound 3 is above its upper bound 2");
    milp = small_model();
    milp_set_row(milp, 0, 1, -MILP_INFINITY);
    check_refused(milp, "row 0: an upper bound of -inf is out of range");
    milp = small_model();
    milp_set_row(milp, 0, 1, 0.5);
    check_refused(milp, "row 0: its lower bound 1 is above its upper bound 0.5");
    milp = small_model();
    milp_set_objective(milp, 1, -MILP_INFINITY);
    check_refused(milp, "column 1: an objective of -inf is out of range");
    milp = small_model();
    milp_add_term(milp, 0, 1, NAN);
    check_refused(milp, "row 0, column 1: a coefficient of nan is out of range");
    milp = small_model();
    milp_add_term(milp, 0, 1, 1e300);
    check_refused(milp, "row 0, column 1: a coefficient of 1e+300 is out of range");
    milp = small_model();
    milp_set_start(milp, 0, 5);
    check_refused(milp, "column 0: a start of 5 is not within its bounds");
    milp = small_model();
    milp_set_start(milp, 0, NAN);
    check_refused(milp, "column 0: a start of nan is not within its bounds");
}

TEST(sets_that_make_no_sense_are_refused)
{
    const int columns[] = {0, 1, 0};
    milp_t *milp = small_model();

    milp_add_sos(milp, 2, columns, 0);
    check_refused(milp, "set 0: there is nothing in it");
    milp = small_model();
    milp_add_sos(milp, 1, columns, 2);
    milp_add_sos(milp, 2, columns, 3);
    check_refused(milp, "set 1: column 0 is in it twice");
    milp = small_model();
    milp_set_bounds(milp, 1, 0, MILP_INFINITY);
    milp_add_sos(milp, 1, columns, 2);
    check_refused(milp, "parrot: column 1 of set 0 needs finite bounds");
}

static void check_told(double gap_absolute, double gap_relative, const char *sentence)
{
    milp_t *milp = small_model();
    const struct milp_result result = ask_parrot(milp, gap_absolute, gap_relative);

    assert_string_equal(result.error.text, sentence);
    assert_int_equal(result.answer, sentence[0] ? MILP_FAILED : told.answer);
    assert_int_equal(result.values == NULL, sentence[0] != '\0');
    milp_destroy(&milp);
}

TEST(a_point_that_is_none_is_not_passed_on)
{
    tell(MILP_OPTIMAL, 2, 0, 2);
    check_told(0, 0, "");
    tell(MILP_OPTIMAL, 2, 0.5, 2);
    check_told(0, 0, "parrot: its value of column 0 is 0.5, which is not whole");
    tell(MILP_FEASIBLE, 0, 5, 2);
    check_told(0, 0, "parrot: its value of column 0 is 5, outside of [0, 4]");
    tell(MILP_FEASIBLE, 0, 0, NAN);
    check_told(0, 0, "parrot: its value of column 1 is nan");
    tell(MILP_FEASIBLE, 0, 1, 0.9);
    check_told(0, 0, "parrot: row 0 of its point adds up to 1.9, outside of [2, inf]");
}

TEST(a_point_that_breaks_a_set_is_not_passed_on)
{
    const int columns[] = {0, 1};
    milp_t *milp = small_model();
    struct milp_result result;

    milp_add_sos(milp, 1, columns, 2);
    tell(MILP_FEASIBLE, 0, 2, 0.5);
    result = ask_parrot(milp, 0, 0);
    assert_int_equal(result.answer, MILP_FAILED);
    assert_string_equal(result.error.text, "parrot: its values of columns 0 and 1 break set 0");
    milp_destroy(&milp);
}

TEST(what_is_within_the_tolerance_is_put_right)
{
    milp_t *milp = small_model();
    struct milp_result result;

    milp_set_bounds(milp, 1, 2, 3);
    tell(MILP_OPTIMAL, 2, -2e-7, 2 - 9e-7);
    result = ask_parrot(milp, 0, 0);
    assert_int_equal(result.answer, MILP_OPTIMAL);
    check_near(result.values[0], 0);
    assert_false(signbit(result.values[0]));
    check_near(result.values[1], 2);
    check_near(result.objective, 2);
    check_near(result.bound, 2);
    check_near(result.gap, 0);
    milp_destroy(&milp);
}

TEST(a_bound_goes_together_with_its_point)
{
    tell(MILP_OPTIMAL, 2.5, 0, 2);
    check_told(0, 0, "parrot: its point is worth 2, better than its bound 2.5");
    tell(MILP_FEASIBLE, NAN, 0, 2);
    check_told(0, 0, "parrot: its point is worth 2, better than its bound nan");
    tell(MILP_OPTIMAL, 1.9, 0, 2);
    check_told(0, 0, "parrot: its point is worth 2, which its bound 1.9 does not make optimal");
    check_told(0.2, 0, "");
    check_told(0, 0.1, "");
    check_told(0.05, 0.01,
               "parrot: its point is worth 2, which its bound 1.9 does not make optimal");
    tell(MILP_FEASIBLE, 1.9, 0, 2);
    check_told(0, 0, "");
}

TEST(a_feasible_answer_says_how_good_it_is)
{
    milp_t *milp = small_model();
    struct milp_result result;

    tell(MILP_FEASIBLE, 1.5, 1, 2);
    result = ask_parrot(milp, 0, 0);
    check_near(result.objective, 4);
    check_near(result.bound, 1.5);
    check_near(result.gap, 2.5);
    tell(MILP_FEASIBLE, -MILP_INFINITY, 1, 2);
    result = ask_parrot(milp, 0, 0);
    assert_int_equal(result.answer, MILP_FEASIBLE);
    assert_true(isinf(result.gap));
    milp_destroy(&milp);
}

TEST(giving_up_takes_a_limit)
{
    const struct milp_limits limits = {.nodes = 5};
    milp_t *milp = small_model();
    struct milp_result result;

    tell(MILP_NO_SOLUTION, 0, 0, 0);
    result = ask_parrot(milp, 0, 0);
    assert_int_equal(result.answer, MILP_FAILED);
    assert_string_equal(result.error.text, "parrot: it gave up, though there is no limit");
    milp_solve(&parrot, milp, &limits, &result);
    assert_int_equal(result.answer, MILP_NO_SOLUTION);
    assert_null(result.values);
    milp_destroy(&milp);
}

static void check_unproven(enum milp_answer told_answer, double bound, enum milp_answer answer)
{
    const struct milp_limits limits = {.unproven = true};
    milp_t *milp = small_model();
    struct milp_result result;

    tell(told_answer, bound, 0, 2);
    told.has_duals = true;
    milp_solve(&parrot, milp, &limits, &result);
    check_answer(&result, answer);
    assert_string_equal(result.error.text, "");
    assert_int_equal(result.values != NULL, answer == MILP_FEASIBLE);
    assert_null(result.row_duals);
    assert_true(isinf(result.bound) && isinf(result.gap));
    milp_destroy(&milp);
}

TEST(without_proof_only_the_point_counts)
{
    check_unproven(MILP_OPTIMAL, 2, MILP_FEASIBLE);
    check_unproven(MILP_OPTIMAL, 2.5, MILP_FEASIBLE); /* a proof that it did not give */
    check_unproven(MILP_FEASIBLE, 1, MILP_FEASIBLE);
    check_unproven(MILP_INFEASIBLE, 0, MILP_NO_SOLUTION);
    check_unproven(MILP_UNBOUNDED, 0, MILP_NO_SOLUTION);
    check_unproven(MILP_NO_SOLUTION, 0, MILP_NO_SOLUTION);
}

TEST(duals_are_numbers)
{
    tell(MILP_OPTIMAL, 2, 0, 2);
    told.has_duals = true;
    told_duals[0] = NAN;
    check_told(0, 0, "parrot: its dual of row 0 is nan");
    told_duals[0] = 1;
    check_told(0, 0, "");
}

TEST(answers_have_names)
{
    static const char *const names[MILP_ANSWERS] = {
        "optimal", "feasible", "infeasible", "unbounded", "no-solution", "failed",
    };

    for (int i = 0; i < MILP_ANSWERS; i++)
        assert_string_equal(milp_answer_name((enum milp_answer)i), names[i]);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
