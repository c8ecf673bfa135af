/* health_test.c - GPUs on which incarnations fail: when a GPU is left out or a node excluded, and
 * when they are welcome again. */
#include "common/log.h"
#include "tests/master/bed.h"
#include "tests/support/test.h"

#include <stdio.h>

static bed_t *nodes_of(int count, int gpus)
{
    bed_t *bed = bed_new();

    for (int i = 0; i < count; i++)
        assert_int_equal(bed_hello(bed, i, gpus, ""), i);
    bed_scheduler(bed, "s");
    plan_run_exclude_after(bed_plan_run(bed), 3);
    return bed;
}

static bed_t *nodes(int count)
{
    return nodes_of(count, 1);
}

static void say(bed_t *bed, int node, int job, int incarnation, const char *what)
{
    char text[64];

    (void)snprintf(text, sizeof(text), "%d.%d %s", job, incarnation, what);
    bed_says(bed, node, text);
}

/* `what` is said of the failure besides: "gpu 1" is where a rank failed first. */
static void fails_so(bed_t *bed, int node, int job, int incarnation, const char *what)
{
    char text[48];

    (void)snprintf(text, sizeof(text), "failed cause crash %.15s", what);
    say(bed, node, job, incarnation, "ready");
    bed_skip(bed);
    say(bed, node, job, incarnation, text);
}

static void fails(bed_t *bed, int node, int job, int incarnation)
{
    fails_so(bed, node, job, incarnation, "");
}

static void fails_thrice(bed_t *bed, int node, int job, int first)
{
    for (int i = 0; i < 3; i++)
        fails(bed, node, job, first + i);
}

/* ---- GPUs ---- */

TEST(a_gpu_that_fails_again_and_again_is_left_out_and_its_node_stays)
{
    bed_t *bed = nodes_of(2, 3);

    bed_gpus(bed, 0, "g0 g1 g2");
    assert_int_equal(bed_plan(bed, 1, "7 on 1; 8 on 0"), 0);
    fails(bed, 0, 7, 1);
    fails(bed, 0, 7, 2);
    assert_true(bed_sent(bed, "n0 run 7.3"));
    fails(bed, 0, 7, 3);
    bed_expect(bed, "nodes up with 2 (GPU 1 (g1) is left out: 3 failures in a row, at last: crash) "
                    "up\n"
                    "job 7.3 lost step 0: GPU 1 (g1) is left out: 3 failures in a row, at last: "
                    "crash\n"
                    "nodes up with 2 (GPU 1 (g1) is left out: 3 failures in a row, at last: crash) "
                    "up\n");
    /* The last GPU has the second rank now, and the job that runs on the first one is untouched. */
    assert_int_equal(bed_plan(bed, 2, "7 on 1; 8 on 0"), 0);
    bed_expect(bed, "n0 run 7.4 gpus 2 ranks 0 of 1 at a0:9004 step 0\n");
    bed_destroy(&bed);
}

TEST(two_bad_gpus_of_four_are_left_out_and_the_others_stay)
{
    bed_t *bed = nodes_of(1, 4);

    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    fails_thrice(bed, 0, 7, 1);
    assert_int_equal(bed_plan(bed, 2, "7 on 1"), 0);
    fails_thrice(bed, 0, 7, 4);
    assert_true(bed_sent(bed, "nodes up with 2 (GPU 0, GPU 1 are left out: 3 failures in a row on "
                              "each, at last: crash)"));
    assert_int_equal(bed_plan(bed, 3, "7 on 0; 8 on 1"), 0);
    assert_true(bed_sent(bed, "n0 run 7.7 gpus 3"));
    assert_true(bed_sent(bed, "n0 run 8.1 gpus 2"));
    bed_destroy(&bed);
}

