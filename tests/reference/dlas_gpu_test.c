/* dlas_gpu_test.c - dlas-gpu on the worked examples of its specification (section 3.4), with and
 * without its quirks: 2 nodes of 2 GPUs, slots of a minute. */
#include "tests/engine/walk.h"
#include "tests/support/test.h"

#include <string.h>

static tables_t *a100;

FIXTURE(set_up)
{
    a100 = tables_new("A100");
    return 0;
}

FIXTURE(tear_down)
{
    tables_destroy(&a100);
    return 0;
}

static struct world world_of(const struct oracle_job *jobs, size_t count, const char *rules)
{
    return (struct world){.policy = "dlas-gpu",
                          .tables = a100,
                          .cluster = {1, 2, 2},
                          .slot_s = 60,
                          .jobs = jobs,
                          .job_count = count,
                          .rules = rules};
}

static const struct oracle_job demoted[] = {
    {"a", 0, false, 0, 1000, 4000, "resnet50", 64, 2, 3000},
    {"b", 1, false, 1000, 1000, 1150, "resnet50", 64, 1, 100},
    {"c", 2, false, 1020, 1000, 1500, "resnet50", 64, 4, 200},
    {"d", 3, false, 2300, 1000, 2700, "resnet50", 64, 4, 200},
};

/* TI-1. `a` has used up its limit at 1631, but is demoted at 2188 (TI-Q3); `d` arrives last and
 * keeps its time (CO-Q2); a job that is left alone pays no overhead (TI-Q2). */
TEST(a_job_that_used_up_its_limit_gives_way_late)
{
    static const struct walk_step rounds[] = {
        {0, "aR[0]+6"},
        {1000, "aR[994] bR[0]+4"},
        {1060, "aR[1054] bR[56] cp[0]"},
        {1120, "aR[1114] cp[0]"},
        {2188, "ap[2182]Q1 cR[0]+8"},
        {2300, "ap[2182]Q1 cR[104] dp[0]"},
        {2396, "ap[2182]Q1 dR[0]+8"},
        {2596, "aR[2182]+6Q1"},
        {3414, ""},
    };
    const struct world world = world_of(demoted, COUNT(demoted), NULL);

    walk_check(&world, rounds, COUNT(rounds));
    world_check(&world, 3, 1,
                WORLD_JOBS("1104,b,1,1000,1000,1104,1150,0\n"
                           "2396,c,4,1020,2188,2396,1500,0\n"
                           "2596,d,4,2300,2396,2596,2700,0\n"
                           "3414,a,2,0,0,3414,4000,0\n"),
                "time,layout\n"
                "0,0@0x2\n"
                "1000,0@0x2 1@2x1\n"
                "1060,0@0x2 1@2x1\n"
                "1120,0@0x2\n"
                "2188,2@0x4\n"
                "2300,2@0x4\n"
                "2396,3@0x4\n"
                "2596,0@0x2\n"
                "3414,\n");
}

/* The 3250 GPU seconds of the limit are 1625 s on 2 GPUs. */
TEST(its_limit_is_known_to_the_second_without_the_quirk)
{
    static const struct walk_step rounds[] = {
        {0, "aR[0]+6"},
        {1000, "aR[994] bR[0]+4"},
        {1060, "aR[1054] bR[56] cp[0]"},
        {1120, "aR[1114] cp[0]"},
        {1631, "ap[1625]Q1 cR[0]+8"},
        {1831, "aR[1625]+6Q1"},
        {2300, "ap[2088]Q1 dR[0]+8"},
        {2500, "aR[2088]+6Q1"},
        {3412, ""},
    };
    const struct world world = world_of(demoted, COUNT(demoted), "TI-Q3");

    walk_check(&world, rounds, COUNT(rounds));
    world_check(&world, 3, 1,
                WORLD_JOBS("1104,b,1,1000,1000,1104,1150,0\n"
                           "1831,c,4,1020,1631,1831,1500,0\n"
                           "2500,d,4,2300,2300,2500,2700,0\n"
                           "3412,a,2,0,0,3412,4000,0\n"),
                "time,layout\n"
                "0,0@0x2\n"
                "1000,0@0x2 1@2x1\n"
                "1060,0@0x2 1@2x1\n"
                "1120,0@0x2\n"
                "1631,2@0x4\n"
                "1831,0@0x2\n"
                "2300,3@0x4\n"
                "2500,0@0x2\n"
                "3412,\n");
}

