/* plan_run_test.c - plans: what changes, what goes on, what is tried again, and what the scheduler
 * hears. */
#include "common/log.h"
#include "protocol/timing.h"
#include "tests/master/bed.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

static bed_t *two_nodes(void)
{
    bed_t *bed = bed_new();

    assert_int_equal(bed_hello(bed, 0, 2, ""), 0);
    assert_int_equal(bed_hello(bed, 1, 2, ""), 1);
    bed_scheduler(bed, "s");
    bed_skip(bed);
    return bed;
}

/* Brings `part` ("7.1"), which is on one node, from RUN to stable. */
static void make_stable(bed_t *bed, int node, const char *part)
{
    char text[128];

    (void)snprintf(text, sizeof(text), "%.60s ready", part);
    bed_says(bed, node, text);
    (void)snprintf(text, sizeof(text), "%.60s stable rate 2.5", part);
    bed_says(bed, node, text);
}

/* Job 7 is stable on node 0. */
static bed_t *with_a_job(void)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, "7 on 0,1"), 0);
    make_stable(bed, 0, "7.1");
    assert_true(bed_sent(bed, "settled 1"));
    bed_skip(bed);
    return bed;
}

/* ---- plans ---- */

TEST(a_scheduler_hears_of_the_nodes)
{
    bed_t *bed = bed_new();

    bed_scheduler(bed, "s");
    bed_expect(bed, "scheduler welcome\nnodes\n");
    assert_int_equal(bed_hello(bed, 0, 2, ""), 0);
    bed_expect(bed, "n0 welcome\nnodes up\n");
    assert_int_equal(bed_hello(bed, 1, 2, ""), 1);
    bed_expect(bed, "n1 welcome\nnodes up up\n");
    bed_goodbye(bed, 0);
    bed_expect(bed, "nodes down up\n");
    bed_destroy(&bed);
}

TEST(an_unchanged_job_goes_on_untouched)
{
    bed_t *bed = with_a_job();

    assert_int_equal(bed_plan(bed, 2, "7 on 0,1; 8 on 2"), 0);
    bed_expect(bed, "n1 run 8.1 gpus 0 ranks 0 of 1 at a1:9000 step 0\n");
    make_stable(bed, 1, "8.1");
    bed_expect(bed, "n1 begin 8.1 step 0\njob 8.1 stable step 0 overhead 0 rate 2.5\nsettled 2\n");
    bed_destroy(&bed);
}

TEST(a_job_with_another_batch_size_starts_anew)
{
    bed_t *bed = with_a_job();

    assert_int_equal(bed_plan(bed, 2, "7 on 0,1 batch 32 from 9"), 0);
    bed_expect(bed, "n0 stop 7.1 paused step 9 grace -1\n"
                    "n0 run 7.2 gpus 0,1 ranks 0,1 of 2 at a0:9001 step 9\n");
    bed_destroy(&bed);
}

TEST(a_plan_that_comes_again_changes_nothing)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, "7 on 0; 8 on 1; stop 9 done 1000"), 0);
    bed_expect(bed, "job 9.0 stopped step 1000\n"
                    "n0 run 7.1 gpus 0 ranks 0 of 1 at a0:9000 step 0\n"
                    "n0 run 8.1 gpus 1 ranks 0 of 1 at a0:9001 step 0\n");
    assert_int_equal(bed_plan(bed, 1, "7 on 0; 8 on 1; stop 9 done 1000"), 0);
    bed_expect(bed, "job 9.0 stopped step 1000\n");
    make_stable(bed, 0, "7.1");
    make_stable(bed, 0, "8.1");
    bed_skip(bed);
    assert_int_equal(bed_plan(bed, 1, "7 on 0; 8 on 1; stop 9 done 1000"), 0);
    bed_expect(bed, "job 7.1 stable step 0 overhead 0 rate 2.5\n"
                    "job 8.1 stable step 0 overhead 0 rate 2.5\n"
                    "job 9.0 stopped step 1000\nsettled 1\n");
    bed_destroy(&bed);
}

