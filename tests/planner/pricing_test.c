/* pricing_test.c - a job that takes no time from cheaper ones to come is affordable, and its price
 * is that of the deadline with which it is tried. */
#include "tests/planner/small_round.h"
#include "tests/support/test.h"

#include <math.h>

static struct small_round small;

FIXTURE(prepare)
{
    small_round_open(&small);
    return 0;
}

FIXTURE(clean_up)
{
    small_round_close(&small);
    return 0;
}

/* Jobs of so many GPU-seconds and that window come each 10 s, up to now. */
static void fill_past(double price, double window_s)
{
    for (int i = 0; i < DEMAND_ARRIVALS; i++)
        demand_note(&small.demand, &(struct arrival){.job = 1000 + (uint64_t)i,
                                                     .at_s = SMALL_NOW_S - 10 * (200 - i),
                                                     .price = price,
                                                     .unit_price = price,
                                                     .window_s = window_s,
                                                     .slack_s = window_s - price});
}

TEST_WITH(a_price_is_what_ends_the_job_in_time, prepare, clean_up)
{
    struct task *task = &small.tasks[small_round_add(&small, 100, 100)];

    assert_true(task->price > 90 && task->price <= 100);
    pricing_until(&small.pricing, task, SMALL_NOW_S + 50);
    assert_int_equal(task->deadline_s, SMALL_NOW_S + 50);
    assert_true(isinf(task->price));
    pricing_until(&small.pricing, task, SMALL_NOW_S + 200);
    assert_true(isfinite(task->price));
}

TEST_WITH(a_value_makes_a_job_cheaper, prepare, clean_up)
{
    struct task *task = &small.tasks[small_round_add(&small, 100, 500)];
    const double before = task->unit_price;

    small.levels[0][0].value = INT64_C(4) * LEVEL_VALUE_FULL;
    pricing_until(&small.pricing, task, task->deadline_s);
    assert_true(task->unit_price == before);
    small.pricing.objective = PROMISE_VALUE;
    pricing_until(&small.pricing, task, task->deadline_s);
    assert_true(fabs(task->unit_price - before / 4) < 1e-9);
}

/* 8 GPUs have 8 s a second; jobs of 100 GPU-seconds each 10 s want 10. */
TEST_WITH(only_cheaper_jobs_to_come_deny_a_promise, prepare, clean_up)
{
    const struct task *dear = &small.tasks[small_round_add(&small, 900, 1000)];
    const struct task *cheap = &small.tasks[small_round_add(&small, 50, 1000)];

    assert_true(pricing_holds_now(&small.pricing, dear, 0.3));
    fill_past(100, 300);
    assert_false(pricing_holds_now(&small.pricing, dear, 0.3));
    assert_true(pricing_holds_now(&small.pricing, cheap, 0.3));
}

TEST_WITH(what_is_promised_counts, prepare, clean_up)
{
    const struct task *task = &small.tasks[small_round_add(&small, 900, 1000)];

    fill_past(20, 300);
    assert_true(pricing_holds(&small.pricing, task, 0, INFINITY));
    for (int i = 0; i < 7; i++) {
        const size_t other = small_round_add(&small, 1000, 1001);

        task_list_insert(&small.promised, &small.tasks[other]);
    }
    assert_false(pricing_holds(&small.pricing, task, 0, INFINITY));
}

int main(void)
{
    return tests_run(NULL, NULL);
}
