/* reattach_test.c - what a master that is new makes of parts that workers hold already, and of ends
 * that it hears of late. */
#include "common/log.h"
#include "tests/master/bed.h"
#include "tests/support/test.h"

/* A scheduler with its plan is there before the second of two workers is. */
static bed_t *one_is_missing(const char *parts, const char *plan)
{
    bed_t *bed = bed_new_expecting(2);

    bed_scheduler(bed, "s");
    assert_int_equal(bed_return(bed, 0, 2, parts), 0);
    assert_int_equal(bed_plan(bed, 5, plan), 0);
    bed_pass(bed, 1);
    bed_skip(bed);
    return bed;
}

TEST(a_job_goes_on_as_planned)
{
    bed_t *bed = one_is_missing("7.3 stable step 40 checkpoint 20 rate 2.5 of 2", "7 on 0,1,2,3");

    assert_int_equal(bed_return(bed, 1, 2, "7.3 stable rate 2.5 of 2"), 1);
    bed_expect(bed, "n1 welcome\nnodes up up\n");
    bed_pass(bed, 1);
    bed_expect(bed, "job 7.3 stable step 40 overhead 0 rate 2.5\nsettled 5\n");
    bed_beat(bed, 0, "7.3 stable step 41 checkpoint 20 rate 2.5");
    bed_beat(bed, 1, "7.3 stable rate 2.5");
    bed_expect(bed, "");
    /* The next incarnation has the next number and begins from the checkpoint. */
    assert_int_equal(bed_plan(bed, 6, "7 on 0,1"), 0);
    bed_says(bed, 0, "7.3 stopped checkpoint 45");
    bed_says(bed, 1, "7.3 stopped");
    bed_says(bed, 0, "7.4 ready");
    assert_true(bed_sent(bed, "n0 stop 7.3 paused step 0"));
    assert_true(bed_sent(bed, "n0 begin 7.4 step 45"));
    bed_destroy(&bed);
}

TEST(a_job_that_is_planned_elsewhere_moves_with_its_checkpoint)
{
    bed_t *bed = one_is_missing("7.3 stable step 40 checkpoint 20", "7 on 2,3");

    assert_int_equal(bed_return(bed, 1, 2, ""), 1);
    bed_skip(bed);
    bed_pass(bed, 1);
    bed_expect(bed, "n0 stop 7.3 paused step 0 grace -1\n"
                    "n1 run 7.4 gpus 0,1 ranks 0,1 of 2 at a1:9000 step 20\n");
    bed_says(bed, 1, "7.4 ready");
    bed_expect(bed, "");
    bed_says(bed, 0, "7.3 stopped checkpoint 41");
    bed_expect(bed, "n1 begin 7.4 step 41\n");
    bed_destroy(&bed);
}

TEST(what_no_plan_wants_runs_until_one_comes)
{
    bed_t *bed = bed_new();

    assert_int_equal(bed_return(bed, 0, 2, "7.3 stable step 40"), 0);
    bed_pass(bed, 3 * BED_FENCE_US);
    bed_beat(bed, 0, "7.3 stable step 90");
    bed_expect(bed, "n0 welcome\n");
    bed_scheduler(bed, "s");
    assert_int_equal(bed_plan(bed, 5, ""), 0);
    bed_expect(
        bed,
        "scheduler welcome\nnodes up\nprogress 7.3 at -1\nn0 stop 7.3 paused step -1 grace -1\n");
    bed_says(bed, 0, "7.3 stopped checkpoint 91");
    bed_expect(bed, "settled 5\n");
    bed_destroy(&bed);
}

TEST(a_job_of_which_a_part_is_missing_starts_from_its_checkpoint)
{
    bed_t *bed =
        one_is_missing("7.3 stable step 40 checkpoint 20 of 2, 8.1 done", "7 on 0,1 from 40; slow");

    bed_beat(bed, 0, "7.3 stable step 40 checkpoint 20");
    bed_pass(bed, BED_FENCE_US);
    bed_expect(bed, "n0 run 7.4 gpus 0,1 ranks 0,1 of 2 at a0:9001 step 20\n"
                    "n0 stop 7.3 paused step -1 grace -1\n"
                    "job 8.1 done step -1 ended 12 s before\n");
    bed_destroy(&bed);
}