TEST(a_plan_that_comes_again_does_not_say_that_what_stops_trains)
{
    bed_t *bed = with_a_job();

    assert_int_equal(bed_plan(bed, 2, "7 on 1"), 0);
    bed_expect(bed, "n0 stop 7.1 paused step 0 grace -1\n"
                    "n0 run 7.2 gpus 1 ranks 0 of 1 at a0:9001 step 0\n");
    assert_int_equal(bed_plan(bed, 2, "7 on 1"), 0);
    bed_expect(bed, "");
    bed_destroy(&bed);
}

TEST(a_plan_that_comes_late_is_ignored)
{
    bed_t *bed = with_a_job();

    assert_int_equal(bed_plan(bed, 5, "7 on 0,1"), 0);
    bed_skip(bed);
    assert_int_equal(bed_plan(bed, 4, "8 on 0,1"), 0);
    bed_expect(bed, "");
    assert_int_equal(plan_run_stale(bed_plan_run(bed)), 1);
    bed_destroy(&bed);
}

TEST(a_plan_replaces_one_that_is_not_carried_out_yet)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, "7 on 0,1"), 0);
    assert_int_equal(bed_plan(bed, 2, "7 on 1"), 0);
    bed_expect(bed, "n0 run 7.1 gpus 0,1 ranks 0,1 of 2 at a0:9000 step 0\n"
                    "n0 stop 7.1 paused step 0 grace -1\n"
                    "n0 run 7.2 gpus 1 ranks 0 of 1 at a0:9001 step 0\n");
    bed_says(bed, 0, "7.2 ready");
    bed_expect(bed, "");
    bed_says(bed, 0, "7.1 stopped");
    bed_expect(bed, "n0 begin 7.2 step 0\n");
    bed_says(bed, 0, "7.2 stable rate 1");
    bed_expect(bed, "job 7.2 stable step 0 overhead 0 rate 1\nsettled 2\n");
    bed_destroy(&bed);
}

TEST(a_job_that_stands_nowhere_in_a_plan_stops)
{
    bed_t *bed = with_a_job();

    assert_int_equal(bed_plan(bed, 2, ""), 0);
    bed_expect(bed, "n0 stop 7.1 paused step -1 grace -1\n");
    bed_says(bed, 0, "7.1 stopped checkpoint 12");
    bed_expect(bed, "settled 2\n");
    /* The job goes on where it stopped. */
    assert_int_equal(bed_plan(bed, 3, "7 on 2"), 0);
    bed_expect(bed, "n1 run 7.2 gpus 0 ranks 0 of 1 at a1:9000 step 12\n");
    bed_destroy(&bed);
}

TEST(a_round_of_nothing_is_settled_at_once)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, ""), 0);
    bed_expect(bed, "settled 1\n");
    bed_destroy(&bed);
}

TEST(a_plan_that_makes_no_sense_is_refused_as_a_whole)
{
    static const struct {
        const char *plan;
        const char *sentence;
    } cases[] = {
        {"8 on 2; 7 on 0,0", "plan: the GPUs of job 7 do not rise"},
        {"8 on 2; 7 on 1,0", "plan: the GPUs of job 7 do not rise"},
        {"8 on 0,1; 7 on 1", "plan: GPU 1 is given to job 7 and to another one"},
        {"8 on 0; 8 on 1", "plan: job 8 is listed twice"},
        {"8 on 0; stop 8 done 5", "plan: job 8 is listed twice"},
    };
    bed_t *bed = with_a_job();

    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(bed_plan(bed, 2, cases[i].plan), -1);
        assert_string_equal(bed_refusal(bed), cases[i].sentence);
    }
    assert_int_equal(bed_plan(bed, 0, "7 on 0,1"), -1);
    assert_string_equal(bed_refusal(bed), "plan: rounds are counted from 1");
    bed_expect(bed, "");
    bed_destroy(&bed);
}

TEST(a_job_on_gpus_that_are_not_registered_is_lost)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, ""), 0);
    bed_skip(bed);
    assert_int_equal(bed_plan(bed, 2, "7 on 3,4 from 8; 8 on 0"), 0);
    bed_expect(bed, "nodes up up\n"
                    "job 7.0 lost step 8: no worker has registered these GPUs\n"
                    "n0 run 8.1 gpus 0 ranks 0 of 1 at a0:9000 step 0\n");
    make_stable(bed, 0, "8.1");
    assert_true(bed_sent(bed, "settled 2"));
    bed_destroy(&bed);
}

/* ---- ends ---- */

