/* planner_chains_test.c - the deadline of a chain is divided backwards by what its tasks need, each
 * starts once the tasks that it waits for have to end, and a chain of which a task cannot be in
 * time is none. */
#include "scheduler/planner/chains.h"
#include "scheduler/planner/stand.h"
#include "tests/planner/small_round.h"
#include "tests/support/test.h"

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
    return small_round_add(&small, need_s, window_s);
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

TEST_WITH(each_has_the_share_of_its_work, prepare, clean_up)
{
    const size_t first = add(100, 0);
    const size_t second = add(200, 0);
    const size_t last = add(300, 1200);
    struct chains *chains;

    wait_for(second, first);
    wait_for(last, second);
    wait_for(last, first);
    chains = open_all();
    assert_int_equal(tasks[first].deadline_s, SMALL_NOW_S + 200);
    assert_int_equal(tasks[second].deadline_s, SMALL_NOW_S + 600);
    assert_int_equal(tasks[last].deadline_s, SMALL_NOW_S + 1200);
    assert_true(tasks[first].is_divided && !tasks[last].is_divided);
    assert_int_equal(tasks[second].earliest_s, SMALL_NOW_S + 200);
    assert_int_equal(tasks[last].earliest_s, SMALL_NOW_S + 600);
    for (size_t i = 0; i < small.count; i++) {
        assert_false(chains_is_single(chains, &tasks[i]));
        assert_int_equal(chains_group(chains, &tasks[i]).count, 3);
    }
    assert_true(chains_is_first(chains, &tasks[second]));
    assert_false(chains_is_first(chains, &tasks[last]));
    assert_true(chains_is_left(chains, &tasks[last]));
    assert_false(chains_is_left(chains, &tasks[first]));
    chains_try_again(chains);
    assert_true(chains_is_first(chains, &tasks[first]));
}

TEST_WITH(an_earlier_deadline_of_its_own_stands, prepare, clean_up)
{
    const size_t first = add(100, 150);
    const size_t last = add(100, 1000);
    struct chains *chains;

    wait_for(last, first);
    chains = open_all();
    assert_int_equal(tasks[first].deadline_s, SMALL_NOW_S + 150);
    assert_false(tasks[first].is_divided);
    assert_int_equal(tasks[last].earliest_s, SMALL_NOW_S + 150);
    assert_true(chains_leave(chains, &tasks[first]));
    assert_false(chains_leave(chains, &tasks[last]));
}

TEST_WITH(a_chain_goes_on_from_a_promise, prepare, clean_up)
{
    const size_t first = add(100, 500);
    const size_t second = add(100, 0);
    const size_t last = add(100, 1500);
    struct chains *chains;

    tasks[first].promised = true;
    wait_for(second, first);
    wait_for(last, second);
    chains = open_all();
    assert_int_equal(tasks[second].earliest_s, SMALL_NOW_S + 500);
    assert_int_equal(tasks[second].deadline_s, SMALL_NOW_S + 1000);
    assert_int_equal(chains_group(chains, &tasks[last]).count, 2);
    assert_true(chains_is_single(chains, &tasks[first]));
    assert_null(chains_child(chains, &tasks[first]));
    tasks[second].promised = true;
    assert_ptr_equal(chains_child(chains, &tasks[first]), &tasks[second]);
    assert_null(chains_child(NULL, &tasks[first]));
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

/* A job of the chain cannot end by its part, or waits for a job that is not there. */
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
        assert_int_equal(tasks[last].earliest_s, NEVER_S);
        assert_int_equal(tasks[first].deadline_s, DEADLINE_NONE_S);
        assert_false(tasks[first].is_divided);
    }
}

TEST_WITH(jobs_without_a_deadline_behind_them_are_by_themselves, prepare, clean_up)
{
    const size_t first = add(100, 0);
    const size_t second = add(100, 0);
    const size_t alone = add(100, 400);
    struct chains *chains;

    wait_for(second, first);
    chains = open_all();
    assert_int_equal(tasks[first].deadline_s, DEADLINE_NONE_S);
    assert_int_equal(tasks[second].earliest_s, NEVER_S);
    assert_int_equal(tasks[alone].deadline_s, SMALL_NOW_S + 400);
    for (size_t i = 0; i < small.count; i++)
        assert_true(chains_is_single(chains, &tasks[i]));
}

int main(void)
{
    return tests_run(NULL, NULL);
}