TEST(a_checkpoint_that_is_not_known_is_not_made_up)
{
    bed_t *bed = one_is_missing("", "7 on 0,1 from 40; slow");

    assert_int_equal(bed_return(bed, 1, 2, ""), 1);
    bed_skip(bed);
    bed_pass(bed, 1);
    bed_expect(bed, "n0 run 7.1 gpus 0,1 ranks 0,1 of 2 at a0:9000 step -1\n");
    bed_destroy(&bed);
}

TEST(a_job_that_was_done_meanwhile_is_done)
{
    bed_t *bed = one_is_missing("7.3 done checkpoint 1000", "7 on 0,1");

    bed_beat(bed, 0, ""); /* it knows that the master knows */
    assert_int_equal(bed_return(bed, 1, 2, ""), 1);
    bed_skip(bed);
    bed_pass(bed, 1);
    bed_expect(bed, "job 7.3 done step -1\nsettled 5\n");
    bed_destroy(&bed);
}

TEST(two_that_claim_a_gpu_do_not_both_go_on)
{
    bed_t *bed = one_is_missing("7.3 stable, 8.2 stable", "7 on 0,1");

    assert_int_equal(bed_return(bed, 1, 2, ""), 1);
    bed_skip(bed);
    bed_pass(bed, 1);
    assert_true(bed_sent(bed, "n0 stop 8.2 paused"));
    assert_true(bed_sent(bed, "job 7.3 stable"));
    bed_destroy(&bed);
}

TEST(a_job_whose_end_is_heard_after_its_lease_is_done)
{
    bed_t *bed = bed_new();

    assert_int_equal(bed_hello(bed, 0, 2, ""), 0);
    assert_int_equal(bed_hello(bed, 1, 2, ""), 1);
    bed_scheduler(bed, "s");
    assert_int_equal(bed_plan(bed, 1, "7 on 0,1"), 0);
    bed_says(bed, 0, "7.1 ready");
    bed_says(bed, 0, "7.1 stable rate 2.5 step 0");
    bed_silent(bed, 0);
    bed_pass(bed, BED_FENCE_US);
    assert_int_equal(bed_plan(bed, 2, "7 on 2,3"), 0);
    bed_says(bed, 1, "7.2 ready");
    bed_skip(bed);
    assert_int_equal(bed_hello(bed, 0, 2, "7.1 done checkpoint 1000"), 0);
    assert_true(bed_sent(bed, "n1 stop 7.2 done"));
    assert_true(bed_sent(bed, "job 7.2 done step -1"));
    bed_destroy(&bed);
}

/* ---- when a job ended ---- */

static bed_t *with_a_job_on_both(void)
{
    bed_t *bed = bed_new_expecting(2);

    assert_int_equal(bed_hello(bed, 0, 2, ""), 0);
    assert_int_equal(bed_hello(bed, 1, 2, ""), 1);
    bed_scheduler(bed, "s");
    assert_int_equal(bed_plan(bed, 1, "7 on 0,1,2,3; slow"), 0);
    bed_all_say(bed, (const int[]){0, 1}, 2, "7.1 ready");
    bed_all_say(bed, (const int[]){0, 1}, 2, "7.1 stable rate 2.5 step 0");
    bed_pass(bed, 100 * BED_SECOND_US);
    bed_skip(bed);
    return bed;
}

TEST(a_job_ended_when_the_last_of_its_parts_did)
{
    bed_t *bed = with_a_job_on_both();

    bed_says(bed, 1, "7.1 done before 40");
    bed_pass(bed, 5 * BED_SECOND_US);
    bed_says(bed, 0, "7.1 done step 1000 before 60");
    assert_true(bed_sent(bed, "job 7.1 done step 1000 ended 45 s before"));
    bed_pass(bed, 7 * BED_SECOND_US); /* and is told again as it was */
    bed_skip(bed);
    assert_int_equal(bed_plan(bed, 1, "7 on 0,1,2,3; slow"), 0);
    bed_expect(bed, "job 7.1 done step 1000 ended 52 s before\nsettled 1\n");
    bed_destroy(&bed);
}

