/* patience_test.c - a program that begins and is never stable: when it counts as failed, and when
 * it does not. */
#include "common/log.h"
#include "protocol/timing.h"
#include "tests/master/bed.h"
#include "tests/support/test.h"

#include <stdio.h>

/* Job 7 has begun on node 0, and says nothing of being stable. */
static bed_t *with_a_job(const char *plan)
{
    bed_t *bed = bed_new_bounded();

    assert_int_equal(bed_hello(bed, 0, 2, ""), 0);
    bed_scheduler(bed, "s");
    assert_int_equal(bed_plan(bed, 1, plan), 0);
    bed_says(bed, 0, "7.1 ready");
    assert_true(bed_sent(bed, "n0 begin 7.1"));
    bed_says(bed, 0, "7.1 running");
    bed_skip(bed);
    return bed;
}

/* The worker lives, and says so. */
static void pass(bed_t *bed, int64_t us, const char *parts)
{
    bed_pass(bed, us);
    bed_beat(bed, 0, parts);
}

TEST(what_is_not_stable_in_time_is_tried_again)
{
    bed_t *bed = with_a_job("7 on 0");

    pass(bed, BED_STABLE_US - 1, "7.1 running");
    bed_expect(bed, "");
    bed_pass(bed, 1);
    bed_expect(bed, "n0 stop 7.1 paused step -1 grace -1\n"
                    "job 7.1 lost step 0: not stable within 30 s\n"
                    "n0 run 7.2 gpus 0 ranks 0 of 1 at a0:9001 step 0\n");
    bed_says(bed, 0, "7.1 stopped");
    bed_says(bed, 0, "7.2 ready");
    bed_says(bed, 0, "7.2 stable rate 2.5");
    bed_expect(bed, "n0 begin 7.2 step 0\n"
                    "job 7.2 stable step 0 overhead 0 rate 2.5\nsettled 1\n");
    pass(bed, 10 * BED_STABLE_US, "7.2 stable rate 2.5");
    bed_expect(bed, "");
    bed_destroy(&bed);
}

TEST(what_is_never_stable_is_held)
{
    bed_t *bed = with_a_job("7 on 0");
    char text[64];

    for (int try = 1; try <= RETRIES_MAX; try++) {
        bed_pass(bed, BED_STABLE_US);
        (void)snprintf(text, sizeof(text), "7.%d stopped", try);
        bed_says(bed, 0, text);
        (void)snprintf(text, sizeof(text), "7.%d ready", try + 1);
        bed_says(bed, 0, text);
    }
    bed_skip(bed);
    bed_pass(bed, BED_STABLE_US);
    bed_expect(bed, "n0 stop 7.6 paused step -1 grace -1\n"
                    "job 7.6 held step 0: not stable within 30 s\n");
    bed_says(bed, 0, "7.6 stopped");
    bed_expect(bed, "settled 1\n");
    bed_destroy(&bed);
}

TEST(what_waits_for_its_gpus_has_all_the_time_there_is)
{
    bed_t *bed = with_a_job("7 on 0");

    bed_says(bed, 0, "7.1 stable rate 1");
    assert_int_equal(bed_plan(bed, 2, "8 on 0"), 0);
    bed_says(bed, 0, "8.1 ready");
    bed_skip(bed);
    pass(bed, 10 * BED_STABLE_US, "7.1 stopping,8.1 ready");
    bed_expect(bed, "");
    bed_destroy(&bed);
}

TEST(an_emulated_start_may_take_what_the_plan_says)
{
    bed_t *bed = with_a_job("7 on 0; slow"); /* two seconds */

    pass(bed, BED_STABLE_US + 2 * BED_SECOND_US - 1, "7.1 running");
    bed_expect(bed, "");
    bed_pass(bed, 1);
    assert_true(bed_sent(bed, "job 7.1 lost step -1: not stable within 32 s"));
    bed_skip(bed);
    bed_destroy(&bed);
}

TEST(without_a_bound_it_is_waited_for)
{
    bed_t *bed = bed_new();

    assert_int_equal(bed_hello(bed, 0, 2, ""), 0);
    bed_scheduler(bed, "s");
    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    bed_says(bed, 0, "7.1 ready");
    bed_skip(bed);
    pass(bed, 1000 * BED_STABLE_US, "7.1 running");
    bed_expect(bed, "");
    bed_destroy(&bed);
}

FIXTURE(quiet)
{
    return log_to_file("/dev/null");
}

int main(void)
{
    return tests_run(quiet, NULL);
}
