/* task_list_test.c - tasks stay in the order of their number, and what is planned up to a task that
 * comes or goes stays planned. */
#include "scheduler/planner/task_list.h"
#include "tests/support/test.h"

#define TASKS 5

static arena_t *arena;
static struct task tasks[TASKS];
static struct task_list list;

static double by_deadline(const struct task *task)
{
    return (double)task->deadline_s;
}

FIXTURE(open_list)
{
    static const int64_t deadlines_s[TASKS] = {30, 10, 20, 10, 40};

    arena = arena_new();
    list = task_list_open(arena, TASKS, by_deadline);
    for (int i = 0; i < TASKS; i++)
        tasks[i] = (struct task){.deadline_s = deadlines_s[i], .promised = i % 2 == 0};
    return 0;
}

FIXTURE(close_list)
{
    arena_destroy(&arena);
    return 0;
}

static void check_order(size_t count, const int order[])
{
    assert_int_equal(list.count, count);
    for (size_t i = 0; i < count; i++)
        assert_ptr_equal(list.items[i], &tasks[order[i]]);
}

#define ON_LIST(name) TEST_WITH(name, open_list, close_list)

ON_LIST(equal_ones_stay_as_they_were_added)
{
    static const int order[] = {1, 3, 2, 0, 4};

    for (int i = 0; i < TASKS; i++)
        task_list_append(&list, &tasks[i]);
    task_list_sort(&list, arena);
    check_order(TASKS, order);
}

ON_LIST(one_is_inserted_where_it_belongs)
{
    static const int order[] = {1, 3, 2, 0, 4};

    for (int i = 0; i < TASKS; i++)
        task_list_insert(&list, &tasks[i]);
    check_order(TASKS, order);
}

ON_LIST(those_with_and_without_a_promise_are_told_apart)
{
    static const int order[] = {2, 0, 4};

    for (int i = 0; i < TASKS; i++)
        task_list_insert(&list, &tasks[i]);
    task_list_keep(&list, true);
    check_order(3, order);
}

ON_LIST(what_comes_before_a_change_stays_planned)
{
    static const int order[] = {1, 2, 0, 4};

    for (int i = 0; i < TASKS; i++)
        if (i != 3)
            task_list_insert(&list, &tasks[i]);
    list.planned = list.count;
    task_list_insert(&list, &tasks[3]); /* second in order */
    assert_int_equal(list.planned, 1);
    list.planned = list.count;
    task_list_remove(&list, &tasks[3]);
    check_order(4, order);
    assert_int_equal(list.planned, 1);
    task_list_remove(&list, &tasks[4]); /* was not planned */
    assert_int_equal(list.planned, 1);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