static const struct oracle_job short_ones[] = {
    {"a", 0, false, 0, 1000, 40, "resnet50", 64, 4, 20},
    {"b", 1, false, 5, 1000, 130, "resnet50", 64, 4, 30},
    {"c", 2, false, 8, 1000, 200, "resnet50", 64, 2, 70},
    {"d", 3, false, 130, 1000, 400, "resnet50", 64, 2, 70},
};

/* TI-2. `a` is done at 20 and `b` at 90; their GPUs are idle until 60 and 120. */
TEST(gpus_are_held_for_a_slot_by_who_has_ended)
{
    static const struct walk_step rounds[] = {
        {0, "aR[0]+8"},         {60, "bR[0]+8 cp[0]"}, {120, "cR[0]+6"},
        {130, "cR[4] dR[0]+6"}, {196, "dR[60]"},       {256, ""},
    };
    const struct world world = world_of(short_ones, COUNT(short_ones), NULL);

    /* TI-Q4 */
    walk_check(&world, rounds, COUNT(rounds));
    world_check(&world, 4, 0,
                WORLD_JOBS("20,a,4,0,0,20,40,0\n"
                           "90,b,4,5,60,90,130,0\n"
                           "196,c,2,8,120,196,200,0\n"
                           "206,d,2,130,130,206,400,0\n"),
                "time,layout\n"
                "0,0@0x4\n"
                "60,1@0x4\n"
                "120,2@0x2\n"
                "130,2@0x2 3@2x2\n"
                "196,3@0x2\n"
                "256,\n");
}

/* The round at 20 moves those that would have been seen at 60 to the end of its own slot. */
TEST(gpus_come_free_at_the_end_without_the_quirk)
{
    static const struct walk_step rounds[] = {
        {0, "aR[0]+8"},
        {20, ""},
        {80, "bR[0]+8 cp[0]"},
        {110, "cR[0]+6"},
        {130, "cR[14] dR[0]+6"},
        {186, "dR[50]"},
        {206, ""},
    };
    const struct world world = world_of(short_ones, COUNT(short_ones), "TI-Q4");

    walk_check(&world, rounds, COUNT(rounds));
    world_check_engine(&world, 4, 0,
                       WORLD_JOBS("20,a,4,0,0,20,40,0\n"
                                  "110,b,4,5,80,110,130,0\n"
                                  "186,c,2,8,110,186,200,0\n"
                                  "206,d,2,130,130,206,400,0\n"),
                       NULL);
}

TEST(an_overhead_that_is_foreseen_is_paid)
{
    struct world world = world_of(short_ones, 1, NULL);

    /* TI-Q1 */
    world_check(&world, 1, 0, WORLD_JOBS("20,a,4,0,0,20,40,0\n"), NULL);
    world.rules = "TI-Q1";
    world_check_engine(&world, 1, 0, WORLD_JOBS("28,a,4,0,0,28,40,0\n"), NULL);
}

/* `b` arrives after a second of the four that `a` owes. */
TEST(the_rest_of_an_overhead_is_forgiven_or_carried_over)
{
    static const struct oracle_job jobs[] = {
        {"a", 0, false, 0, 1000, 200, "resnet50", 64, 1, 100},
        {"b", 1, false, 1, 1000, 200, "resnet50", 64, 1, 10},
    };
    static const struct walk_step forgiven[] = {
        {0, "aR[0]+4"}, {1, "aR[0] bR[0]+4"}, {61, "aR[60]"}, {121, ""}};
    static const struct walk_step carried[] = {
        {0, "aR[0]+4"}, {1, "aR[0]+3 bR[0]+4"}, {61, "aR[57]"}, {121, ""}};
    struct world world = world_of(jobs, COUNT(jobs), NULL);

    /* TI-Q2 */
    walk_check(&world, forgiven, COUNT(forgiven));
    world_check(&world, 2, 0, WORLD_JOBS("11,b,1,1,1,11,200,0\n101,a,1,0,0,101,200,0\n"), NULL);
    world.rules = "TI-Q2";
    walk_check(&world, carried, COUNT(carried));
    world_check_engine(&world, 2, 0, WORLD_JOBS("11,b,1,1,1,11,200,0\n104,a,1,0,0,104,200,0\n"),
                       NULL);
}