TEST(of_a_part_of_several_gpus_the_one_that_mostly_fails_first_is_left_out)
{
    bed_t *bed = nodes_of(2, 4);

    assert_int_equal(bed_plan(bed, 1, "7 on 0,1,2,3"), 0);
    fails_so(bed, 0, 7, 1, "gpu 2");
    fails_so(bed, 0, 7, 2, "gpu 3"); /* heard first for once */
    fails_so(bed, 0, 7, 3, "gpu 2");
    assert_true(bed_sent(bed, "nodes up with 3 (GPU 2 is left out"));
    /* The failures of the others are explained: they may fail as often again. */
    assert_int_equal(bed_plan(bed, 2, "7 on 0,1"), 0);
    fails_so(bed, 0, 7, 4, "gpu 0");
    fails_so(bed, 0, 7, 5, "gpu 0");
    assert_true(bed_sent(bed, "n0 run 7.6"));
    bed_destroy(&bed);
}

TEST(a_gpu_of_no_part_is_not_believed)
{
    bed_t *bed = nodes_of(2, 4);

    assert_int_equal(bed_plan(bed, 1, "7 on 0,1"), 0);
    for (int incarnation = 1; incarnation <= 3; incarnation++)
        fails_so(bed, 0, 7, incarnation, "gpu 1023");
    assert_true(bed_sent(bed, "nodes down up"));
    bed_destroy(&bed);
}

TEST(an_exchanged_gpu_is_tried_again)
{
    bed_t *bed = nodes_of(1, 2);

    bed_gpus(bed, 0, "g0 g1");
    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    fails_thrice(bed, 0, 7, 1);
    bed_gpus(bed, 0, "!g0 g1 g2");
    assert_int_equal(bed_plan(bed, 2, "7 on 0"), 0);
    assert_true(bed_sent(bed, "n0 run 7.4 gpus 2"));
    fails_thrice(bed, 0, 7, 4);
    bed_skip(bed);
    bed_gpus(bed, 0, "!g0 g1 g3"); /* under the number of the bad one */
    bed_expect(bed, "nodes up with 2 (it has other GPUs than before, without g2)\n");
    bed_destroy(&bed);
}

TEST(a_gpu_that_is_left_out_stays_so_when_another_one_goes_and_comes)
{
    bed_t *bed = nodes_of(2, 3);

    bed_gpus(bed, 0, "g0 g1 g2");
    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    fails_thrice(bed, 0, 7, 1);
    bed_gpus(bed, 0, "g0 !g1 g2");
    assert_true(bed_sent(bed, "nodes up with 1 (GPU 0 (g0) is left out"));
    bed_skip(bed);
    bed_gpus(bed, 0, "g0 g1 g2");
    assert_true(bed_sent(bed, "nodes up with 2 (GPU 0 (g0) is left out"));
    bed_destroy(&bed);
}

TEST(a_gpu_that_is_left_out_is_welcome_again_with_a_worker_that_starts_anew)
{
    bed_t *bed = nodes_of(1, 3);

    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    fails_thrice(bed, 0, 7, 1);
    bed_goodbye(bed, 0);
    bed_skip(bed);
    assert_int_equal(bed_return(bed, 0, 3, ""), 0); /* the same process */
    assert_true(bed_sent(bed, "nodes up with 2 (GPU 0 is left out"));
    bed_goodbye(bed, 0);
    bed_skip(bed);
    assert_int_equal(bed_hello(bed, 0, 3, ""), 0);
    assert_true(bed_sent(bed, "nodes up\n"));
    bed_destroy(&bed);
}

TEST(a_job_that_is_given_up_takes_back_what_it_alone_said)
{
    bed_t *bed = nodes_of(1, 2);

    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    fails_thrice(bed, 0, 7, 1);
    assert_true(bed_sent(bed, "nodes up with 1 (GPU 0 is left out"));
    assert_int_equal(bed_plan(bed, 2, "7 on 0"), 0);
    assert_true(bed_sent(bed, "n0 run 7.4 gpus 1"));
    for (int incarnation = 4; incarnation <= 9; incarnation++)
        fails(bed, 0, 7, incarnation);
    assert_true(bed_sent(bed, "job 7.9 held"));
    assert_true(bed_sent(bed, "nodes up\n"));
    bed_destroy(&bed);
}

