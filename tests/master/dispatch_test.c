/* dispatch_test.c - messages to workers: which part may begin when, what is sent again, and what is
 * not believed. */
#include "common/log.h"
#include "tests/master/bed.h"
#include "tests/support/test.h"

/* Two nodes of two GPUs, and a scheduler; what was said meanwhile is forgotten. */
static bed_t *two_nodes(void)
{
    bed_t *bed = bed_new();

    assert_int_equal(bed_hello(bed, 0, 2, ""), 0);
    assert_int_equal(bed_hello(bed, 1, 2, ""), 1);
    bed_scheduler(bed, "s");
    bed_skip(bed);
    return bed;
}

/* The same with job 7 stable on the GPUs of node 0. */
static bed_t *with_a_job(void)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, "7 on 0,1"), 0);
    bed_says(bed, 0, "7.1 ready");
    bed_says(bed, 0, "7.1 running");
    bed_says(bed, 0, "7.1 stable step 0 overhead 2000 rate 2.5");
    assert_true(bed_sent(bed, "settled 1"));
    bed_skip(bed);
    return bed;
}

/* ---- the way of an incarnation ---- */

TEST(a_job_begins_when_all_its_parts_are_ready)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, "7 on 0,1,2 from 5"), 0);
    bed_expect(bed, "n0 run 7.1 gpus 0,1 ranks 0,1 of 3 at a0:9000 step 5\n"
                    "n1 run 7.1 gpus 0 ranks 2 of 3 at a0:9000 step 5\n");
    bed_says(bed, 1, "7.1 preparing");
    bed_says(bed, 0, "7.1 ready");
    bed_expect(bed, "");
    assert_null(dispatch_holder(bed_dispatch(bed), 0));
    bed_says(bed, 1, "7.1 ready");
    bed_expect(bed, "n0 begin 7.1 step 5\nn1 begin 7.1 step 5\n");
    assert_non_null(dispatch_holder(bed_dispatch(bed), 0));
    assert_null(dispatch_holder(bed_dispatch(bed), 3));
    bed_says(bed, 0, "7.1 stable step 5 overhead 2000 rate 2.5");
    bed_expect(bed, "");
    bed_says(bed, 1, "7.1 stable overhead 3000 rate 99");
    bed_expect(bed, "job 7.1 stable step 5 overhead 3000 rate 2.5\nsettled 1\n");
    bed_destroy(&bed);
}

TEST(a_gpu_is_given_away_only_after_a_confirmed_exit)
{
    bed_t *bed = with_a_job();

    assert_int_equal(bed_plan(bed, 2, "8 on 0; stop 7 paused 50"), 0);
    bed_expect(bed, "n0 stop 7.1 paused step 50 grace -1\n"
                    "n0 run 8.1 gpus 0 ranks 0 of 1 at a0:9001 step 0\n");
    bed_says(bed, 0, "8.1 ready"); /* a worker that is wrong */
    bed_expect(bed, "");
    bed_says(bed, 0, "7.1 stopping");
    bed_expect(bed, "");
    bed_says(bed, 0, "7.1 stopped checkpoint 50");
    bed_expect(bed, "job 7.1 stopped step 50\nn0 begin 8.1 step 0\n");
    bed_destroy(&bed);
}

TEST(a_job_moves_only_when_it_has_stopped_everywhere)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, "7 on 0,2"), 0);
    bed_says(bed, 0, "7.1 ready");
    bed_says(bed, 1, "7.1 ready");
    bed_says(bed, 0, "7.1 stable rate 1");
    bed_says(bed, 1, "7.1 stable rate 1");
    bed_skip(bed);
    assert_int_equal(bed_plan(bed, 2, "7 on 1 from 40"), 0);
    bed_expect(bed, "n0 stop 7.1 paused step 40 grace -1\n"
                    "n1 stop 7.1 paused step 40 grace -1\n"
                    "n0 run 7.2 gpus 1 ranks 0 of 1 at a0:9001 step 40\n");
    bed_says(bed, 0, "7.2 ready");
    bed_says(bed, 0, "7.1 stopped checkpoint 40");
    bed_expect(bed, "");
    bed_says(bed, 1, "7.1 stopped");
    bed_expect(bed, "n0 begin 7.2 step 40\n");
    bed_destroy(&bed);
}

