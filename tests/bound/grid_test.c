/* grid_test.c - how time is cut at arrivals and deadlines, and which intervals a job meets. */
#include "scheduler/bound/grid.h"
#include "tests/support/test.h"

static const struct need needs[] = {
    {.begin_s = 0, .end_s = 100, .step_count = 2},
    {.begin_s = 40, .end_s = 60, .step_count = 1},
    {.begin_s = 40, .end_s = 70, .step_count = 3},
};

TEST(each_time_is_cut_once)
{
    struct grid grid = grid_new(needs, COUNT(needs));

    assert_int_equal(grid.count, 4);
    assert_true(grid_length_s(&grid, 0) == 40);
    assert_true(grid_length_s(&grid, 1) == 20);
    assert_true(grid_length_s(&grid, 2) == 10);
    assert_true(grid_length_s(&grid, 3) == 30);
    grid_free(&grid);
}

TEST(a_job_meets_the_intervals_of_its_time)
{
    struct grid grid = grid_new(needs, COUNT(needs));

    assert_int_equal(grid_span(&grid, &needs[0]).first, 0);
    assert_int_equal(grid_span(&grid, &needs[0]).end, 4);
    assert_int_equal(grid_span(&grid, &needs[1]).first, 1);
    assert_int_equal(grid_span(&grid, &needs[1]).end, 2);
    assert_int_equal(grid_span(&grid, &needs[2]).end, 3);
    grid_free(&grid);
}

TEST(a_job_has_a_share_of_coarse_intervals)
{
    struct grid grid = grid_new(needs, COUNT(needs));
    struct grid_span span;

    assert_int_equal(grid_pairs(&grid, needs, COUNT(needs)), 4 + 1 + 2);
    grid_coarsen(&grid, 2); /* 0, 60, 100 */
    assert_int_equal(grid.count, 2);
    assert_int_equal(grid_pairs(&grid, needs, COUNT(needs)), 2 + 1 + 2);
    span = grid_span(&grid, &needs[1]);
    assert_int_equal(span.end - span.first, 1);
    assert_true(span_share(&span, 0) == 20. / 60);
    span = grid_span(&grid, &needs[2]);
    assert_int_equal(span.first, 0);
    assert_int_equal(span.end, 2);
    assert_true(span_share(&span, 0) == 20. / 60);
    assert_true(span_share(&span, 1) == 10. / 40);
    span = grid_span(&grid, &needs[0]);
    assert_true(span_share(&span, 0) == 1 && span_share(&span, 1) == 1);
    grid_coarsen(&grid, 7);
    assert_int_equal(grid.count, 1);
    assert_true(grid_length_s(&grid, 0) == 100);
    grid_free(&grid);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