/* With slots of two seconds every other round restarts all trainers. */
TEST(in_a_restart_round_whoever_runs_pays)
{
    static const struct oracle_job jobs[] = {
        {"a", 0, false, 0, 1000, 300, "resnet50", 64, 1, 100},
        {"b", 1, false, 10, 1000, 300, "resnet50", 64, 1, 100},
        {"c", 2, false, 20, 1000, 300, "resnet50", 64, 1, 100},
    };
    static const struct walk_step rounds[] = {
        {0, "aR[0]+4"},         {10, "aR[6] bR[0]+4"}, {20, "aR[16]+31 bR[6]+31 cR[0]+31"},
        {135, "bR[90] cR[84]"}, {145, "cR[94]+31"},    {182, ""},
    };
    struct world world = world_of(jobs, COUNT(jobs), NULL);

    /* TI-Q6, CO-Q1 */
    world.slot_s = 2;
    walk_check(&world, rounds, COUNT(rounds));
}

/* Every other round restarts all trainers for 31 s. `a` and `b` lack 4 and 14 s of service when `c`
 * arrives; each round that comes too early, as the overhead was not known before, is followed by
 * one that is in time. */
TEST(the_rest_of_an_overhead_puts_off_a_demotion)
{
    static const struct oracle_job jobs[] = {
        {"a", 0, false, 0, 1000, 9000, "resnet50", 64, 1, 3280},
        {"b", 1, false, 10, 1000, 9000, "resnet50", 64, 1, 3280},
        {"c", 2, false, 3250, 1000, 9000, "resnet50", 64, 1, 20},
    };
    static const struct walk_step rounds[] = {
        {0, "aR[0]+4"},
        {10, "aR[6] bR[0]+4"},
        {3250, "aR[3246]+31 bR[3236]+31 cR[0]+31"},
        {3254, "aR[3246]+27 bR[3236]+27 cR[0]+27"},
        {3274, "aR[3246]+31 bR[3236]+31"},
        {3285, "aR[3246]+20 bR[3236]+20"},
        {3309, "aR[3250]+31Q1 bR[3240]+31"},
        {3319, "aR[3250]+21Q1 bR[3240]+21"},
        {3349, "bR[3249]+31"},
        {3351, "bR[3249]+29"},
        {3381, "bR[3250]+31Q1"},
        {3442, ""},
    };
    struct world world = world_of(jobs, COUNT(jobs), "TI-Q2");

    /* TI-Q2 */
    world.slot_s = 2;
    walk_check(&world, rounds, COUNT(rounds));
}

/* The round in which `b` arrives costs `a` 5 s of the 8 that it owes; the others are forgiven. */
TEST(a_job_larger_than_the_cluster_is_counted_nowhere_or_declined)
{
    static const struct oracle_job jobs[] = {
        {"a", 0, false, 0, 1000, 40, "resnet50", 64, 4, 20},
        {"b", 1, false, 5, 1000, 40, "resnet50", 64, 8, 20},
    };
    struct world world = world_of(jobs, COUNT(jobs), NULL);

    /* TI-Q9 */
    world_check(&world, 1, 0, WORLD_JOBS("25,a,4,0,0,25,40,0\n"),
                "time,layout\n0,0@0x4\n5,0@0x4\n65,\n");
    world.rules = "TI-Q9";
    world_check_engine(&world, 1, 1, WORLD_JOBS("25,a,4,0,0,25,40,0\n"), NULL);
}

/* PL-1. Both nodes have the id 0, so that the one which comes free first is given out first: ends
 * come before the rest, and the rest in the order of arrival, be a job demoted or not (EF-Q4). */
TEST(nodes_come_free_in_the_order_of_placement)
{
    static const struct oracle_job jobs[] = {
        {"0", 0, false, 0, 70000, 99999, "resnet50", 64, 1, 10000},
        {"1", 1, false, 1000, 56000, 99999, "resnet50", 64, 1, 8000},
    };
    struct world world = world_of(jobs, COUNT(jobs), NULL);

    world.cluster = (struct oracle_cluster){2, 1, 1};
    world_check(&world, 2, 0,
                WORLD_JOBS("9004,1,1,1000,1000,9004,99999,0\n"
                           "10004,0,1,0,0,10004,99999,0\n"),
                "time,layout\n"
                "0,0@0x1\n"
                "1000,1@0x1 0@1x1\n"
                "3254,1@0x1 0@1x1\n"
                "4254,1@0x1 0@1x1\n"
                "7204,1@0x1 0@1x1\n"
                "8204,1@0x1 0@1x1\n"
                "9004,0@0x1\n"
                "10004,\n");
}

