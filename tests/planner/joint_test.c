/* joint_test.c - tasks are added to those that are planned together if all find room, or nothing
 * changes. */
#include "scheduler/planner/joint.h"
#include "tests/planner/small_round.h"
#include "tests/support/test.h"

static struct small_round small;
static struct joint joint;

FIXTURE(prepare)
{
    small_round_open(&small);
    joint = (struct joint){.planner = &small.planner, .tasks = &small.promised};
    return 0;
}

FIXTURE(clean_up)
{
    small_round_close(&small);
    return 0;
}

/* A job of 100 s. */
static struct task *add(int64_t window_s)
{
    return &small.tasks[small_round_add(&small, 100, window_s)];
}

/* Leaves a GPU free for a job with no time to spare: seven such jobs are planned together. */
static void fill_all_but_one(void)
{
    for (int i = 1; i < SMALL_GPUS; i++)
        task_list_insert(&small.promised, add(101));
    assert_true(joint_plan(&joint));
    small.count = SMALL_GPUS - 1;
}

TEST_WITH(a_task_is_added_beside_the_others_while_there_is_room, prepare, clean_up)
{
    static struct task last;

    fill_all_but_one();
    assert_true(joint_adds_beside(&joint, add(101)));
    assert_false(joint.is_planned);
    assert_int_equal(small.promised.count, SMALL_GPUS);
    last = small.tasks[0];
    last.planned = false;
    assert_false(joint_adds_beside(&joint, &last));
    assert_int_equal(small.promised.count, SMALL_GPUS);
}

TEST_WITH(tasks_that_find_no_plan_change_nothing, prepare, clean_up)
{
    static struct task copies[2];
    struct task *const added[] = {&copies[0], &copies[1]};
    double reserved;

    fill_all_but_one();
    reserved = planner_reserved(&small.planner, SMALL_NOW_S + 1000);
    copies[0] = copies[1] = small.tasks[0];
    assert_false(joint_adds(&joint, added, 2));
    assert_true(joint.is_planned);
    assert_int_equal(small.promised.count, SMALL_GPUS - 1);
    assert_true(planner_reserved(&small.planner, SMALL_NOW_S + 1000) == reserved);
    assert_true(joint_adds(&joint, added, 1));
    assert_true(joint.is_planned);
    assert_int_equal(small.promised.count, SMALL_GPUS);
}

TEST_WITH(a_plan_anew_takes_tasks_that_find_no_room_beside_others, prepare, clean_up)
{
    struct task *first;
    struct task *tight;

    for (int i = 1; i < SMALL_TASKS; i++)
        task_list_insert(&small.promised, add(150));
    first = small.promised.items[0];
    assert_true(joint_plan(&joint));
    planner_reserve_span(&small.planner, SMALL_NOW_S, SMALL_NOW_S + 101, 1);
    tight = add(101);
    assert_false(joint_adds_beside(&joint, tight));
    assert_true(joint_adds(&joint, &tight, 1));
    assert_ptr_equal(small.promised.items[0], tight);
    assert_ptr_equal(small.promised.items[1], first);
}

TEST_WITH(a_first_task_is_planned_with_all_or_not_added, prepare, clean_up)
{
    struct task *task = add(101);

    assert_true(joint_adds_at_once(&joint, task));
    assert_true(joint.is_planned && task->planned);
    small.promised.count = small.promised.planned = 0;
    small.jobs[0].iterations_left += 100;
    planner_reset(task);
    assert_false(joint_adds_at_once(&joint, task));
    assert_false(joint.is_planned);
    assert_int_equal(small.promised.count, 0);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
