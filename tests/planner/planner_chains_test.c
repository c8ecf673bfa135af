/* planner_chains_test.c - the deadline of a chain is divided backwards by what its tasks need, each
 * starts once the tasks that it waits for have to end, and a task that cannot be in time takes
 * nothing from others. */
#include "scheduler/planner/chains.h"
#include "scheduler/planner/stand.h"
#include "tests/planner/small_round.h"
#include "tests/support/test.h"

#include <math.h>

static struct small_round small;
static struct task *const tasks = small.tasks;

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

static size_t add(double need_s, int64_t window_s)
{
    const size_t i = small_round_add(&small, need_s, window_s);

    tasks[i].drives = true;
    return i;
}

static void wait_for(size_t child, size_t parent)
{
    struct submission *submission = &small.submissions[child];

    small.parents[child][submission->parent_count++] = (struct parent){.number = 100 + parent};
    tasks[child].waits = true;
}

static struct chains *open_all(void)
{
    return chains_open(&small.pricing, tasks, small.count);
}

/* A task that waits may start a slot late, a second here. Sums of fractions count a second. */
TEST_WITH(each_has_the_share_of_its_work, prepare, clean_up)
{
    const size_t first = add(99, 0);
    const size_t second = add(198, 0);
    const size_t last = add(298, 1200);
    struct chains *chains;

    wait_for(second, first);
    wait_for(last, second);
    wait_for(last, first);
    chains = open_all();
    assert_int_equal(tasks[first].deadline_s, SMALL_NOW_S + 200);
    assert_int_equal(tasks[second].deadline_s, SMALL_NOW_S + 600);
    assert_int_equal(tasks[last].deadline_s, SMALL_NOW_S + 1200);
    assert_true(tasks[first].is_divided && !tasks[last].is_divided);
    assert_int_equal(tasks[second].earliest_s, SMALL_NOW_S + 100);
    assert_int_equal(tasks[last].earliest_s, SMALL_NOW_S + 300);
    assert_false(chains_take_own(chains, &tasks[second], 0));
    assert_true(chains_take_own(chains, &tasks[last], 0));
    assert_true(chains_divide(chains, &tasks[last], DIVISION_KEEPS));
    assert_int_equal(tasks[second].earliest_s, SMALL_NOW_S + 200);
    assert_int_equal(tasks[last].earliest_s, SMALL_NOW_S + 600);
    assert_int_equal(chains_group(chains).count, 3);
    chains_undo(chains);
    assert_int_equal(tasks[last].earliest_s, SMALL_NOW_S + 300);
    assert_false(chains_divide(chains, &tasks[last], DIVISION_MOVES));
    assert_false(chains_divide(chains, &tasks[last], DIVISION_FREES));
}

TEST_WITH(a_deadline_of_its_own_counts_unless_the_chain_is_freed_of_it, prepare, clean_up)
{
    const size_t first = add(99, 150);
    const size_t last = add(98, 1000);
    struct chains *chains;

    wait_for(last, first);
    chains = open_all();
    assert_int_equal(tasks[first].deadline_s, SMALL_NOW_S + 150);
    assert_false(tasks[first].is_divided);
    assert_true(chains_divide(chains, &tasks[last], DIVISION_KEEPS));
    assert_int_equal(tasks[last].earliest_s, SMALL_NOW_S + 150);
    chains_undo(chains);
    assert_true(chains_divide(chains, &tasks[last], DIVISION_FREES));
    assert_int_equal(tasks[first].deadline_s, SMALL_NOW_S + 500);
    assert_int_equal(tasks[last].earliest_s, SMALL_NOW_S + 500);
    tasks[first].promised = tasks[last].promised = true;
    assert_true(task_is_told(&tasks[last]) && !task_is_told(&tasks[first]));
    chains_undo_all(chains);
    assert_int_equal(tasks[first].deadline_s, SMALL_NOW_S + 150);
}

/* The first of two children cannot be in time: the time of the parent is divided for the other. */
TEST_WITH(a_child_that_is_late_takes_nothing_from_others, prepare, clean_up)
{
    const size_t first = add(99, 0);
    const size_t late = add(98, 150);
    const size_t last = add(98, 1000);

    wait_for(late, first);
    wait_for(last, first);
    (void)open_all();
    assert_int_equal(tasks[first].deadline_s, SMALL_NOW_S + 500);
    assert_true(isinf(planner_price(&small.planner, &tasks[late], NULL)));
    assert_true(isfinite(planner_price(&small.planner, &tasks[last], NULL)));
}