/* The job has all GPUs of the cluster, and its policy gives it no fewer. */
TEST(a_job_that_finds_no_other_place_tries_again_and_is_given_up)
{
    bed_t *bed = nodes_of(1, 2);

    assert_int_equal(bed_plan(bed, 1, "7 on 0,1"), 0);
    for (int incarnation = 1; incarnation <= 3; incarnation++)
        fails_so(bed, 0, 7, incarnation, "gpu 1");
    for (int incarnation = 4; incarnation <= 6; incarnation++) {
        assert_true(bed_sent(bed, "nodes up with 1 (GPU 1 is left out"));
        bed_skip(bed);
        assert_int_equal(bed_plan(bed, (uint64_t)incarnation * 2, ""), 0);
        assert_true(bed_sent(bed, "nodes up\n"));
        assert_int_equal(bed_plan(bed, (uint64_t)incarnation * 2 + 1, "7 on 0,1"), 0);
        fails_so(bed, 0, 7, incarnation, "gpu 1");
    }
    assert_true(bed_sent(bed, "job 7.6 held"));
    assert_true(bed_sent(bed, "nodes up\n"));
    bed_destroy(&bed);
}

TEST(a_job_that_trained_elsewhere_has_proved_the_gpu_bad)
{
    bed_t *bed = nodes_of(1, 2);

    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    fails_thrice(bed, 0, 7, 1);
    assert_int_equal(bed_plan(bed, 2, "7 on 0"), 0);
    say(bed, 0, 7, 4, "ready");
    assert_int_equal(bed_plan(bed, 3, "stop 7 paused 50"), 0);
    bed_skip(bed);
    say(bed, 0, 7, 4, "stopped checkpoint 50");
    assert_false(bed_sent(bed, "nodes"));
    bed_destroy(&bed);
}

/* ---- nodes ---- */

TEST(a_node_whose_last_gpu_fails_again_and_again_is_excluded)
{
    bed_t *bed = nodes(2);

    assert_int_equal(bed_plan(bed, 1, "7 on 0; 8 on 1"), 0);
    fails(bed, 0, 7, 1);
    fails(bed, 0, 7, 2);
    assert_true(bed_sent(bed, "n0 run 7.3"));
    fails(bed, 0, 7, 3);
    bed_expect(bed,
               "nodes down up\n"
               "job 7.3 lost step 0: excluded: GPU 0 failed 3 times in a row, at last: crash\n");
    /* What runs there ends when a plan says so. */
    assert_int_equal(bed_plan(bed, 2, "8 on 1"), 0);
    bed_destroy(&bed);
}

TEST(a_part_that_fails_on_other_gpus_each_time_excludes_its_node)
{
    bed_t *bed = nodes_of(2, 4);

    assert_int_equal(bed_plan(bed, 1, "7 on 0,1,2,3"), 0);
    fails_so(bed, 0, 7, 1, "gpu 2");
    fails_so(bed, 0, 7, 2, "gpu 0");
    fails_so(bed, 0, 7, 3, "gpu 1");
    assert_true(bed_sent(bed, "nodes down up"));
    assert_int_equal(bed_plan(bed, 2, "7 on 4,5,6,7"), 0);
    assert_true(bed_sent(bed, "n1 run 7.4"));
    bed_destroy(&bed);
}

TEST(a_job_that_fails_on_a_third_gpu_of_a_node_excludes_the_node)
{
    bed_t *bed = nodes_of(2, 4);

    for (int gpu = 0; gpu < 3; gpu++) {
        assert_int_equal(bed_plan(bed, (uint64_t)gpu + 1, "7 on 0"), 0);
        assert_false(bed_sent(bed, "nodes down up"));
        fails_thrice(bed, 0, 7, 3 * gpu + 1);
    }
    assert_true(bed_sent(bed, "nodes down up"));
    /* Where the job fails elsewhere, too, neither node nor GPUs are to blame. */
    assert_int_equal(bed_plan(bed, 4, "7 on 4"), 0);
    fails(bed, 1, 7, 10);
    assert_true(bed_sent(bed, "nodes up up\n"));
    bed_destroy(&bed);
}

