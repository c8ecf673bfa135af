/* rents_test.c - what rents prove, worked out by hand. */
#include "scheduler/bound/rents.h"
#include "tests/solver/solving.h"
#include "tests/support/test.h"

/* One iteration a second on one GPU, 1.5 on two. */
#define NEED(begin, end, work)                                                                     \
    {                                                                                              \
        .begin_s = (begin), .end_s = (end), .worth = 1, .iterations = (work), .step_count = 2,     \
        .step_gpus = {1, 1}, .step_rate = {                                                        \
            1,                                                                                     \
            0.5                                                                                    \
        }                                                                                          \
    }

/* Two jobs that need all of a GPU for the first ten seconds, and one that has ten more. */
static const struct need needs[] = {NEED(0, 10, 10), NEED(0, 10, 10), NEED(0, 20, 20)};

/* The sum over all regions. */
static double bound_by(double first, double second, int gpus)
{
    const double rents[] = {first, second};
    const double parts[COUNT(needs)] = {0};
    struct grid grid = grid_new(needs, COUNT(needs));
    struct region regions[3];
    double bound = 0;
    size_t jobs = 0;

    assert_int_equal(grid.count, 2);
    for (size_t r = rents_regions(&grid, needs, COUNT(needs), gpus, rents, parts, regions);
         r-- > 0;) {
        bound += regions[r].bound;
        jobs += regions[r].jobs;
    }
    assert_int_equal(jobs, COUNT(needs));
    grid_free(&grid);
    return bound;
}

TEST(no_rent_proves_that_there_are_so_many_jobs)
{
    check_near(bound_by(0, 0, 1), 3);
}

/* Jobs with ten seconds pay 1. The other job does 15 of its 20 iterations after them for nothing,
 * on two GPUs, and the rest for 0.5. */
TEST(a_rent_where_gpus_are_short_proves_more)
{
    check_near(bound_by(1, 0, 1), 1 + 0 + 0 + 0.5);
}

TEST(a_region_has_no_more_than_its_jobs)
{
    check_near(bound_by(0, 1, 1), 1 + 1 + 1);
}

/* The second step costs twice as much for its work as the first. */
TEST(the_dearest_work_is_taken_last)
{
    check_near(bound_by(0.1, 0.1, 2), 2 * 0.2 + 2 * 0.9 + (1 - 0.2));
}

TEST(a_job_that_cannot_pay_is_left_out)
{
    const double rents[] = {5, 5};
    double least[COUNT(needs)];
    struct grid grid = grid_new(needs, COUNT(needs));

    rents_least(&grid, needs, COUNT(needs), rents, least);
    for (size_t j = 0; j < COUNT(needs); j++)
        check_near(least[j], 1);
    grid_free(&grid);
}

/* Half of the interval is that of the first two, which need half of it. */
TEST(a_job_rents_its_share_of_a_coarse_interval)
{
    const double rent = 0.9;
    double least[COUNT(needs)];
    struct grid grid = grid_new(needs, COUNT(needs));

    grid_coarsen(&grid, 2);
    assert_int_equal(grid.count, 1);
    rents_least(&grid, needs, COUNT(needs), &rent, least);
    check_near(least[0], 0.45);
    check_near(least[2], 0.9);
    grid_free(&grid);
}

/* Two pairs of jobs that each have a GPU for one and a half; a job between them pays nothing. */
TEST(regions_are_apart_where_no_job_that_pays_connects_them)
{
    const struct need apart[] = {NEED(0, 10, 7.5), NEED(0, 10, 7.5), NEED(20, 30, 7.5),
                                 NEED(20, 30, 7.5), NEED(5, 25, 10)};
    const double rents[] = {0.1, 0.1, 0, 0.1, 0.1};
    const double parts[] = {1, 0.5, 1, 0.25, 1};
    struct grid grid = grid_new(apart, COUNT(apart));
    struct region regions[6];

    assert_int_equal(grid.count, COUNT(rents));
    assert_int_equal(rents_regions(&grid, apart, COUNT(apart), 1, rents, parts, regions), 4);
    assert_int_equal(regions[0].jobs, 1);
    check_near(regions[0].bound, 1);
    assert_int_equal(regions[1].jobs, 2);
    check_near(regions[1].bound, 0.2 + 2 * (1 - 0.15));
    check_near(regions[1].parts, 1.5);
    assert_int_equal(regions[2].jobs, 0);
    assert_int_equal(regions[3].jobs, 2);
    check_near(regions[3].parts, 1.25);
    grid_free(&grid);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
