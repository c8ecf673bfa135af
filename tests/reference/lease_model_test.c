/* lease_model_test.c - the integer program of a lease round, column by column and row by row. */
#include "common/rng.h"
#include "scheduler/reference/lease_model.h"
#include "scheduler/solver/milp_solver.h"
#include "tests/reference/lease_problem.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <math.h>

static struct lease_problem *problem;
static struct lease_model model;
static milp_t *milp;

FIXTURE(set_up)
{
    problem = lease_problem_new();
    milp = milp_new();
    return 0;
}

FIXTURE(tear_down)
{
    lease_model_free(&model);
    lease_problem_destroy(&problem);
    milp_destroy(&milp);
    return 0;
}

static void build(enum lease_detail detail)
{
    lease_model_free(&model);
    lease_model_build(&model, problem, detail, milp);
    assert_int_equal(lease_model_columns(problem, detail), milp_columns(milp));
}

static void check_periods(const struct lease_period *periods, size_t count)
{
    assert_int_equal(model.period_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(model.periods[i].from, periods[i].from);
        assert_int_equal(model.periods[i].to, periods[i].to);
    }
}

/* The coefficient of `column` in `row`. */
static double term(int row, int column)
{
    const struct milp_problem *built = milp_problem(milp);

    for (int i = built->start[column]; i < built->start[column + 1]; i++)
        if (built->row[i] == row)
            return built->coefficient[i];
    return 0;
}

static void check_terms(int row, double lower, double upper, const double terms[])
{
    const struct milp_problem *built = milp_problem(milp);

    assert_true(built->row_lower[row] == lower);
    assert_true(built->row_upper[row] == upper);
    for (int column = 0; column < built->columns; column++)
        assert_true(term(row, column) == terms[column]);
}

static void check_upper(const double upper[])
{
    const struct milp_problem *built = milp_problem(milp);

    for (int column = 0; column < built->columns; column++) {
        assert_true(built->column_lower[column] == 0);
        assert_true(built->column_upper[column] == upper[column]);
        assert_true(built->integer[column]);
    }
}

#define ON_MODEL(name) TEST_WITH(name, set_up, tear_down)

ON_MODEL(in_full_each_slot_is_a_period)
{
    lease_problem_add(problem, 3, 2, 2);
    lease_problem_add(problem, 1, 1, 4);
    build(LEASE_MODEL_FULL);
    check_periods((const struct lease_period[]){{1, 2}, {2, 3}}, 2);
    assert_int_equal(milp_columns(milp), 4);
    assert_int_equal(milp_rows(milp), 5);
    check_upper((const double[]){1, 1, 1, 1});
    check_terms(0, 2, 2, (const double[]){1, 1, 1, 0});
    check_terms(1, 1, 1, (const double[]){0, 0, 0, 1});
    check_terms(2, -MILP_INFINITY, 4, (const double[]){2, 0, 0, 4});
    check_terms(3, -MILP_INFINITY, 4, (const double[]){0, 2, 0, 0});
    check_terms(4, -MILP_INFINITY, 4, (const double[]){0, 0, 2, 0});
}

ON_MODEL(compacted_a_period_lasts_from_deadline_to_deadline)
{
    lease_problem_add(problem, 6, 4, 1);
    lease_problem_add(problem, 3, 2, 2);
    lease_problem_add(problem, 1, 1, 4);
    lease_problem_add(problem, 3, 1, 1);
    build(LEASE_MODEL_COMPACTED);
    check_periods((const struct lease_period[]){{1, 3}, {3, 6}}, 2);
    assert_int_equal(milp_columns(milp), 3 + 2 + 1 + 2);
    assert_int_equal(milp_rows(milp), 4 + 1 + 2);
    check_upper((const double[]){1, 2, 3, 1, 2, 1, 1, 2});
    check_terms(0, 4, 4, (const double[]){1, 1, 1, 0, 0, 0, 0, 0});
    check_terms(4, -MILP_INFINITY, 4, (const double[]){1, 0, 0, 2, 0, 4, 1, 0});
    check_terms(5, -MILP_INFINITY, 8, (const double[]){0, 1, 0, 0, 2, 0, 0, 1});
    check_terms(6, -MILP_INFINITY, 12, (const double[]){0, 0, 1, 0, 0, 0, 0, 0});
}