/* ---- leases ---- */

TEST(a_job_of_a_dead_node_begins_elsewhere_after_its_lease)
{
    bed_t *bed = with_a_job();

    bed_beat(bed, 0, "7.1 stable");
    bed_silent(bed, 0);
    bed_expect(bed, "nodes down up\njob 7.1 lost step 0: worker w0 is down: silent\n");
    assert_int_equal(bed_plan(bed, 2, "7 on 2,3 from 10"), 0);
    bed_says(bed, 1, "7.2 ready");
    bed_expect(bed, "n1 run 7.2 gpus 0,1 ranks 0,1 of 2 at a1:9000 step 10\n"
                    "job 7.2 waiting step 10: it waits for the lease of what worker w0 held of it\n"
                    "settled 2\n");
    bed_pass(bed, BED_FENCE_US - 1);
    bed_expect(bed, "");
    assert_non_null(dispatch_holder(bed_dispatch(bed), 0));
    bed_pass(bed, 1);
    bed_expect(bed, "n1 begin 7.2 step 10\n");
    assert_null(dispatch_holder(bed_dispatch(bed), 0));
    bed_destroy(&bed);
}

TEST(a_lease_counts_from_the_last_answered_heartbeat)
{
    bed_t *bed = with_a_job();

    bed_pass(bed, 3 * BED_SECOND_US);
    bed_beat(bed, 0, "7.1 stable");
    assert_int_equal(bed_leases(bed), 1);
    bed_pass(bed, 2 * BED_SECOND_US);
    bed_silent(bed, 0);
    bed_pass(bed, BED_FENCE_US - 2 * BED_SECOND_US - 1);
    assert_non_null(dispatch_holder(bed_dispatch(bed), 0));
    bed_pass(bed, 1);
    assert_null(dispatch_holder(bed_dispatch(bed), 0));
    bed_destroy(&bed);
}

TEST(a_node_that_is_silent_loses_its_jobs_and_their_other_parts)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, "7 on 1,2; 8 on 3"), 0);
    bed_says(bed, 0, "7.1 ready");
    bed_says(bed, 1, "7.1 ready");
    bed_says(bed, 1, "8.1 ready");
    bed_says(bed, 1, "8.1 stable rate 1");
    bed_says(bed, 0, "7.1 stable checkpoint 30 rate 1");
    bed_says(bed, 1, "7.1 stable rate 1");
    bed_skip(bed);
    bed_silent(bed, 0);
    bed_expect(bed, "nodes down up\nn1 stop 7.1 paused step -1 grace -1\n"
                    "job 7.1 lost step 30: worker w0 is down: silent\n");
    bed_destroy(&bed);
}

/* ---- connections ---- */

TEST(a_connection_that_breaks_for_a_moment_changes_nothing)
{
    bed_t *bed = with_a_job();

    bed_break(bed, 0);
    bed_pass(bed, BED_SECOND_US - 1);
    assert_int_equal(bed_hello(bed, 0, 2, "7.1 stable"), 0);
    bed_pass(bed, 2 * BED_FENCE_US);
    bed_expect(bed, "n0 welcome\n");
    assert_non_null(dispatch_holder(bed_dispatch(bed), 0));
    bed_destroy(&bed);
}

TEST(a_worker_that_is_away_for_a_second_is_down)
{
    bed_t *bed = with_a_job();

    bed_break(bed, 0);
    bed_pass(bed, BED_SECOND_US - 1);
    bed_expect(bed, "");
    bed_pass(bed, 1);
    bed_expect(bed, "nodes down up\njob 7.1 lost step 0: worker w0 is down: closed\n");
    bed_destroy(&bed);
}

TEST(a_begin_that_a_broken_connection_swallowed_is_sent_again)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    bed_says(bed, 0, "7.1 ready");
    bed_skip(bed);
    bed_break(bed, 0);
    assert_int_equal(bed_hello(bed, 0, 2, "7.1 ready"), 0);
    bed_expect(bed, "n0 welcome\nn0 begin 7.1 step 0\n");
    bed_destroy(&bed);
}

