/* ranks_test.c - lists of ranks: sorted, searched, and looked through for one that comes twice. */
#include "master/commands/ranks.h"
#include "tests/support/test.h"

#include <stdlib.h>

static const int32_t mixed[] = {4, 0, 9, 2};

static void a_sorted_list_is_another_one(void **state)
{
    int32_t *sorted = ranks_sorted(mixed, COUNT(mixed));

    (void)state;
    assert_int_equal(mixed[0], 4);
    assert_int_equal(sorted[0], 0);
    assert_int_equal(sorted[1], 2);
    assert_int_equal(sorted[2], 4);
    assert_int_equal(sorted[3], 9);
    assert_true(ranks_have(sorted, COUNT(mixed), 9));
    assert_false(ranks_have(sorted, COUNT(mixed), 3));
    free(sorted);
}

static void a_rank_that_comes_twice_is_found_wherever_it_stands(void **state)
{
    const int32_t twice[] = {4, 0, 9, 4};

    (void)state;
    assert_true(ranks_differ(mixed, COUNT(mixed)));
    assert_false(ranks_differ(twice, COUNT(twice)));
    assert_true(ranks_differ(twice, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sorted_list_is_another_one),
        cmocka_unit_test(a_rank_that_comes_twice_is_found_wherever_it_stands),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
