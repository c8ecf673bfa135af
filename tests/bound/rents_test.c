/* rents_test.c - what rents prove, worked out by hand. */
#include "scheduler/bound/rents.h"
#include "tests/solver/solving.h"
#include "tests/support/test.h"

/* One iteration a second on one GPU, 1.5 on two. */
#define NEED(begin, end, work)                                                                     \
    {                                                                                              \
        .begin_s = (begin), .end_s = (end), .iterations = (work), .step_count = 2,                 \
        .step_gpus = {1, 1}, .step_rate = {                                                        \
            1,                                                                                     \
            0.5                                                                                    \
        }                                                                                          \
    }

/* Two jobs that need all of a GPU for the first ten seconds, and one that has ten more. */
static const struct need needs[] = {NEED(0, 10, 10), NEED(0, 10, 10), NEED(0, 20, 20)};

static double bound_by(double first, double second, int gpus)
{
    const double rents[] = {first, second};
    struct grid grid = grid_new(needs, COUNT(needs), 2);
    double bound;

    assert_int_equal(grid.count, 2);
    bound = rents_bound(&grid, needs, COUNT(needs), gpus, rents);
    grid_free(&grid);
    return bound;
}

static void no_rent_proves_that_there_are_so_many_jobs(void **state)
{
    (void)state;
    check_near(bound_by(0, 0, 1), 3);
}

/* Those with ten seconds pay 1. The other one does 15 of its 20 iterations after them for nothing,
 * on two GPUs, and the rest for 0.5. */
static void a_rent_where_gpus_are_short_proves_more(void **state)
{
    (void)state;
    check_near(bound_by(1, 0, 1), 1 + 0 + 0 + 0.5);
}

static void a_rent_where_gpus_are_not_short_proves_nothing(void **state)
{
    (void)state;
    check_near(bound_by(0, 1, 1), 1 + 1 + 1 + 0.5);
}

/* The second step costs twice as much for its work as the first. */
static void the_dearest_work_is_taken_last(void **state)
{
    (void)state;
    check_near(bound_by(0.1, 0.1, 2), 2 * 0.2 + 2 * 0.9 + (1 - 0.2));
}

static void a_job_that_cannot_pay_is_left_out(void **state)
{
    (void)state;
    check_near(bound_by(5, 5, 1), 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_rent_proves_that_there_are_so_many_jobs),
        cmocka_unit_test(a_rent_where_gpus_are_short_proves_more),
        cmocka_unit_test(a_rent_where_gpus_are_not_short_proves_nothing),
        cmocka_unit_test(the_dearest_work_is_taken_last),
        cmocka_unit_test(a_job_that_cannot_pay_is_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