TEST(a_worker_that_comes_back_up_at_once_without_its_part_is_not_believed)
{
    bed_t *bed = with_a_job();

    bed_break(bed, 0);
    assert_int_equal(bed_hello(bed, 0, 2, ""), 0);
    bed_expect(bed,
               "n0 welcome\njob 7.1 lost step 0: its worker came back without it\n"
               "n0 run 7.2 gpus 0,1 ranks 0,1 of 2 at a0:9001 step 0\n"
               "job 7.2 waiting step 0: it waits for the lease of what worker w0 held of it\n");
    bed_says(bed, 0, "7.2 ready");
    bed_pass(bed, BED_FENCE_US - 1);
    bed_expect(bed, "");
    bed_pass(bed, 1);
    bed_expect(bed, "n0 begin 7.2 step 0\n");
    bed_destroy(&bed);
}

/* One job on a worker with a lock, which is killed. */
static bed_t *with_a_job_of_a_worker_that_dies(void)
{
    bed_t *bed = bed_new();

    bed_lock(bed, 5);
    assert_int_equal(bed_hello(bed, 0, 2, ""), 0);
    bed_scheduler(bed, "s");
    assert_int_equal(bed_plan(bed, 1, "7 on 0,1"), 0);
    bed_says(bed, 0, "7.1 ready");
    bed_says(bed, 0, "7.1 stable");
    bed_pass(bed, 1);
    bed_beat(bed, 0, "7.1 stable");
    bed_break(bed, 0);
    bed_skip(bed);
    return bed;
}

TEST(a_worker_that_has_the_lock_is_believed)
{
    bed_t *bed = with_a_job_of_a_worker_that_dies();

    bed_pass(bed, 1);
    assert_int_equal(bed_hello(bed, 0, 2, ""), 0);
    bed_expect(bed, "n0 welcome\njob 7.1 lost step 0: its worker came back without it\n"
                    "n0 run 7.2 gpus 0,1 ranks 0,1 of 2 at a0:9001 step 0\n");
    bed_says(bed, 0, "7.2 ready");
    bed_expect(bed, "n0 begin 7.2 step 0\n");
    bed_destroy(&bed);
}

/* Once it was taken for gone, too. */
TEST(a_worker_that_has_the_lock_is_believed_later)
{
    bed_t *bed = with_a_job_of_a_worker_that_dies();

    bed_pass(bed, 2 * BED_SECOND_US);
    bed_skip(bed);
    assert_int_equal(bed_hello(bed, 0, 2, ""), 0);
    assert_true(bed_sent(bed, "nodes up"));
    bed_destroy(&bed);
}

static void expect_no_belief(bed_t *bed)
{
    assert_true(bed_sent(bed, "job 7.2 waiting step 0: it waits for the lease"));
    bed_says(bed, 0, "7.2 ready");
    assert_false(bed_sent(bed, "n0 begin"));
    bed_destroy(&bed);
}

TEST(a_worker_with_another_lock_is_not_believed)
{
    bed_t *bed = with_a_job_of_a_worker_that_dies();

    bed_lock(bed, 6);
    bed_pass(bed, 1);
    assert_int_equal(bed_hello(bed, 0, 2, ""), 0);
    expect_no_belief(bed);
}

TEST(a_hello_of_before_is_not_believed)
{
    bed_t *bed = with_a_job_of_a_worker_that_dies();

    assert_int_equal(bed_hello(bed, 0, 2, ""), 0); /* as old as the last heartbeat */
    expect_no_belief(bed);
}

TEST(a_node_is_up_again_when_nothing_of_its_past_is_left)
{
    bed_t *bed = with_a_job();

    bed_silent(bed, 0);
    bed_skip(bed);
    assert_int_equal(bed_hello(bed, 0, 2, "7.1 stable step 9"), 0);
    bed_expect(bed, "n0 welcome\nn0 stop 7.1 paused step -1 grace -1\n");
    assert_int_equal(bed_plan(bed, 2, "7 on 0,1 from 9"), 0);
    bed_expect(bed, "job 7.1 lost step 9: silent\nsettled 2\n");
    bed_says(bed, 0, "7.1 stopped checkpoint 9");
    bed_expect(bed, "nodes up up\n");
    bed_destroy(&bed);
}

