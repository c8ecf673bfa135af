/* job_number_test.c - numbers of jobs: of this job alone, and what they are called. */
#include "protocol/job_number.h"
#include "tests/support/test.h"

TEST(a_number_is_made_of_run_and_row)
{
    const uint64_t number = job_number_make(0x3fa2c1, 7);

    assert_int_equal(job_number_run(number), 0x3fa2c1);
    assert_int_equal(job_number_row(number), 7);
    assert_int_equal(job_number_make(0, 7), 7);
}

TEST(the_largest_number_is_no_negative_one)
{
    const uint64_t largest = job_number_make(RUN_ID_MAX, UINT32_MAX);

    assert_true(largest == INT64_MAX);
    assert_string_equal(job_number_name(largest).text, "7fffffff-4294967295");
}

TEST(a_name_has_the_run_but_for_that_of_simulations)
{
    assert_string_equal(job_number_name(job_number_make(0x3fa2c1, 7)).text, "3fa2c1-7");
    assert_string_equal(job_number_name(7).text, "7");
    assert_string_equal(job_number_name(UINT64_MAX).text, "ffffffff-4294967295");
}

TEST(runs_are_drawn_apart)
{
    const uint32_t first = job_number_draw_run();
    int same = 0;

    for (int i = 0; i < 1000; i++) {
        const uint32_t run = job_number_draw_run();

        assert_in_range(run, 1, RUN_ID_MAX);
        same += run == first;
    }
    assert_in_range(same, 0, 1); /* one is as likely as 1 to 2,000,000 */
}

int main(void)
{
    return tests_run(NULL, NULL);
}