TEST(a_job_that_did_all_its_iterations_is_done)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, "7 on 0,2; slow"), 0);
    bed_says(bed, 0, "7.1 ready");
    bed_says(bed, 1, "7.1 ready");
    bed_says(bed, 0, "7.1 stable rate 1");
    bed_says(bed, 1, "7.1 stable rate 1");
    bed_skip(bed);
    bed_says(bed, 0, "7.1 done checkpoint 1000");
    bed_expect(bed, "");
    bed_says(bed, 1, "7.1 done");
    bed_expect(bed, "job 7.1 done step -1\n");
    /* A plan that was on its way does not start it again. */
    assert_int_equal(bed_plan(bed, 2, "7 on 0,1 from 900; slow"), 0);
    bed_expect(bed, "job 7.1 done step -1\nsettled 2\n");
    bed_destroy(&bed);
}

TEST(a_job_that_ends_before_it_hears_that_it_is_to_stop_is_done)
{
    bed_t *bed = with_a_job();

    assert_int_equal(bed_plan(bed, 2, "stop 7 paused 990"), 0);
    bed_skip(bed);
    bed_says(bed, 0, "7.1 done checkpoint 1000");
    bed_expect(bed, "job 7.1 done step -1\njob 7.1 stopped step 1000\nsettled 2\n");
    /* A plan that was made before the loss was heard starts nothing. */
    assert_int_equal(bed_plan(bed, 3, "7 on 2 from 990"), 0);
    bed_expect(bed, "job 7.1 done step -1\nsettled 3\n");
    bed_destroy(&bed);
}

TEST(a_job_that_is_done_while_it_is_to_move_is_not_moved)
{
    bed_t *bed = with_a_job();

    assert_int_equal(bed_plan(bed, 2, "7 on 2 from 990"), 0);
    bed_says(bed, 1, "7.2 ready");
    bed_skip(bed);
    bed_says(bed, 0, "7.1 done checkpoint 1000");
    assert_true(bed_sent(bed, "n1 stop 7.2 done"));
    assert_true(bed_sent(bed, "job 7.2 done step -1"));
    bed_says(bed, 1, "7.2 stopped");
    assert_true(bed_sent(bed, "settled 2"));
    assert_false(bed_sent(bed, "n1 begin"));
    bed_destroy(&bed);
}

TEST(a_move_without_a_checkpoint_goes_back_to_the_last_one)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    bed_says(bed, 0, "7.1 ready");
    bed_says(bed, 0, "7.1 stable step 0 checkpoint 0 rate 1");
    assert_int_equal(bed_plan(bed, 2, "7 on 1 from 500"), 0);
    bed_says(bed, 0, "7.2 ready");
    bed_skip(bed);
    bed_says(bed, 0, "7.1 failed cause killed");
    bed_expect(bed, "job 7.2 lost step 0: killed\n"
                    "n0 begin 7.2 step 0\n");
    bed_says(bed, 0, "7.2 stable step 0 rate 1");
    bed_expect(bed, "job 7.2 stable step 0 overhead 0 rate 1\nsettled 2\n");
    bed_destroy(&bed);
}

TEST(what_a_pause_did_not_save_is_told_with_its_cause)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, "7 on 0; slow"), 0);
    bed_says(bed, 0, "7.1 ready");
    bed_says(bed, 0, "7.1 stable step 5 checkpoint 0 rate 1");
    bed_beat(bed, 0, "7.1 stable step 130 checkpoint 100 rate 1");
    assert_int_equal(bed_plan(bed, 2, "8 on 1; stop 7 paused 120; slow"), 0);
    bed_skip(bed);
    bed_says(bed, 0, "7.1 failed step 135 checkpoint 100 cause full");
    assert_true(bed_sent(bed, "job 7.1 stopped step 100: full\n"));
    bed_destroy(&bed);
}

TEST(one_that_stops_after_its_last_checkpoint_has_lost_something)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, "7 on 0; slow"), 0);
    bed_says(bed, 0, "7.1 ready");
    bed_says(bed, 0, "7.1 stable step 5 checkpoint 0 rate 1");
    assert_int_equal(bed_plan(bed, 2, "7 on 1 from 100; slow"), 0);
    bed_says(bed, 0, "7.2 ready");
    bed_skip(bed);
    bed_says(bed, 0, "7.1 stopped step 135 checkpoint 100");
    assert_true(bed_sent(bed, "job 7.2 lost step 100: it stopped after its last checkpoint\n"));
    bed_destroy(&bed);
}