TEST(an_unknown_part_is_stopped_before_a_node_is_up)
{
    bed_t *bed = bed_new();

    assert_int_equal(bed_hello(bed, 0, 2, "7.3 running, 8.1 stopped"), 0);
    bed_expect(bed, "n0 welcome\nn0 stop 7.3 cancelled step -1 grace 0\n");
    bed_scheduler(bed, "s");
    bed_expect(bed, "scheduler welcome\nnodes down\n");
    bed_beat(bed, 0, "7.3 stopping");
    bed_expect(bed, "");
    bed_beat(bed, 0, "7.3 stopping");
    bed_expect(bed, "n0 stop 7.3 cancelled step -1 grace 0\n");
    bed_says(bed, 0, "7.3 stopped");
    bed_expect(bed, "nodes up\n");
    /* No number comes again. */
    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    bed_expect(bed, "n0 run 7.4 gpus 0 ranks 0 of 1 at a0:9000 step 0\n");
    bed_destroy(&bed);
}

TEST(nothing_begins_beside_an_unknown_part)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    bed_beat(bed, 0, "7.1 preparing, 9.5 running");
    bed_skip(bed);
    bed_says(bed, 0, "7.1 ready");
    bed_expect(bed, "");
    bed_beat(bed, 0, "7.1 ready");
    bed_expect(bed, "n0 begin 7.1 step 0\n");
    bed_destroy(&bed);
}

/* A master before this one may have left jobs with workers that have not come back. */
TEST(nothing_begins_before_all_workers_are_there)
{
    bed_t *bed = bed_new_expecting(2);

    assert_int_equal(bed_hello(bed, 0, 2, ""), 0);
    bed_scheduler(bed, "s");
    bed_skip(bed);
    assert_int_equal(bed_plan(bed, 5, "7 on 0"), 0);
    bed_pass(bed, BED_SECOND_US);
    bed_expect(bed, "");
    assert_int_equal(bed_hello(bed, 1, 2, ""), 1);
    bed_pass(bed, 1);
    assert_true(bed_sent(bed, "n0 run 7.1"));
    bed_destroy(&bed);
}

TEST(a_worker_that_never_comes_back_is_waited_for_as_long_as_its_lease)
{
    bed_t *bed = bed_new_expecting(2);

    assert_int_equal(bed_hello(bed, 0, 2, ""), 0);
    bed_scheduler(bed, "s");
    bed_skip(bed);
    assert_int_equal(bed_plan(bed, 5, "7 on 0"), 0);
    bed_pass(bed, BED_FENCE_US - 1);
    bed_expect(bed, "");
    bed_pass(bed, 1);
    bed_expect(bed, "n0 run 7.1 gpus 0 ranks 0 of 1 at a0:9000 step 0\n");
    bed_destroy(&bed);
}

TEST(a_job_does_not_begin_while_a_part_of_it_is_left_elsewhere)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    bed_beat(bed, 1, "7.4 running");
    bed_says(bed, 0, "7.1 ready");
    bed_skip(bed);
    bed_silent(bed, 1); /* its lease runs on */
    bed_expect(bed, "nodes up down\n");
    bed_pass(bed, BED_FENCE_US - 1);
    bed_expect(bed, "");
    bed_pass(bed, 1);
    bed_expect(bed, "n0 begin 7.1 step 0\n");
    bed_destroy(&bed);
}

TEST(a_worker_that_knows_a_later_incarnation_gets_a_later_one)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    bed_skip(bed);
    bed_says(bed, 0, "7.5 stopped"); /* of a master before this one: it takes no earlier */
    bed_expect(bed, "n0 stop 7.1 paused step -1 grace -1\n"
                    "job 7.1 lost step 0: its worker knows of a later one\n"
                    "n0 run 7.6 gpus 0 ranks 0 of 1 at a0:9001 step 0\n");
    bed_destroy(&bed);
}

