/* next_round_test.c - a round is safe if from the next one on a complete plan ends all in time. */
#include "scheduler/planner/next_round.h"
#include "tests/planner/small_round.h"
#include "tests/support/test.h"

#define SLOT_S 60

static struct small_round small;
static struct seating seating;

FIXTURE(prepare)
{
    small_round_open(&small);
    small.view.slot_s = SLOT_S;
    small.view.slot_end_s = SMALL_NOW_S + SLOT_S;
    planner_open(&small.planner, &small.view, &small.order, 0, small.arena);
    planner_clear(&small.planner, SMALL_NOW_S);
    return 0;
}

FIXTURE(clean_up)
{
    small_round_close(&small);
    return 0;
}

/* A promised job of so many seconds; it begins now if it `runs`. */
static struct task *promise(double need_s, int64_t window_s, bool runs)
{
    struct task *task = &small.tasks[small_round_add(&small, need_s, window_s)];

    task->promised = task->drives = true;
    task->wanted = runs;
    task->weight = 1;
    task_list_insert(&small.promised, task);
    return task;
}

static bool holds(void)
{
    seating_open(&seating, &small.planner, small.tasks, small.count);
    for (size_t i = 0; i < small.count; i++)
        small.tasks[i].level = small.tasks[i].wanted;
    assert_true(seating_settle(&seating, false));
    return next_round_holds(&seating, &small.promised);
}

TEST_WITH(a_job_that_is_done_by_then_has_its_end, prepare, clean_up)
{
    const struct task *task = promise(SLOT_S - 10, 200, true);

    assert_true(holds());
    assert_int_equal(task->course.count, 0);
    assert_true(task->course.end_s <= SMALL_NOW_S + SLOT_S);
}

TEST_WITH(a_job_that_is_done_by_then_and_late_does_not_hold, prepare, clean_up)
{
    (void)promise(SLOT_S - 10, SLOT_S - 20, true);
    assert_false(holds());
}

TEST_WITH(a_job_that_runs_on_is_planned_from_then_on, prepare, clean_up)
{
    const struct task *task = promise(200, 205, true);

    assert_true(holds());
    assert_int_equal(task->course.pieces[0].at_s, SMALL_NOW_S + SLOT_S);
    assert_true(task->course.end_s <= SMALL_NOW_S + 205);
}

TEST_WITH(a_job_that_waits_too_long_does_not_hold, prepare, clean_up)
{
    const struct task *task = promise(200, 320, false);

    assert_true(holds());
    assert_true(task->course.end_s <= SMALL_NOW_S + 320);
    small.promised.count = 0;
    (void)promise(200, 210, false);
    assert_false(holds());
}

/* 8 GPUs have room for 8 jobs with no time to spare, and for no more. */
TEST_WITH(all_are_planned_together, prepare, clean_up)
{
    for (int i = 0; i < SMALL_TASKS; i++)
        (void)promise(200, 300, false);
    assert_true(holds());
    planner_clear(&small.planner, SMALL_NOW_S);
    for (size_t i = 0; i < small.count; i++)
        planner_reset(&small.tasks[i]);
    small.jobs[0].iterations_left += 100;
    planner_reset(&small.tasks[0]);
    assert_false(holds());
}

int main(void)
{
    return tests_run(NULL, NULL);
}