TEST(several_jobs_accuse_a_gpu_together)
{
    bed_t *bed = nodes(2);

    for (int job = 1; job <= 3; job++) {
        char plan[16];

        (void)snprintf(plan, sizeof(plan), "%d on 0", job);
        assert_int_equal(bed_plan(bed, (uint64_t)job, plan), 0);
        fails(bed, 0, job, 1);
    }
    assert_true(bed_sent(bed, "nodes down up"));
    bed_destroy(&bed);
}

TEST(a_job_that_fails_elsewhere_too_is_to_blame_itself)
{
    bed_t *bed = nodes(2);

    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    for (int incarnation = 1; incarnation <= 3; incarnation++)
        fails(bed, 0, 7, incarnation);
    assert_int_equal(bed_plan(bed, 2, "7 on 1"), 0);
    fails(bed, 1, 7, 4);
    assert_true(bed_sent(bed, "nodes up up"));
    bed_destroy(&bed);
}

TEST(what_ends_well_clears_its_gpus)
{
    bed_t *bed = nodes(2);

    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    fails(bed, 0, 7, 1);
    fails(bed, 0, 7, 2);
    say(bed, 0, 7, 3, "ready");
    assert_int_equal(bed_plan(bed, 2, "stop 7 paused 50"), 0);
    say(bed, 0, 7, 3, "stopped checkpoint 50");
    assert_int_equal(bed_plan(bed, 3, "8 on 0"), 0);
    fails(bed, 0, 8, 1);
    assert_true(bed_sent(bed, "n0 run 8.2"));
    bed_destroy(&bed);
}

TEST(the_last_gpu_is_never_left_out)
{
    bed_t *bed = nodes(1);

    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    for (int incarnation = 1; incarnation <= 5; incarnation++)
        fails(bed, 0, 7, incarnation);
    assert_true(bed_sent(bed, "n0 run 7.6"));
    bed_destroy(&bed);
}

TEST(a_worker_that_starts_anew_is_welcome_again)
{
    bed_t *bed = nodes(2);

    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    for (int incarnation = 1; incarnation <= 3; incarnation++)
        fails(bed, 0, 7, incarnation);
    bed_goodbye(bed, 0);
    bed_skip(bed);
    assert_int_equal(bed_return(bed, 0, 1, ""), 0); /* the same process */
    bed_expect(bed, "n0 welcome\nnodes down up\n");
    bed_goodbye(bed, 0);
    bed_skip(bed);
    assert_int_equal(bed_hello(bed, 0, 1, ""), 0);
    bed_expect(bed, "n0 welcome\nnodes up up\n");
    bed_destroy(&bed);
}

TEST(a_job_that_fails_twice_waits_twice_as_long_each_time)
{
    bed_t *bed = nodes(1);

    plan_run_back_off(bed_plan_run(bed), 1000);
    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    fails(bed, 0, 7, 1);
    assert_true(bed_sent(bed, "n0 run 7.2"));
    for (int failures = 2; failures <= 5; failures++) {
        fails(bed, 0, 7, failures);
        bed_skip(bed);
        bed_pass(bed, (BED_SECOND_US << (failures - 2)) - 1);
        bed_expect(bed, "");
        bed_pass(bed, 1);
        assert_true(bed_sent(bed, "n0 run 7."));
    }
    bed_destroy(&bed);
}

TEST(a_plan_ends_the_wait)
{
    bed_t *bed = nodes(1);

    plan_run_back_off(bed_plan_run(bed), 1000);
    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    fails(bed, 0, 7, 1);
    fails(bed, 0, 7, 2);
    assert_int_equal(bed_plan(bed, 2, "stop 7 paused 0"), 0);
    assert_true(bed_sent(bed, "settled 2"));
    bed_skip(bed);
    bed_pass(bed, 2 * BED_SECOND_US);
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