/* ---- lost, repeated and late messages ---- */

TEST(a_lost_run_is_sent_again_after_two_heartbeats)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    bed_skip(bed);
    bed_beat(bed, 0, "");
    bed_expect(bed, "");
    bed_beat(bed, 0, "");
    bed_expect(bed, "n0 run 7.1 gpus 0 ranks 0 of 1 at a0:9000 step 0\n");
    bed_beat(bed, 0, "7.1 preparing");
    bed_beat(bed, 0, "7.1 preparing");
    bed_beat(bed, 0, "7.1 preparing");
    bed_expect(bed, "");
    bed_destroy(&bed);
}

TEST(a_lost_begin_is_sent_again_after_two_heartbeats)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    bed_says(bed, 0, "7.1 ready");
    bed_skip(bed);
    bed_beat(bed, 0, "7.1 ready");
    bed_expect(bed, "");
    bed_beat(bed, 0, "7.1 ready");
    bed_expect(bed, "n0 begin 7.1 step 0\n");
    bed_beat(bed, 0, "7.1 running");
    bed_beat(bed, 0, "7.1 running");
    bed_beat(bed, 0, "7.1 running");
    bed_expect(bed, "");
    bed_destroy(&bed);
}

TEST(a_lost_stop_is_sent_again_after_two_heartbeats)
{
    bed_t *bed = with_a_job();

    assert_int_equal(bed_plan(bed, 2, "stop 7 paused 50"), 0);
    bed_skip(bed);
    bed_beat(bed, 0, "7.1 stable");
    bed_expect(bed, "");
    bed_beat(bed, 0, "7.1 stable");
    bed_expect(bed, "n0 stop 7.1 paused step 50 grace -1\n");
    bed_beat(bed, 0, "7.1 stopping");
    bed_beat(bed, 0, "7.1 stopping");
    bed_beat(bed, 0, "7.1 stopping");
    bed_expect(bed, "");
    bed_destroy(&bed);
}

TEST(a_lost_update_is_sent_again_after_two_heartbeats)
{
    bed_t *bed = with_a_job();

    assert_int_equal(bed_plan(bed, 2, "7 on 0,1 from 60"), 0);
    bed_expect(bed, "n0 update 7.1 step 60\nsettled 2\n");
    bed_beat(bed, 0, "7.1 stable step 0");
    bed_expect(bed, "");
    bed_beat(bed, 0, "7.1 stable step 0");
    bed_expect(bed, "n0 update 7.1 step 60\n");
    bed_beat(bed, 0, "7.1 stable step 60");
    bed_beat(bed, 0, "7.1 stable step 60");
    bed_beat(bed, 0, "7.1 stable step 60");
    bed_expect(bed, "");
    bed_destroy(&bed);
}

TEST(a_heartbeat_makes_up_for_lost_reports)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    bed_skip(bed);
    bed_beat(bed, 0, "7.1 ready");
    bed_beat(bed, 0, "7.1 stable step 0 overhead 10 rate 2");
    bed_expect(bed, "n0 begin 7.1 step 0\n"
                    "job 7.1 stable step 0 overhead 10 rate 2\nsettled 1\n");
    assert_int_equal(bed_plan(bed, 2, "stop 7 done 1000"), 0);
    bed_beat(bed, 0, "7.1 stopped checkpoint 1000");
    bed_expect(bed, "n0 stop 7.1 done step 1000 grace -1\njob 7.1 stopped step 1000\nsettled 2\n");
    bed_destroy(&bed);
}

TEST(what_a_heartbeat_does_not_list_any_more_is_gone)
{
    bed_t *bed = with_a_job();

    assert_int_equal(bed_plan(bed, 2, "stop 7 cancelled 0"), 0);
    bed_skip(bed);
    bed_beat(bed, 0, "");
    bed_expect(bed, "job 7.1 stopped step 0\nsettled 2\n");
    assert_null(dispatch_holder(bed_dispatch(bed), 0));
    bed_destroy(&bed);
}