TEST(one_that_saved_all_has_not)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, "7 on 0; slow"), 0);
    bed_says(bed, 0, "7.1 ready");
    bed_says(bed, 0, "7.1 stable step 5 checkpoint 0 rate 1");
    assert_int_equal(bed_plan(bed, 2, "7 on 1 from 100; slow"), 0);
    bed_skip(bed);
    bed_says(bed, 0, "7.1 stopped step 135 checkpoint 135");
    bed_expect(bed, "");
    bed_destroy(&bed);
}

/* ---- faults ---- */

TEST(a_failed_part_ends_the_incarnation_and_the_next_begins_from_the_checkpoint)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, "7 on 1,2; slow"), 0);
    bed_says(bed, 0, "7.1 ready");
    bed_says(bed, 1, "7.1 ready");
    bed_says(bed, 0, "7.1 stable step 5 checkpoint 0 rate 1");
    bed_says(bed, 1, "7.1 stable rate 1");
    bed_beat(bed, 0, "7.1 stable step 130 checkpoint 100 rate 1");
    bed_skip(bed);
    bed_says(bed, 1, "7.1 failed cause killed");
    bed_expect(bed, "n0 stop 7.1 paused step -1 grace -1\n"
                    "job 7.1 lost step 100: killed\n"
                    "n0 run 7.2 gpus 1 ranks 0 of 2 at a0:9001 step 100\n"
                    "n1 run 7.2 gpus 0 ranks 1 of 2 at a0:9001 step 100\n");
    bed_says(bed, 0, "7.2 ready");
    bed_says(bed, 1, "7.2 ready");
    bed_expect(bed, "");
    bed_says(bed, 0, "7.1 stopped checkpoint 131");
    bed_expect(bed, "n0 begin 7.2 step 131\nn1 begin 7.2 step 131\n");
    bed_says(bed, 0, "7.2 stable step 131 rate 1");
    bed_says(bed, 1, "7.2 stable rate 1");
    bed_expect(bed, "job 7.2 stable step 131 overhead 0 rate 1\n");
    bed_destroy(&bed);
}

static void fail_once(bed_t *bed, int incarnation)
{
    char text[64];

    (void)snprintf(text, sizeof(text), "7.%d", incarnation);
    make_stable(bed, 0, text);
    (void)snprintf(text, sizeof(text), "7.%d failed cause crash", incarnation);
    bed_skip(bed);
    bed_says(bed, 0, text);
}

TEST(a_job_that_fails_too_often_is_held)
{
    bed_t *bed = two_nodes();
    char text[96];

    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    for (int failure = 1; failure <= RETRIES_MAX; failure++) {
        fail_once(bed, failure);
        (void)snprintf(text, sizeof(text),
                       "job 7.%d lost step 0: crash\n"
                       "n0 run 7.%d gpus 0 ranks 0 of 1 at a0:900%d step 0\n",
                       failure, failure + 1, failure);
        bed_expect(bed, text);
    }
    fail_once(bed, RETRIES_MAX + 1);
    bed_expect(bed, "job 7.6 held step 0: crash\n");
    /* The job stays held. */
    assert_int_equal(bed_plan(bed, 2, "7 on 0"), 0);
    bed_expect(bed, "job 7.6 held step 0: crash\nsettled 2\n");
    assert_int_equal(bed_plan(bed, 3, "stop 7 cancelled 0"), 0);
    bed_expect(bed, "job 7.6 stopped step 0\nsettled 3\n");
    bed_destroy(&bed);
}

TEST(a_job_that_cannot_run_at_all_is_held_at_once)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, "7 on 0,2"), 0);
    bed_skip(bed);
    bed_says(bed, 1, "7.1 failed noretry cause no-such-program");
    bed_expect(bed, "n0 stop 7.1 paused step -1 grace -1\n"
                    "job 7.1 held step 0: no-such-program\n");
    bed_says(bed, 0, "7.1 stopped");
    bed_expect(bed, "settled 1\n");
    bed_destroy(&bed);
}