static struct world on_one_node(int gpus, const struct oracle_job *jobs, size_t count)
{
    struct world world = world_of(jobs, count, NULL);

    world.cluster = (struct oracle_cluster){1, 1, gpus};
    return world;
}

/* TI-3. The end of #1 is forecast for 4000, as #2 arrives; the round at 3254 puts it off to 4004,
 * and yet the job leaves at 4000. Without the quirk it holds its GPU for a slot more. */
TEST(an_end_forecast_for_an_arrival_happens_with_it)
{
    static const struct oracle_job jobs[] = {
        {"0", 0, false, 0, 100000, 99999, "resnet50", 64, 1, 20000},
        {"1", 1, false, 3000, 6843, 99999, "resnet50", 64, 1, 1000},
        {"2", 2, false, 4000, 684, 4102, "resnet50", 64, 1, 100},
    };
    struct world world = on_one_node(2, jobs, COUNT(jobs));

    /* TI-Q11 */
    world_check(&world, 3, 0,
                WORLD_JOBS("4004,1,1,3000,3000,4004,99999,0\n"
                           "4100,2,1,4000,4000,4100,4102,0\n"
                           "20004,0,1,0,0,20004,99999,0\n"),
                "time,layout\n"
                "0,0@0x1\n"
                "3000,0@0x1 1@1x1\n"
                "3254,0@0x1 1@1x1\n"
                "4000,0@0x1 2@1x1\n"
                "4100,0@0x1\n"
                "7204,0@0x1\n"
                "20004,\n");
    world.rules = "TI-Q11";
    world_check(&world, 2, 1,
                WORLD_JOBS("4004,1,1,3000,3000,4004,99999,0\n"
                           "4104,2,1,4000,4000,4104,4102,0\n"
                           "20068,0,1,0,0,20068,99999,0\n"),
                NULL);
}

static const struct oracle_job preempted[] = {
    {"0", 0, false, 0, 34215, 99999, "resnet50", 64, 1, 5000},
    {"1", 1, false, 100, 3421, 99999, "resnet50", 64, 1, 500},
    {"2", 2, false, 5004, 684, 99999, "resnet50", 64, 1, 100},
};

/* TI-4. #0 waits from 3254 to 3754 and has 504 s to go when #2 arrives. */
TEST(a_job_ends_with_work_left)
{
    const struct world world = on_one_node(1, preempted, COUNT(preempted));

    /* TI-Q11 */
    world_check(&world, 3, 0,
                WORLD_JOBS("3754,1,1,100,3254,3754,99999,0\n"
                           "5504,0,1,0,0,5504,99999,0\n"
                           "5104,2,1,5004,5004,5104,99999,0\n"),
                "time,layout\n"
                "0,0@0x1\n"
                "100,0@0x1\n"
                "3254,1@0x1\n"
                "3754,0@0x1\n"
                "5004,2@0x1\n"
                "5104,\n");
}

/* TI-5. The same with a job that still runs as #2 arrives, while #0 waits. */
TEST(a_job_that_waits_cannot_end)
{
    struct oracle_job jobs[COUNT(preempted)];
    const struct world world = on_one_node(1, jobs, COUNT(jobs));
    folder_t *folder = folder_new();
    struct oracle_run_result result;
    struct engine_run run;

    /* TI-Q11 */
    memcpy(jobs, preempted, sizeof(jobs));
    jobs[1].iterations = 20529;
    jobs[1].duration_s = 3000;
    world_run_oracle(&world, WORLD_ROUNDS_MAX, &result);
    assert_int_equal(result.status.outcome, ORACLE_ABORT);
    assert_int_equal(result.status.reason, ORACLE_NOT_RUNNING);
    oracle_run_result_clear(&result);
    run = world_run_engine(&world, folder);
    assert_int_equal(run.status, -1);
    assert_string_equal(
        run.error.text,
        "job 0: the artifact aborts here: it ends the job with the arrival at 5004 s, "
        "for which its end was forecast, but the job waits (TI-Q11); --rules clean goes on");
    engine_run_clear(&run);
    folder_destroy(&folder);
}

int main(void)
{
    return tests_run(set_up, tear_down);
}
