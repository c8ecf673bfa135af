/* soft_test.c - a soft deadline is tried from its best step that the job can meet, and falls to the
 * next such one. */
#include "scheduler/planner/soft.h"
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

/* A job of 100 s with steps after 50, 200 and 400 s. */
static struct task *add_soft(void)
{
    const size_t i = small_round_add(&small, 100, 50);

    small.levels[i][0].value = 10;
    small.levels[i][1] = (struct job_level){SMALL_NOW_S + 200, 6};
    small.levels[i][2] = (struct job_level){SMALL_NOW_S + 400, 1};
    small.submissions[i].level_count = 3;
    return &small.tasks[i];
}

TEST_WITH(the_best_step_that_can_be_met_is_tried, prepare, clean_up)
{
    struct task *task = add_soft();

    soft_open(&small.pricing, task, 0);
    assert_int_equal(task->step, 1);
    assert_int_equal(task->deadline_s, SMALL_NOW_S + 200);
    assert_true(soft_fall(&small.pricing, task));
    assert_int_equal(task->step, 2);
    assert_false(soft_fall(&small.pricing, task));
    assert_int_equal(task->deadline_s, SMALL_NOW_S + 400);
}

TEST_WITH(a_promise_names_its_step, prepare, clean_up)
{
    struct task *task = add_soft();

    task->promised = true;
    small.jobs[0].promise.deadline_s = SMALL_NOW_S + 400;
    soft_enter(task);
    assert_int_equal(task->step, 2);
    assert_int_equal(task->deadline_s, SMALL_NOW_S + 400);
}

TEST_WITH(all_fall_together_until_none_has_a_step, prepare, clean_up)
{
    struct task *soft = add_soft();
    struct task *hard = &small.tasks[small_round_add(&small, 100, 300)];
    struct task_list open = task_list_open(small.arena, SMALL_TASKS, task_unit_price);
    int first = 0;

    soft_open(&small.pricing, soft, 0);
    task_list_insert(&open, soft);
    task_list_insert(&open, hard);
    assert_true(soft_fall_all(&small.pricing, &open, &first));
    assert_int_equal(first, 1);
    assert_true(soft_fall_all(&small.pricing, &open, &first));
    assert_int_equal(soft->step, 2);
    assert_int_equal(hard->step, 0);
    assert_false(soft_fall_all(&small.pricing, &open, &first));
    assert_int_equal(first, 0);
    assert_int_equal(soft->step, 1);
}

/* The one that can fall gives way first; one that cannot be in time before all. */
TEST_WITH(what_can_fall_goes_first, prepare, clean_up)
{
    struct task *soft = add_soft();
    const struct task *dear = &small.tasks[small_round_add(&small, 300, 500)];
    const struct task *late = &small.tasks[small_round_add(&small, 300, 100)];

    soft_open(&small.pricing, soft, 0);
    assert_true(soft_loss(soft) > soft_loss(dear));
    assert_true(isinf(soft_loss(late)));
}

int main(void)
{
    return tests_run(NULL, NULL);
}