/* Of 4 GPUs, as many are wanted in blocks of 2, and the smallest job takes one of these; it leaves
 * a block of 3 to the largest, which the other one does not. */
ON_MODEL(tightened_it_knows_who_takes_blocks_from_others)
{
    lease_problem_add(problem, 3, 1, 3);
    lease_problem_add(problem, 3, 1, 2);
    lease_problem_add(problem, 3, 1, 1);
    build(LEASE_MODEL_TIGHTENED);
    check_periods((const struct lease_period[]){{1, 3}}, 1);
    assert_int_equal(milp_rows(milp), 3 + 1 + 1 + 2);
    check_terms(5, -MILP_INFINITY, 4, (const double[]){0, 1, 0, 1, 0, 1});
    check_terms(6, -MILP_INFINITY, 2, (const double[]){0, 1, 0, 1, 0, 0});
}

/* Two jobs of 3 GPUs do not fit into a slot of 5, but into one of 6. */
ON_MODEL(tightened_it_knows_what_blocks_leave_over)
{
    problem->gpu_count = 5;
    lease_problem_add(problem, 3, 1, 3);
    lease_problem_add(problem, 3, 1, 3);
    build(LEASE_MODEL_TIGHTENED);
    assert_int_equal(milp_rows(milp), 2 + 1 + 1 + 1);
    check_terms(4, -MILP_INFINITY, 2, (const double[]){0, 1, 0, 1});
    problem->gpu_count = 6;
    build(LEASE_MODEL_TIGHTENED);
    assert_int_equal(milp_rows(milp), 2 + 1 + 1);
}

/* A job of 4 GPUs takes two blocks of 2 from the small one, or the only one of 4. */
ON_MODEL(tightened_a_small_job_takes_a_block_of_each_larger_size)
{
    lease_problem_add(problem, 3, 2, 1);
    lease_problem_add(problem, 3, 1, 4);
    lease_problem_add(problem, 3, 1, 2);
    build(LEASE_MODEL_TIGHTENED);
    check_periods((const struct lease_period[]){{1, 3}}, 1);
    assert_int_equal(milp_rows(milp), 3 + 1 + 1 + 3);
    check_terms(5, -MILP_INFINITY, 4, (const double[]){0, 1, 0, 2, 0, 1});
    check_terms(6, -MILP_INFINITY, 2, (const double[]){0, 1, 0, 1, 0, 0});
    check_terms(7, -MILP_INFINITY, 2, (const double[]){0, 0, 0, 1, 0, 1});
}

/* The first level is lost: nothing can run before it. */
ON_MODEL(a_job_of_several_levels_is_served_at_one)
{
    (void)lease_problem_add_job(problem, 2);
    lease_problem_add_level(problem, -1, 2, 2, 10);
    lease_problem_add_level(problem, 2, 2, 2, 4);
    lease_problem_add(problem, 2, 1, 1);
    build(LEASE_MODEL_FULL);
    assert_int_equal(milp_columns(milp), 2 + 3 + 2);
    check_upper((const double[]){0, 1, 1, 1, 1, 1, 1});
    check_terms(0, 0, 0, (const double[]){1, -2, 0, 0, 0, 0, 0});
    check_terms(1, 0, 0, (const double[]){0, 0, 1, 1, -2, 0, 0});
    check_terms(2, 1, 1, (const double[]){0, 0, 0, 0, 0, 1, 1});
    check_terms(5, 1, 1, (const double[]){0, 1, 0, 0, 1, 0, 0});
    assert_int_equal(model.served[2], -1);
}

