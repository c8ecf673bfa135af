/* demand_test.c - what arrivals of the past tell of those to come. */
#include "scheduler/planner/demand.h"
#include "tests/support/test.h"

#include <math.h>

#define WINDOW_S 3600

static struct arrival arrival(uint64_t job, int64_t at_s, double price)
{
    return (struct arrival){job, at_s, price, price, WINDOW_S};
}

static void note(struct demand *demand, uint64_t job, int64_t at_s, double price)
{
    const struct arrival came = arrival(job, at_s, price);

    demand_note(demand, &came);
}

static double mean_to_come(const struct demand *demand, int64_t now_s, double horizon_s)
{
    return demand_to_come(demand, now_s, horizon_s, INFINITY, 0);
}

static void one_arrival_tells_no_rate(void **state)
{
    struct demand demand = {.count = 0};

    (void)state;
    assert_true(mean_to_come(&demand, 0, 100) == 0);
    note(&demand, 1, 0, 10);
    assert_true(mean_to_come(&demand, 0, 100) == 0);
}

/* Two jobs in 1,800 s, each of 10 GPU-seconds: in the next 7,200 s, with half a window more that
 * the rate is taken over, four come, which do three quarters of their work. */
static void a_steady_flow_goes_on(void **state)
{
    struct demand demand = {.count = 0};

    (void)state;
    note(&demand, 1, 0, 10);
    note(&demand, 2, 1800, 10);
    assert_true(fabs(mean_to_come(&demand, 1800, 7200) - 4 * 10 * 0.75) < 1e-9);
}

static void dearer_jobs_do_not_count(void **state)
{
    struct demand demand = {.count = 0};

    (void)state;
    note(&demand, 1, 0, 10);
    note(&demand, 2, 10, 10);
    note(&demand, 3, 20, 1000);
    assert_true(demand_to_come(&demand, 20, 7200, 10, 0) <
                demand_to_come(&demand, 20, 7200, 1000, 0) / 10);
}

static void a_margin_is_on_top(void **state)
{
    struct demand demand = {.count = 0};

    (void)state;
    note(&demand, 1, 0, 10);
    note(&demand, 2, 10, 20);
    assert_true(demand_to_come(&demand, 10, 7200, INFINITY, 1) > mean_to_come(&demand, 10, 7200));
    assert_true(demand_to_come(&demand, 10, 7200, INFINITY, -1) < mean_to_come(&demand, 10, 7200));
}

static void a_job_that_comes_again_is_no_other(void **state)
{
    struct demand demand = {.count = 0};

    (void)state;
    for (int64_t at_s = 0; at_s < 1000; at_s++)
        note(&demand, 1, at_s, 10);
    assert_int_equal(demand.count, 1);
    assert_true(mean_to_come(&demand, 1000, 100) == 0);
}

static void the_oldest_is_forgotten(void **state)
{
    struct demand demand = {.count = 0};

    (void)state;
    note(&demand, 1, 0, 1e9);
    for (uint64_t job = 2; job <= DEMAND_ARRIVALS + 1; job++)
        note(&demand, job, 100, 1);
    assert_true(mean_to_come(&demand, 100, 7200) < 1e6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_arrival_tells_no_rate),
        cmocka_unit_test(a_steady_flow_goes_on),
        cmocka_unit_test(dearer_jobs_do_not_count),
        cmocka_unit_test(a_margin_is_on_top),
        cmocka_unit_test(a_job_that_comes_again_is_no_other),
        cmocka_unit_test(the_oldest_is_forgotten),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