TEST_WITH(a_chain_goes_on_from_a_promise_or_before_it, prepare, clean_up)
{
    struct stand stand = {.due_s = 0};
    const size_t first = add(99, 800);
    const size_t second = add(98, 0);
    const size_t last = add(98, 1400);
    struct chains *chains;

    tasks[first].stand = &stand;
    tasks[first].promised = true;
    wait_for(second, first);
    wait_for(last, second);
    chains = open_all();
    assert_true(chains_divide(chains, &tasks[last], DIVISION_KEEPS));
    assert_int_equal(tasks[second].earliest_s, SMALL_NOW_S + 800);
    assert_int_equal(tasks[second].deadline_s, SMALL_NOW_S + 1100);
    assert_int_equal(chains_group(chains).count, 2);
    chains_undo(chains);
    tasks[last].deadline_s = SMALL_NOW_S + 600;
    assert_false(chains_divide(chains, &tasks[last], DIVISION_KEEPS));
    assert_true(chains_divide(chains, &tasks[last], DIVISION_MOVES));
    assert_int_equal(tasks[first].deadline_s, SMALL_NOW_S + 200);
    assert_int_equal(tasks[second].deadline_s, SMALL_NOW_S + 400);
    assert_true(tasks[first].is_divided && task_is_told(&tasks[first]));
    assert_null(chains_child(chains, &tasks[first]));
    tasks[second].promised = true;
    assert_ptr_equal(chains_child(chains, &tasks[first]), &tasks[second]);
    assert_null(chains_child(NULL, &tasks[first]));
    assert_true(chains_loosen(chains, &tasks[first]));
    assert_int_equal(tasks[first].deadline_s, SMALL_NOW_S + 800);
}

TEST_WITH(a_soft_deadline_is_that_of_the_first_step_that_the_chain_can_meet, prepare, clean_up)
{
    const size_t first = add(99, 0);
    const size_t last = add(98, 150);

    small.levels[last][1] = (struct job_level){SMALL_NOW_S + 1000, LEVEL_VALUE_FULL};
    small.submissions[last].level_count = 2;
    wait_for(last, first);
    (void)open_all();
    assert_int_equal(tasks[first].deadline_s, SMALL_NOW_S + 500);
}

TEST_WITH(a_promise_is_by_the_deadline_of_its_chain_while_jobs_wait, prepare, clean_up)
{
    struct stand stand = {.due_s = SMALL_NOW_S + 300};
    struct task *task = &tasks[add(100, 500)];

    task->stand = &stand;
    task->promised = true;
    chains_enter(task, false);
    assert_int_equal(task->deadline_s, SMALL_NOW_S + 500);
    assert_false(task->is_divided || task->waits);
    chains_enter(task, true);
    assert_int_equal(task->deadline_s, SMALL_NOW_S + 300);
    assert_true(task->is_divided && task->promised);
}

/* A job before the last needs no deadline of its own. */
TEST_WITH(a_promise_for_the_sake_of_jobs_that_wait_ends_with_them, prepare, clean_up)
{
    struct stand stand = {.due_s = SMALL_NOW_S + 300};
    struct task *task = &tasks[add(100, 0)];

    task->stand = &stand;
    task->promised = true;
    chains_enter(task, true);
    assert_int_equal(task->deadline_s, SMALL_NOW_S + 300);
    task->deadline_s = DEADLINE_NONE_S;
    chains_enter(task, false);
    assert_false(task->promised);
}

/* A job cannot end by its part, or waits for a job that is not there. */
TEST_WITH(a_chain_that_cannot_be_in_time_is_none, prepare, clean_up)
{
    for (int is_gone = 0; is_gone < 2; is_gone++) {
        size_t first;
        size_t last;

        small.count = 0;
        first = add(100, 0);
        last = add(100, is_gone ? 1000 : 150);
        wait_for(last, is_gone ? SMALL_TASKS : first);
        (void)open_all();
        assert_true(isinf(planner_price(&small.planner, &tasks[last], NULL)));
        assert_int_equal(tasks[first].deadline_s, DEADLINE_NONE_S);
        assert_false(tasks[first].is_divided);
    }
}

TEST_WITH(jobs_without_a_deadline_behind_them_have_no_chain, prepare, clean_up)
{
    const size_t first = add(100, 0);
    const size_t second = add(100, 0);
    const size_t alone = add(100, 400);
    struct chains *chains;

    wait_for(second, first);
    chains = open_all();
    assert_int_equal(tasks[first].deadline_s, DEADLINE_NONE_S);
    assert_int_equal(tasks[alone].deadline_s, SMALL_NOW_S + 400);
    assert_false(chains_take_own(chains, &tasks[first], 0));
    assert_true(chains_arrivals(chains, &tasks[second]) == SIZE_MAX);
    assert_int_equal(chains_arrivals(chains, &tasks[alone]), 0);
    assert_true(chains_has_parents(chains, &tasks[second]));
    assert_false(chains_has_parents(chains, &tasks[alone]));
}

/* A later start might come a slot late; in the next round the task is on time. */
TEST_WITH(a_task_whose_parents_end_before_may_start_in_the_next_round, prepare, clean_up)
{
    struct task *task = &tasks[add(98, 300)];

    small.planner.slot_s = 200;
    small.planner.slot_end_s = SMALL_NOW_S + 200;
    task->waits = true;
    task->earliest_s = SMALL_NOW_S + 100;
    assert_true(planner_find(&small.planner, task));
    assert_int_equal(course_rise_s(&task->course, SMALL_NOW_S, 0), SMALL_NOW_S + 200);
    task->earliest_s = SMALL_NOW_S + 201;
    assert_false(planner_find(&small.planner, task));
    planner_clear(&small.planner, SMALL_NOW_S + 200);
    task->earliest_s = SMALL_NOW_S + 100;
    assert_true(planner_find(&small.planner, task));
}

int main(void)
{
    return tests_run(NULL, NULL);
}