/* All jobs take blocks from larger ones, in 300 periods: that would be millions of terms. */
ON_MODEL(not_all_of_many_blocks_are_said)
{
    const struct milp_problem *built;

    problem->gpu_count = 64;
    for (int64_t i = 0; i < 300; i++)
        lease_problem_add(problem, 10 + i, 5, 1 << i % 6);
    build(LEASE_MODEL_TIGHTENED);
    built = milp_problem(milp);
    assert_true(built->rows > 2 * 300);
    assert_true(built->start[built->columns] < 4000000);
}

static void check_objective(bool maximise, const double objective[])
{
    const struct milp_problem *built = milp_problem(milp);

    assert_int_equal(built->maximise, maximise);
    for (int column = 0; column < built->columns; column++)
        assert_true(built->objective[column] == objective[column]);
}

/* A tenth of value outweighs all 4 GPUs. */
ON_MODEL(value_comes_before_gpus)
{
    (void)lease_problem_add_job(problem, 2);
    lease_problem_add_level(problem, 1, 1, 2, 10);
    lease_problem_add_level(problem, 2, 1, 2, 4);
    lease_problem_add(problem, 2, 1, 3);
    build(LEASE_MODEL_FULL);
    lease_model_aim_at_use(&model);
    check_objective(true, (const double[]){2, 40, 2, 0, 16, 3, 0});
    problem->objective = OBJECTIVE_MINIMIZE;
    build(LEASE_MODEL_FULL);
    lease_model_aim_at_use(&model);
    check_objective(true, (const double[]){-2, 40, -2, 0, 16, -3, 0});
    problem->objective = OBJECTIVE_RANDOM;
    build(LEASE_MODEL_FULL);
    lease_model_aim_at_use(&model);
    check_objective(true, (const double[]){0, 0, 0, 0, 0, 0, 0});
}

/* The entries have the places 1, 3 and 2. */
ON_MODEL(then_the_earliest_deadlines_come_first)
{
    const double point[] = {0, 0, 1, 0, 1, 1};

    (void)lease_problem_add_job(problem, 2);
    lease_problem_add_level(problem, 1, 1, 2, 10);
    lease_problem_add_level(problem, 2, 1, 2, 4);
    lease_problem_add(problem, 1, 1, 3);
    build(LEASE_MODEL_COMPACTED);
    assert_int_equal(milp_columns(milp), 6);
    lease_model_aim_at_use(&model);
    lease_model_aim_at_order(&model, point);
    check_objective(false, (const double[]){2, 0, 6, 0, 0, 6});
    check_terms(milp_rows(milp) - 2, 5, 5, (const double[]){2, 0, 2, 0, 0, 3});
    check_terms(milp_rows(milp) - 1, 4, 4, (const double[]){0, 10, 0, 0, 4, 0});
}

/* The last period of an entry ends with its deadline. */
static void check_last_period(const struct lease_entry *entry)
{
    const int64_t slots = entry->before - problem->slot;
    const size_t periods = lease_model_periods_of(&model, entry);

    if (slots > 1)
        assert_int_equal(model.periods[periods - 1].to, slots);
    else
        assert_int_equal(periods, 0);
}

ON_MODEL(random_models_have_the_columns_that_they_were_said_to_have)
{
    rng_t rng = rng_new(test_seed(), "lease model");

    for (long i = 0; i < test_times(300); i++) {
        lease_problem_clear(problem);
        for (uint64_t jobs = rng_below(&rng, 12); jobs > 0; jobs--) {
            const size_t levels = 1 + rng_below(&rng, 3);

            (void)lease_problem_add_job(problem, levels);
            for (size_t k = 0; k < levels; k++)
                lease_problem_add_level(problem, (int64_t)rng_below(&rng, 40) - 3, 1, 1, 10);
        }
        build(LEASE_MODEL_FULL);
        build(LEASE_MODEL_COMPACTED);
        for (size_t k = 0; k < problem->entries->count; k++)
            check_last_period(&problem->entries->items[k]);
    }
}

int main(void)
{
    (void)test_seed();
    return tests_run(NULL, NULL);
}
