/* newcomer_test.c - a job that comes alone is tried by deadlines that do not hang on its own. */
#include "scheduler/planner/newcomer.h"
#include "tests/planner/small_round.h"
#include "tests/support/test.h"

static struct small_round small;
static struct task_list open;

FIXTURE(prepare)
{
    small_round_open(&small);
    open = task_list_open(small.arena, SMALL_TASKS, task_unit_price);
    return 0;
}

FIXTURE(clean_up)
{
    small_round_close(&small);
    return 0;
}

/* A job of 10 s with that window, which comes alone. */
static struct newcomer meet(int64_t window_s)
{
    struct newcomer newcomer = {.pricing = &small.pricing, .open = &open};
    struct task *task = &small.tasks[small_round_add(&small, 10, window_s)];

    newcomer_meet(&newcomer, task, 0);
    task_list_insert(&open, task);
    return newcomer;
}

TEST_WITH(only_a_job_that_comes_alone_is_tried, prepare, clean_up)
{
    struct newcomer newcomer = {.pricing = &small.pricing, .open = &open};

    assert_false(newcomer_open(&newcomer));
    newcomer = meet(100);
    assert_true(newcomer_open(&newcomer));
    newcomer_close(&newcomer);
    newcomer_meet(&newcomer, &small.tasks[small_round_add(&small, 10, 100)], 0);
    assert_null(newcomer.task);
    newcomer_meet(&newcomer, &small.tasks[small_round_add(&small, 10, 100)], 0);
    assert_false(newcomer_open(&newcomer));
}

TEST_WITH(the_tries_of_a_later_deadline_include_those_of_an_earlier_one, prepare, clean_up)
{
    struct newcomer later = meet(1000);
    struct newcomer earlier = meet(900);
    int tries = 0;

    assert_true(newcomer_open(&later));
    assert_true(newcomer_open(&earlier));
    assert_true(later.task->deadline_s <= SMALL_NOW_S + 1000);
    while (later.task->deadline_s > earlier.task->deadline_s)
        assert_true(newcomer_shorten(&later));
    while (earlier.is_tried) {
        assert_int_equal(later.task->deadline_s, earlier.task->deadline_s);
        assert_int_equal(newcomer_shorten(&later), newcomer_shorten(&earlier));
        tries++;
    }
    assert_true(tries > 16);
}

TEST_WITH(a_job_that_is_tried_no_more_has_its_own_deadline_and_place, prepare, clean_up)
{
    struct newcomer newcomer = meet(1000);
    struct task *task = newcomer.task;
    const double price = task->unit_price;

    assert_true(newcomer_open(&newcomer));
    assert_true(newcomer_shorten(&newcomer));
    assert_true(task->deadline_s < SMALL_NOW_S + 1000);
    assert_int_equal(small.demand.arrivals[0].window_s, task->deadline_s - SMALL_NOW_S);
    newcomer_close(&newcomer);
    assert_false(newcomer.is_tried);
    assert_int_equal(task->deadline_s, SMALL_NOW_S + 1000);
    assert_true(task->unit_price == price);
    assert_int_equal(small.demand.count, 1);
    assert_int_equal(small.demand.arrivals[0].window_s, 1000);
}

TEST_WITH(a_try_goes_on_where_it_was_left, prepare, clean_up)
{
    struct newcomer newcomer = meet(1000);
    int64_t deadline_s;

    assert_true(newcomer_open(&newcomer));
    assert_true(newcomer_shorten(&newcomer));
    deadline_s = newcomer.task->deadline_s;
    pricing_until(&small.pricing, newcomer.task, SMALL_NOW_S + 1000);
    newcomer_try(&newcomer);
    assert_int_equal(newcomer.task->deadline_s, deadline_s);
}

TEST_WITH(later_steps_of_a_soft_deadline_come_after_all_tries_of_an_earlier_one, prepare, clean_up)
{
    struct newcomer newcomer = meet(20);

    small.levels[0][1] = (struct job_level){SMALL_NOW_S + 400, 1};
    small.submissions[0].level_count = 2;
    assert_true(newcomer_open(&newcomer));
    while (newcomer.task->step == 0)
        assert_true(newcomer_shorten(&newcomer));
    assert_true(newcomer.task->deadline_s > SMALL_NOW_S + 300);
    while (newcomer.is_tried)
        (void)newcomer_shorten(&newcomer);
    assert_int_equal(newcomer.task->step, 0);
    assert_int_equal(newcomer.task->deadline_s, SMALL_NOW_S + 20);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
