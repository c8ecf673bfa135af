/* incarnations_test.c - the latest incarnation of a job that was named is known, in whatever order
 * they come. */
#include "worker/incarnations.h"

#include "tests/support/test.h"

TEST(of_a_job_that_was_never_named_there_is_none)
{
    incarnations_t *named = incarnations_new();

    assert_int_equal(incarnations_latest(named, 1), 0);
    incarnations_name(named, 2, 5);
    assert_int_equal(incarnations_latest(named, 1), 0);
    assert_int_equal(incarnations_latest(named, 3), 0);
    incarnations_destroy(&named);
    assert_null(named);
    incarnations_destroy(&named);
}

TEST(an_earlier_one_does_not_replace_a_later_one)
{
    incarnations_t *named = incarnations_new();

    incarnations_name(named, 7, 2);
    incarnations_name(named, 7, 1);
    assert_int_equal(incarnations_latest(named, 7), 2);
    incarnations_name(named, 7, 3);
    assert_int_equal(incarnations_latest(named, 7), 3);
    incarnations_destroy(&named);
}

/* 37 and 101 have no common factor, so that every job from 0 to 100 comes once, out of order. */
TEST(jobs_are_told_apart_in_whatever_order_they_come)
{
    incarnations_t *named = incarnations_new();

    for (uint64_t i = 0; i < 101; i++)
        incarnations_name(named, i * 37 % 101, (uint32_t)(i * 37 % 101) + 1);
    for (uint64_t job = 0; job < 101; job++)
        assert_int_equal(incarnations_latest(named, job), job + 1);
    assert_int_equal(incarnations_latest(named, 101), 0);
    incarnations_destroy(&named);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