TEST(the_last_part_to_fail_may_be_the_one_that_knows_that_it_is_hopeless)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, "7 on 0,2"), 0);
    bed_says(bed, 0, "7.1 failed cause connection");
    assert_true(bed_sent(bed, "n0 run 7.2"));
    bed_skip(bed);
    bed_says(bed, 1, "7.1 failed noretry cause no-such-program");
    bed_expect(bed, "n0 stop 7.2 paused step -1 grace -1\n"
                    "n1 stop 7.2 paused step -1 grace -1\n"
                    "job 7.2 held step 0: connection\n");
    bed_destroy(&bed);
}

TEST(a_failure_of_what_is_told_to_stop_costs_no_retry)
{
    bed_t *bed = two_nodes();
    char text[64];

    for (int i = 1; i <= 3 * RETRIES_MAX; i++) {
        (void)snprintf(text, sizeof(text), "7 on %d", i % 2);
        assert_int_equal(bed_plan(bed, (uint64_t)i, text), 0);
        if (i > 1) {
            (void)snprintf(text, sizeof(text), "7.%d failed cause killed", i - 1);
            bed_says(bed, 0, text);
        }
        (void)snprintf(text, sizeof(text), "7.%d", i);
        make_stable(bed, 0, text);
        (void)snprintf(text, sizeof(text), "settled %d", i);
        assert_true(bed_sent(bed, text));
    }
    bed_destroy(&bed);
}

TEST(all_parts_that_fail_at_once_are_one_failure)
{
    bed_t *bed = two_nodes();
    const int both[] = {0, 1};
    char text[64];

    assert_int_equal(bed_plan(bed, 1, "7 on 0,2"), 0);
    for (int i = 1; i <= RETRIES_MAX + 1; i++) {
        (void)snprintf(text, sizeof(text), "7.%d ready", i);
        bed_all_say(bed, both, 2, text);
        bed_skip(bed);
        (void)snprintf(text, sizeof(text), "7.%d failed cause crash", i);
        bed_all_say(bed, both, 2, text);
        (void)snprintf(text, sizeof(text), i <= RETRIES_MAX ? "job 7.%d lost" : "job 7.%d held", i);
        assert_true(bed_sent(bed, text));
    }
    bed_destroy(&bed);
}

TEST(a_job_that_stops_by_itself_has_failed)
{
    bed_t *bed = with_a_job();

    bed_says(bed, 0, "7.1 stopped checkpoint 3");
    bed_expect(bed, "job 7.1 lost step 3: stopped\n"
                    "n0 run 7.2 gpus 0,1 ranks 0,1 of 2 at a0:9001 step 3\n");
    bed_destroy(&bed);
}

TEST(a_lost_job_waits_for_the_next_plan)
{
    bed_t *bed = with_a_job();

    assert_int_equal(bed_plan(bed, 2, "7 on 0,1; 8 on 2"), 0);
    bed_goodbye(bed, 0);
    bed_expect(bed, "n1 run 8.1 gpus 0 ranks 0 of 1 at a1:9000 step 0\n"
                    "nodes down up\njob 7.1 lost step 0: worker w0 is down: goodbye\n");
    make_stable(bed, 1, "8.1");
    assert_true(bed_sent(bed, "settled 2"));
    bed_skip(bed);
    bed_pass(bed, BED_FENCE_US);
    bed_beat(bed, 1, "8.1 stable");
    bed_expect(bed, "");
    assert_int_equal(bed_plan(bed, 3, "7 on 3; 8 on 2"), 0);
    bed_expect(bed, "n1 run 7.2 gpus 1 ranks 0 of 1 at a1:9001 step 0\n");
    bed_destroy(&bed);
}

TEST(a_round_in_which_a_node_dies_is_settled)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, "7 on 1,2"), 0);
    bed_says(bed, 0, "7.1 ready");
    bed_skip(bed);
    bed_silent(bed, 1);
    bed_expect(bed, "nodes up down\nn0 stop 7.1 paused step -1 grace -1\n"
                    "job 7.1 lost step 0: worker w1 is down: silent\nsettled 1\n");
    bed_destroy(&bed);
}