TEST(an_end_is_dated_by_the_clock_of_its_worker)
{
    static const int64_t ahead_us[] = {-999 * BED_SECOND_US, -5000 * BED_SECOND_US,
                                       3600 * BED_SECOND_US, INT64_C(1) << 59};

    for (size_t i = 0; i < sizeof(ahead_us) / sizeof(*ahead_us); i++) {
        bed_t *bed = bed_new();

        bed_clocks(bed, ahead_us[i], 0);
        assert_int_equal(bed_hello(bed, 0, 2, ""), 0);
        bed_scheduler(bed, "s");
        assert_int_equal(bed_plan(bed, 1, "7 on 0,1; slow"), 0);
        bed_says(bed, 0, "7.1 ready");
        bed_says(bed, 0, "7.1 stable rate 2.5 step 0");
        bed_pass(bed, 100 * BED_SECOND_US);
        bed_clocks(bed, ahead_us[i], 30 * BED_SECOND_US); /* the message waited on its way */
        bed_beat(bed, 0, "7.1 stable step 5");
        bed_says(bed, 0, "7.1 done step 1000 before 20");
        assert_true(bed_sent(bed, "job 7.1 done step 1000 ended 50 s before"));
        bed_destroy(&bed);
    }
}

TEST(no_end_is_before_the_beginning_or_to_come)
{
    static const char *const says[] = {"7.1 done step 1000 before 5000",
                                       "7.1 done step 1000 before -5000", "7.1 done step 1000"};
    static const char *const told[] = {"job 7.1 done step 1000 ended 100 s before\n",
                                       "job 7.1 done step 1000\n", "job 7.1 done step 1000\n"};

    for (size_t i = 0; i < 3; i++) {
        bed_t *bed = with_a_job_on_both();

        bed_says(bed, 1, "7.1 done before 50");
        bed_says(bed, 0, says[i]);
        assert_true(bed_sent(bed, i == 0 ? "job 7.1 done step 1000 ended 50 s before" : told[i]));
        bed_destroy(&bed);
        bed = with_a_job_on_both();
        bed_says(bed, 1, i == 0 ? "7.1 done before 5000" : "7.1 done");
        bed_says(bed, 0, says[i]);
        assert_true(bed_sent(bed, told[i]));
        bed_destroy(&bed);
    }
}

/* A worker in the place of one that was killed tells the end, on another machine or after a start
 * of its own: its clock is another. */
TEST(an_end_that_another_worker_tells_is_dated_by_the_clock_of_that_one)
{
    for (int after_lease = 0; after_lease < 2; after_lease++) {
        bed_t *bed = bed_new();

        bed_clocks(bed, 900 * BED_SECOND_US, 0);
        assert_int_equal(bed_hello(bed, 0, 2, ""), 0);
        bed_scheduler(bed, "s");
        assert_int_equal(bed_plan(bed, 1, "7 on 0,1; slow"), 0);
        bed_says(bed, 0, "7.1 ready");
        bed_says(bed, 0, "7.1 stable rate 2.5 step 0");
        bed_pass(bed, BED_SECOND_US);
        bed_silent(bed, 0);
        bed_pass(bed, after_lease ? BED_FENCE_US : BED_SECOND_US);
        bed_pass(bed, 30 * BED_SECOND_US * after_lease);
        bed_clocks(bed, -700 * BED_SECOND_US, 0);
        assert_int_equal(bed_hello(bed, 0, 2, "7.1 done step 1000 before 1"), 0);
        assert_true(bed_sent(bed, "job 7.1 done step 1000 ended 1 s before"));
        bed_destroy(&bed);
    }
}

TEST(a_master_that_is_new_knows_when_a_job_ended)
{
    bed_t *bed = one_is_missing("7.3 done step 1000 before 2000", "7 on 0,1");

    assert_int_equal(bed_return(bed, 1, 2, ""), 1);
    bed_pass(bed, 1);
    assert_true(bed_sent(bed, "job 7.3 done step 1000 ended 2000 s before"));
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
