/* health_test.c - GPUs on which incarnations fail: when a node is excluded, and when it is welcome
 * again. */
#include "common/log.h"
#include "tests/master/bed.h"
#include "tests/support/test.h"

#include <stdio.h>

static bed_t *nodes(int count)
{
    bed_t *bed = bed_new();

    for (int i = 0; i < count; i++)
        assert_int_equal(bed_hello(bed, i, 2, ""), i);
    bed_scheduler(bed, "s");
    plan_run_exclude_after(bed_plan_run(bed), 3);
    return bed;
}

static void say(bed_t *bed, int node, int job, int incarnation, const char *what)
{
    char text[64];

    (void)snprintf(text, sizeof(text), "%d.%d %s", job, incarnation, what);
    bed_says(bed, node, text);
}

static void fails(bed_t *bed, int node, int job, int incarnation)
{
    say(bed, node, job, incarnation, "ready");
    bed_skip(bed);
    say(bed, node, job, incarnation, "failed cause crash");
}

static void a_node_with_a_gpu_that_fails_again_and_again_is_excluded(void **state)
{
    bed_t *bed = nodes(2);

    (void)state;
    assert_int_equal(bed_plan(bed, 1, "7 on 0; 8 on 1"), 0);
    fails(bed, 0, 7, 1);
    fails(bed, 0, 7, 2);
    assert_true(bed_sent(bed, "n0 run 7.3"));
    fails(bed, 0, 7, 3);
    bed_expect(bed,
               "nodes down up\n"
               "job 7.3 lost step 0: crash\n"
               "job 7.3 lost step 0: excluded: GPU 0 failed 3 times in a row, at last: crash\n");
    /* What runs there ends when a plan says so. */
    assert_int_equal(bed_plan(bed, 2, "7 on 2; 8 on 3"), 0);
    assert_true(bed_sent(bed, "n1 run 7.4"));
    bed_destroy(&bed);
}

static void several_jobs_accuse_a_gpu_together(void **state)
{
    bed_t *bed = nodes(2);

    (void)state;
    for (int job = 1; job <= 3; job++) {
        char plan[16];

        (void)snprintf(plan, sizeof(plan), "%d on 0", job);
        assert_int_equal(bed_plan(bed, (uint64_t)job, plan), 0);
        fails(bed, 0, job, 1);
    }
    assert_true(bed_sent(bed, "nodes down up"));
    bed_destroy(&bed);
}

static void a_job_that_fails_elsewhere_too_is_to_blame_itself(void **state)
{
    bed_t *bed = nodes(2);

    (void)state;
    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    for (int incarnation = 1; incarnation <= 3; incarnation++)
        fails(bed, 0, 7, incarnation);
    assert_int_equal(bed_plan(bed, 2, "7 on 2"), 0);
    fails(bed, 1, 7, 4);
    assert_true(bed_sent(bed, "nodes up up"));
    bed_destroy(&bed);
}

static void what_ends_well_clears_its_gpus(void **state)
{
    bed_t *bed = nodes(2);

    (void)state;
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

static void the_last_node_is_never_excluded(void **state)
{
    bed_t *bed = nodes(1);

    (void)state;
    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    for (int incarnation = 1; incarnation <= 5; incarnation++)
        fails(bed, 0, 7, incarnation);
    assert_true(bed_sent(bed, "n0 run 7.6"));
    bed_destroy(&bed);
}

static void a_worker_that_starts_anew_is_welcome_again(void **state)
{
    bed_t *bed = nodes(2);

    (void)state;
    assert_int_equal(bed_plan(bed, 1, "7 on 0"), 0);
    for (int incarnation = 1; incarnation <= 3; incarnation++)
        fails(bed, 0, 7, incarnation);
    bed_goodbye(bed, 0);
    bed_skip(bed);
    assert_int_equal(bed_return(bed, 0, 2, ""), 0); /* the same process */
    bed_expect(bed, "n0 welcome\nnodes down up\n");
    bed_goodbye(bed, 0);
    bed_skip(bed);
    assert_int_equal(bed_hello(bed, 0, 2, ""), 0);
    bed_expect(bed, "n0 welcome\nnodes up up\n");
    bed_destroy(&bed);
}

static void a_job_that_fails_twice_waits_twice_as_long_each_time(void **state)
{
    bed_t *bed = nodes(1);

    (void)state;
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

static void a_plan_ends_the_wait(void **state)
{
    bed_t *bed = nodes(1);

    (void)state;
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

static int quiet(void **state)
{
    (void)state;
    return log_to_file("/dev/null");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_with_a_gpu_that_fails_again_and_again_is_excluded),
        cmocka_unit_test(several_jobs_accuse_a_gpu_together),
        cmocka_unit_test(a_job_that_fails_elsewhere_too_is_to_blame_itself),
        cmocka_unit_test(what_ends_well_clears_its_gpus),
        cmocka_unit_test(the_last_node_is_never_excluded),
        cmocka_unit_test(a_worker_that_starts_anew_is_welcome_again),
        cmocka_unit_test(a_job_that_fails_twice_waits_twice_as_long_each_time),
        cmocka_unit_test(a_plan_ends_the_wait),
    };

    return cmocka_run_group_tests(tests, quiet, NULL);
}