TEST(a_lease_of_a_dead_node_holds_up_no_round)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, "7 on 0,1; 8 on 2"), 0);
    bed_says(bed, 0, "7.1 ready");
    bed_says(bed, 0, "7.1 stable");
    bed_says(bed, 1, "8.1 ready");
    bed_says(bed, 1, "8.1 stable");
    bed_silent(bed, 0);
    bed_skip(bed);
    assert_int_equal(bed_plan(bed, 2, "8 on 2; stop 7 at 5"), 0);
    bed_expect(bed, "settled 2\n");
    assert_int_equal(bed_plan(bed, 3, "8 on 2; 7 on 3 from 5"), 0);
    bed_expect(bed, "n1 run 7.2 gpus 1 ranks 0 of 1 at a1:9001 step 5\n"
                    "job 7.2 waiting step 5: it waits for the lease of what worker w0 held of it\n"
                    "settled 3\n");
    bed_says(bed, 1, "7.2 ready");
    bed_pass(bed, BED_FENCE_US);
    bed_expect(bed, "n1 begin 7.2 step 5\n");
    bed_says(bed, 1, "7.2 stable");
    bed_expect(bed, "job 7.2 stable step 5 overhead 0 rate 0\n");
    bed_destroy(&bed);
}

/* ---- schedulers ---- */

TEST(jobs_run_on_without_a_scheduler)
{
    bed_t *bed = with_a_job();

    bed_scheduler_gone(bed, false);
    for (int i = 0; i < 100; i++) {
        bed_pass(bed, BED_HEARTBEAT_US);
        bed_beat(bed, 0, "7.1 stable");
    }
    assert_int_equal(bed_leases(bed), 100);
    bed_expect(bed, "");
    bed_scheduler(bed, "s");
    assert_int_equal(bed_plan(bed, 1, "7 on 0,1"), 0);
    bed_expect(bed, "scheduler welcome\nnodes up up\nprogress 7.1 at -1\n"
                    "job 7.1 stable step 0 overhead 0 rate 2.5\nsettled 1\n");
    assert_int_equal(bed_plan(bed, 2, "7 on 0,1"), 0);
    bed_expect(bed, "settled 2\n");
    bed_destroy(&bed);
}

TEST(a_goodbye_stops_every_job)
{
    bed_t *bed = with_a_job();

    bed_scheduler_gone(bed, true);
    bed_expect(bed, "n0 stop 7.1 paused step -1 grace -1\n");
    bed_scheduler(bed, "s");
    bed_skip(bed);
    /* Job 7 of the next one is another job, that does not begin beside this one. */
    assert_int_equal(bed_plan(bed, 1, "7 on 2,3 from 40"), 0);
    bed_says(bed, 1, "7.2 ready");
    bed_expect(bed, "n1 run 7.2 gpus 0,1 ranks 0,1 of 2 at a1:9000 step 40\n");
    bed_says(bed, 0, "7.1 stopped checkpoint 999");
    bed_expect(bed, "n1 begin 7.2 step 40\n");
    bed_destroy(&bed);
}

TEST(a_master_that_ends_stops_every_job_and_starts_none)
{
    bed_t *bed = with_a_job();

    assert_int_equal(bed_plan(bed, 2, "7 on 0,1; 8 on 2"), 0);
    bed_skip(bed);
    plan_run_end(bed_plan_run(bed), bed_now_us(bed));
    bed_expect(bed, "n0 stop 7.1 paused step -1 grace -1\nn1 stop 8.1 paused step -1 grace -1\n");
    assert_int_equal(bed_plan(bed, 3, "7 on 0,1"), 0);
    bed_says(bed, 0, "7.1 failed cause killed");
    bed_says(bed, 1, "8.1 stopped");
    bed_expect(bed, "");
    bed_destroy(&bed);
}

TEST(another_scheduler_starts_from_nothing)
{
    static const struct {
        const char *name;
        uint64_t round;
        const char *plan;
    } cases[] = {
        {"t", 5, "7 on 0,1"}, /* another name */
        {"s", 1, "7 on 0,1"}, /* rounds begin anew */
        {"s", 5, "7 on 0"},   /* the round is the same, and the plan is not */
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        bed_t *bed = with_a_job();

        assert_int_equal(bed_plan(bed, 5, "7 on 0,1"), 0);
        bed_scheduler_gone(bed, false);
        bed_skip(bed);
        bed_scheduler(bed, cases[i].name);
        bed_expect(bed, "scheduler welcome\nnodes up up\nprogress 7.1 at -1\n");
        assert_int_equal(bed_plan(bed, cases[i].round, cases[i].plan), 0);
        assert_true(bed_sent(bed, "n0 stop 7.1 paused step -1 grace -1"));
        assert_true(bed_sent(bed, "n0 run 7.2"));
        bed_destroy(&bed);
    }
}

