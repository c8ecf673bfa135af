/* in_force_test.c - courses in force are followed while their jobs do as planned, and others find
 * room beside them. */
#include "scheduler/planner/in_force.h"
#include "scheduler/planner/stand.h"
#include "tests/planner/small_round.h"
#include "tests/support/test.h"

static struct small_round small;
static struct stand stands[SMALL_TASKS];
static struct in_force in_force;
static struct seating seating;

FIXTURE(prepare)
{
    small_round_open(&small);
    in_force_open(&in_force);
    return 0;
}

FIXTURE(clean_up)
{
    in_force_close(&in_force);
    small_round_close(&small);
    return 0;
}

/* Promises a job of 100 s beside all others, and puts its course in force. */
static struct task *promise(int64_t window_s)
{
    const size_t i = small_round_add(&small, 100, window_s);
    struct task *task = &small.tasks[i];

    stands[i] = (struct stand){0};
    task->stand = &stands[i];
    seating_open(&seating, &small.planner, small.tasks, small.count);
    assert_true(in_force_finds_beside(&seating, &small.promised, task));
    in_force_put(&in_force, task);
    task->promised = true;
    task_list_insert(&small.promised, task);
    return task;
}

static bool holds(void)
{
    return in_force_holds(&small.planner, &small.promised);
}

TEST_WITH(each_finds_gpus_beside_the_others, prepare, clean_up)
{
    bool taken[SMALL_GPUS] = {false};

    for (int i = 0; i < SMALL_GPUS; i++) {
        const struct task *task = promise(101);
        const int rank = stands[i].course.pieces[0].rank;

        assert_int_equal(task->course.count, 1);
        assert_false(taken[rank]);
        taken[rank] = true;
    }
    assert_true(in_force_is_proven(&small.planner, &small.promised));
    stands[1].course.pieces[0].rank = stands[0].course.pieces[0].rank;
    assert_false(in_force_is_proven(&small.planner, &small.promised));
}

TEST_WITH(no_room_is_none, prepare, clean_up)
{
    struct task *task;

    for (int i = 1; i < SMALL_TASKS; i++)
        (void)promise(101);
    planner_reserve_span(&small.planner, SMALL_NOW_S, SMALL_NOW_S + 50, 1);
    task = &small.tasks[small_round_add(&small, 100, 101)];
    assert_false(in_force_finds_beside(&seating, &small.promised, task));
    assert_false(task->planned);
}

TEST_WITH(what_is_followed_is_reserved_from_now_on, prepare, clean_up)
{
    (void)promise(101);
    (void)promise(300);
    planner_clear(&small.planner, SMALL_NOW_S);
    in_force_follow(&small.planner, &small.promised);
    assert_true(planner_reserved(&small.planner, SMALL_NOW_S + 400) > 195);
    small.view.now_s += 50;
    in_force_follow(&small.planner, &small.promised);
    assert_int_equal(small.promised.items[0]->course.pieces[0].at_s, SMALL_NOW_S + 50);
    assert_true(planner_reserved(&small.planner, SMALL_NOW_S + 400) < 160);
}

TEST_WITH(a_job_that_does_as_planned_holds_and_one_behind_strays, prepare, clean_up)
{
    struct task *first = promise(101);
    struct task *second = promise(101);
    struct task_list strays;

    first->margin = 0.1;
    assert_true(holds());
    assert_true(first->margin == 0.1);
    small.jobs[0].iterations_left += 50;
    assert_false(holds());
    assert_true(first->strays && !second->strays);
    assert_true(first->margin == 0);
    strays = in_force_follow_others(&small.planner, &small.promised);
    assert_int_equal(strays.count, 1);
    assert_ptr_equal(strays.items[0], first);
    assert_true(second->planned && !first->planned);
}

TEST_WITH(a_job_behind_spends_its_reserve_first, prepare, clean_up)
{
    struct task *task = promise(101);

    small.planner.node_loss_s = 1000;
    task->losses = 2;
    task->owed_s = 500;
    assert_true(holds());
    assert_int_equal(task->losses, 0);
    assert_true(task->owed_s == 0);
}

TEST_WITH(a_course_on_gpus_that_are_gone_does_not_hold, prepare, clean_up)
{
    struct task *first = promise(101);
    struct task *second = promise(101);

    small.order.gpus[0] = second->course.pieces[0].rank;
    assert_false(holds());
    assert_true(!first->strays && second->strays);
}

TEST_WITH(courses_of_a_round_begin_with_what_is_held, prepare, clean_up)
{
    struct task *task = promise(300);
    const struct course *course = &stands[0].course;

    task->now = (struct piece){SMALL_NOW_S, 1, 5};
    for (int i = 0; i < 3; i++) {
        in_force_renew(&in_force, &small.promised);
        assert_int_equal(course->count, task->course.count + 1);
        assert_memory_equal(&course->pieces[0], &task->now, sizeof(task->now));
        assert_memory_equal(&course->pieces[1], &task->course.pieces[0], sizeof(task->now));
        assert_int_equal(course->end_s, task->course.end_s);
    }
}

int main(void)
{
    return tests_run(NULL, NULL);
}
