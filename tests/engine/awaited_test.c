/* awaited_test.c - each job knows who waits for its end, until it has ended. */
#include "scheduler/engine/awaited.h"

#include "tests/support/test.h"

#define CHILDREN 1000

TEST(a_job_lists_those_that_wait_for_it)
{
    struct awaited awaited = {0};
    const numbers_t *children;

    assert_null(awaited_children(&awaited, 7));
    for (uint64_t child = 0; child < CHILDREN; child++) {
        awaited_add(&awaited, 7, 100 + child);
        awaited_add(&awaited, child, 7);
    }
    children = awaited_children(&awaited, 7);
    assert_int_equal(children->count, CHILDREN + 1); /* job 7 waits for itself here, too */
    for (uint64_t i = 0, child = 0; i < children->count; i++)
        if (children->items[i] != 7)
            assert_int_equal(children->items[i], 100 + child++);
    assert_int_equal(awaited_children(&awaited, 999)->items[0], 7);
    awaited_close(&awaited);
    assert_null(awaited_children(&awaited, 7));
}

TEST(nothing_waits_for_a_job_that_has_ended)
{
    struct awaited awaited = {0};

    awaited_drop(&awaited, 1);
    awaited_add(&awaited, 1, 2);
    awaited_add(&awaited, 3, 2);
    awaited_drop(&awaited, 1);
    assert_null(awaited_children(&awaited, 1));
    assert_int_equal(awaited_children(&awaited, 3)->count, 1);
    awaited_close(&awaited);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