TEST(the_scheduler_hears_how_far_jobs_are)
{
    bed_t *bed = with_a_job();

    assert_int_equal(bed_plan(bed, 2, "7 on 0,1 from 20; 8 on 2; slow"), 0);
    bed_says(bed, 0, "7.1 stopped checkpoint 20");
    bed_says(bed, 0, "7.2 ready");
    bed_says(bed, 0, "7.2 running step 25 rate 1");
    bed_skip(bed);
    plan_run_heartbeat(bed_plan_run(bed));
    bed_expect(bed, "progress 7.2 at 25\n");
    bed_scheduler_gone(bed, false);
    plan_run_heartbeat(bed_plan_run(bed));
    bed_expect(bed, "");
    bed_destroy(&bed);
}

/* ---- programs ---- */

/* Job 7 executes "x" and is stable on node 0. */
static bed_t *with_a_program(void)
{
    bed_t *bed = two_nodes();

    bed_program(bed, 7, "x");
    assert_int_equal(bed_plan(bed, 1, "7 on 0,1; 8 on 2"), 0);
    bed_expect(bed, "n0 run 7.1 gpus 0,1 ranks 0,1 of 2 at a0:9000 step 0 program x\n"
                    "n1 run 8.1 gpus 0 ranks 0 of 1 at a1:9000 step 0\n");
    make_stable(bed, 0, "7.1");
    make_stable(bed, 1, "8.1");
    bed_skip(bed);
    return bed;
}

TEST(a_changed_plan_keeps_the_program)
{
    bed_t *bed = with_a_program();

    assert_int_equal(bed_plan(bed, 2, "7 on 0 from 9; 8 on 2"), 0);
    assert_true(bed_sent(bed, "n0 run 7.2 gpus 0 ranks 0 of 1 at a0:9001 step 9 program x"));
    bed_destroy(&bed);
}

TEST(a_job_that_is_tried_again_keeps_it_too)
{
    bed_t *bed = with_a_program();

    bed_says(bed, 0, "7.1 failed checkpoint 4");
    assert_true(bed_sent(bed, "n0 run 7.2 gpus 0,1 ranks 0,1 of 2 at a0:9001 step 4 program x"));
    bed_destroy(&bed);
}

TEST(a_job_that_was_paused_goes_on_with_it)
{
    bed_t *bed = with_a_program();

    assert_int_equal(bed_plan(bed, 2, "8 on 2; stop 7 paused 5"), 0);
    bed_says(bed, 0, "7.1 stopped");
    bed_skip(bed);
    assert_int_equal(bed_plan(bed, 3, "7 on 0,1 from 5; 8 on 2"), 0);
    assert_true(bed_sent(bed, "n0 run 7.2 gpus 0,1 ranks 0,1 of 2 at a0:9001 step 5 program x"));
    bed_destroy(&bed);
}

TEST(the_program_goes_with_its_job)
{
    bed_t *bed = with_a_program();

    assert_int_equal(bed_plan(bed, 2, "8 on 2; stop 7 cancelled 5"), 0);
    bed_says(bed, 0, "7.1 stopped");
    bed_skip(bed);
    assert_int_equal(bed_plan(bed, 3, "7 on 0,1; 8 on 2"), 0);
    assert_true(bed_sent(bed, "n0 run 7.2 gpus 0,1 ranks 0,1 of 2 at a0:9001 step 0\n"));
    bed_destroy(&bed);
}

TEST(another_scheduler_says_its_own)
{
    bed_t *bed = with_a_program();

    bed_scheduler_gone(bed, false);
    bed_scheduler(bed, "t");
    bed_program(bed, 9, "y");
    bed_skip(bed);
    assert_int_equal(bed_plan(bed, 1, "9 on 3; 7 on 0,1"), 0);
    assert_true(bed_sent(bed, "n1 run 9.1 gpus 1 ranks 0 of 1 at a1:9001 step 0 program y"));
    assert_true(bed_sent(bed, "n0 run 7.2 gpus 0,1 ranks 0,1 of 2 at a0:9001 step 0\n"));
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