TEST(a_part_that_a_worker_forgot_is_tried_again)
{
    bed_t *bed = with_a_job();

    bed_beat(bed, 0, "");
    bed_expect(bed, "job 7.1 lost step 0: its worker does not know it any more\n"
                    "n0 run 7.2 gpus 0,1 ranks 0,1 of 2 at a0:9001 step 0\n");
    bed_destroy(&bed);
}

TEST(reports_of_an_old_incarnation_are_counted_only)
{
    bed_t *bed = with_a_job();

    assert_int_equal(bed_plan(bed, 2, "7 on 2,3 from 20"), 0);
    bed_says(bed, 0, "7.1 stopped checkpoint 20");
    bed_says(bed, 1, "7.2 ready");
    bed_says(bed, 1, "7.2 stable step 20 rate 2");
    bed_skip(bed);
    assert_int_equal(dispatch_stale(bed_dispatch(bed)), 0);
    bed_says(bed, 0, "7.1 failed cause late");
    bed_says(bed, 0, "7.1 stopped checkpoint 900");
    assert_int_equal(dispatch_stale(bed_dispatch(bed)), 2);
    bed_expect(bed, "");
    bed_says(bed, 1, "7.2 running");
    assert_int_equal(dispatch_stale(bed_dispatch(bed)), 3);
    bed_expect(bed, "");
    bed_destroy(&bed);
}

TEST(states_never_go_back)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    bed_says(bed, 0, "7.1 ready");
    bed_says(bed, 0, "7.1 stable step 0 rate 2");
    bed_skip(bed);
    bed_says(bed, 0, "7.1 running");
    bed_says(bed, 0, "7.1 ready");
    bed_says(bed, 0, "7.1 preparing");
    bed_says(bed, 0, "7.1 stable step 0 rate 2");
    bed_expect(bed, "");
    assert_int_equal(dispatch_stale(bed_dispatch(bed)), 3);
    bed_destroy(&bed);
}

TEST(a_part_that_begins_by_itself_is_stopped)
{
    bed_t *bed = two_nodes();

    assert_int_equal(bed_plan(bed, 1, "7 on 0,2"), 0);
    bed_skip(bed);
    bed_says(bed, 0, "7.1 running");
    assert_true(bed_sent(bed, "n0 stop 7.1"));
    assert_true(bed_sent(bed, "n1 stop 7.1"));
    assert_true(bed_sent(bed, "job 7.1 lost step 0: began without being told to"));
    bed_destroy(&bed);
}

TEST(progress_that_cannot_be_is_not_believed)
{
    bed_t *bed = with_a_job();

    bed_beat(bed, 0, "7.1 stable step 999999 checkpoint 1001");
    plan_run_heartbeat(bed_plan_run(bed));
    bed_expect(bed, "progress 7.1 at 0\n");
    bed_beat(bed, 0, "7.1 stable step 700 checkpoint 600");
    bed_beat(bed, 0, "7.1 stable step 710 checkpoint 5");
    plan_run_heartbeat(bed_plan_run(bed));
    bed_expect(bed, "progress 7.1 at 710\n");
    bed_silent(bed, 0);
    bed_expect(bed, "nodes down up\njob 7.1 lost step 600: worker w0 is down: silent\n");
    bed_destroy(&bed);
}

/* ---- restarts ---- */

TEST(trainers_restart_when_nothing_runs_on_their_node)
{
    bed_t *bed = with_a_job();

    assert_int_equal(bed_plan(bed, 2, "7 on 0,1 from 10; 8 on 2; restart"), 0);
    bed_expect(bed, "n0 stop 7.1 paused step 10 grace -1\nn1 restart\n"
                    "n1 run 8.1 gpus 0 ranks 0 of 1 at a1:9000 step 0\n");
    bed_says(bed, 0, "7.1 stopped checkpoint 10");
    bed_expect(bed, "n0 restart\nn0 run 7.2 gpus 0,1 ranks 0,1 of 2 at a0:9001 step 10\n");
    bed_beat(bed, 0, "7.2 ready");
    bed_expect(bed, "n0 begin 7.2 step 10\n");
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
