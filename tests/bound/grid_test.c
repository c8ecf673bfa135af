/* grid_test.c - how time is cut at arrivals and deadlines, and which intervals a job meets. */
#include "scheduler/bound/grid.h"
#include "tests/support/test.h"

static const struct need needs[] = {
    {.begin_s = 0, .end_s = 100, .step_count = 2},
    {.begin_s = 40, .end_s = 60, .step_count = 1},
    {.begin_s = 40, .end_s = 70, .step_count = 3},
};

static void the_finest_grid_has_each_time_once(void **state)
{
    struct grid grid = grid_new(needs, COUNT(needs), 1000);

    (void)state;
    assert_int_equal(grid.count, 4);
    assert_true(grid_is_fine(&grid));
    assert_true(grid_length_s(&grid, 0) == 40);
    assert_true(grid_length_s(&grid, 3) == 30);
    grid_free(&grid);
}

static void a_coarse_grid_spans_the_same_time(void **state)
{
    struct grid grid = grid_new(needs, COUNT(needs), 3);

    (void)state;
    assert_int_equal(grid.count, 3);
    assert_false(grid_is_fine(&grid));
    assert_true(grid_length_s(&grid, 0) + grid_length_s(&grid, 1) + grid_length_s(&grid, 2) == 100);
    grid_free(&grid);
}

static void only_what_is_marked_is_cut(void **state)
{
    const bool first[] = {true, false, false};
    const bool all[] = {true, true, true, true};
    struct grid grid = grid_new(needs, COUNT(needs), 2);

    (void)state;
    assert_int_equal(grid_split(&grid, first), 1);
    assert_int_equal(grid.count, 3);
    assert_true(grid_length_s(&grid, 0) == 40);
    assert_true(grid_length_s(&grid, 1) == 20);
    assert_true(grid_length_s(&grid, 2) == 40);
    assert_int_equal(grid_split(&grid, first), 0);
    assert_int_equal(grid_split(&grid, all), 1);
    assert_true(grid_is_fine(&grid));
    assert_int_equal(grid_split(&grid, all), 0);
    grid_free(&grid);
}

static void a_job_meets_the_intervals_of_its_time(void **state)
{
    struct grid fine = grid_new(needs, COUNT(needs), 4);
    struct grid coarse = grid_new(needs, COUNT(needs), 1);

    (void)state;
    assert_int_equal(grid_find(&fine, &needs[1]), 1);
    assert_true(grid_meets(&fine, 1, &needs[1]));
    assert_false(grid_meets(&fine, 2, &needs[1]));
    assert_false(grid_meets(&fine, 4, &needs[0]));
    assert_true(grid_overlap_s(&fine, 1, &needs[1]) == 20);
    assert_true(grid_overlap_s(&coarse, 0, &needs[1]) == 20);
    assert_int_equal(grid_pairs(&fine, needs, COUNT(needs)), 4 * 2 + 1 + 2 * 3);
    assert_int_equal(grid_pairs(&coarse, needs, COUNT(needs)), 6);
    grid_free(&fine);
    grid_free(&coarse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_finest_grid_has_each_time_once),
        cmocka_unit_test(a_coarse_grid_spans_the_same_time),
        cmocka_unit_test(only_what_is_marked_is_cut),
        cmocka_unit_test(a_job_meets_the_intervals_of_its_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
