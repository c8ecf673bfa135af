/* gandiva_test.c - gandiva on the worked examples of its specification (section 2.8): 2 nodes of 2
 * GPUs, slots of a minute. Which jobs share a node shows in the layouts. */
#include "scheduler/policies/policy.h"
#include "tests/engine/walk.h"
#include "tests/support/test.h"

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

static struct world world_of(const struct oracle_job *jobs, size_t count)
{
    return (struct world){.policy = "gandiva",
                          .tables = a100,
                          .cluster = {1, 2, 2},
                          .slot_s = 60,
                          .jobs = jobs,
                          .job_count = count};
}

static const struct oracle_job small_class[] = {
    {"a", 0, false, 0, 1000, 400, "resnet50", 64, 1, 200},
    {"b", 1, false, 0, 1000, 400, "resnet50", 64, 1, 200},
    {"c", 2, false, 10, 1000, 400, "resnet50", 64, 1, 200},
    {"d", 3, false, 300, 1000, 900, "resnet50", 64, 2, 100},
};

/* GA-1. Two sets become one at 60 and, with `c` in a set of its own by then, again at 300: GA-Q4.
 * For the 240 s that it had a node to itself `c` is credited nothing: GA-Q7. */
TEST(a_small_class_collapses_and_loses_time_afterwards)
{
    static const struct walk_step rounds[] = {
        {0, "aR[0]+4 bR[0]+4"},
        {60, "aR[56]+4 bR[56]+4 cR[0]+4"},
        {300, "cR[0]+4 dR[0]"},
        {360, "cR[56] dR[60]"},
        {420, "cR[116]"},
        {480, "cR[176]"},
        {540, ""},
    };
    const struct world world = world_of(small_class, COUNT(small_class));

    walk_check(&world, rounds, COUNT(rounds));
    world_check(&world, 3, 1,
                WORLD_JOBS("300,b,1,0,0,208,400,0\n"
                           "300,a,1,0,0,208,400,0\n"
                           "420,d,2,300,300,400,900,0\n"
                           "540,c,1,10,60,504,400,0\n"),
                "time,layout\n"
                "0,0@0x1 1@2x1\n"
                "60,2@0x1 1@2x1 0@3x1\n"
                "300,3@0x2 2@2x1\n"
                "360,3@0x2 2@2x1\n"
                "420,2@2x1\n"
                "480,2@2x1\n"
                "540,\n");
}

/* The same, but the interval is credited before any job is moved, so that all are on time. */
TEST(credited_first_nobody_loses_time)
{
    static const struct walk_step rounds[] = {
        {0, "aR[0]+4 bR[0]+4"},
        {60, "aR[56]+4 bR[56]+4 cR[0]+4"},
        {300, "dR[0]"},
        {360, "dR[60]"},
        {420, ""},
    };
    struct world world = world_of(small_class, COUNT(small_class));

    /* GA-Q7 */
    world.rules = "GA-Q7";
    walk_check(&world, rounds, COUNT(rounds));
    world_check(&world, 4, 0,
                WORLD_JOBS("300,c,1,10,60,264,400,0\n"
                           "300,b,1,0,0,208,400,0\n"
                           "300,a,1,0,0,208,400,0\n"
                           "420,d,2,300,300,400,900,0\n"),
                "time,layout\n"
                "0,0@0x1 1@2x1\n"
                "60,2@0x1 1@2x1 0@3x1\n"
                "300,3@0x2\n"
                "360,3@0x2\n"
                "420,\n");
}

/* GA-2. At 0 no job is still to arrive, so that no overhead is ever paid: GA-Q10. From 240 on a set
 * is opened in each round for a class that could use it, and given up again: GA-Q5. */
TEST(turns_change_on_full_minutes)
{
    static const struct oracle_job jobs[] = {
        {"a", 0, false, 0, 1000, 500, "resnet50", 64, 2, 150},
        {"b", 1, false, 0, 1000, 500, "resnet50", 64, 2, 150},
        {"c", 2, false, 0, 1000, 500, "resnet50", 64, 2, 150},
    };
    static const struct walk_step rounds[] = {
        {0, "aR[0] bR[0] cp[0]"},
        {60, "aR[60] bp[60] cR[0]"},
        {120, "aR[120] bR[60] cp[60]"},
        {180, "bp[120] cR[60]"},
        {240, "bR[120] cp[120]"},
        {300, "cR[120]"},
        {360, ""},
    };
    const struct world world = world_of(jobs, COUNT(jobs));

    walk_check(&world, rounds, COUNT(rounds));
    world_check(&world, 3, 0,
                WORLD_JOBS("180,a,2,0,0,150,500,0\n"
                           "300,b,2,0,0,270,500,0\n"
                           "360,c,2,0,0,330,500,0\n"),
                "time,layout\n"
                "0,0@0x2 1@2x2\n"
                "60,0@0x2 2@2x2\n"
                "120,0@0x2 1@2x2\n"
                "180,2@2x2\n"
                "240,1@2x2\n"
                "300,2@2x2\n"
                "360,\n");
}

static const struct oracle_job off_minute[] = {
    {"a", 0, false, 30, 1000, 530, "resnet50", 64, 2, 150},
    {"b", 1, false, 30, 1000, 530, "resnet50", 64, 2, 150},
    {"c", 2, false, 30, 1000, 530, "resnet50", 64, 2, 150},
};

/* GA-2, submitted half a minute later: a job that waits does so until another ends. */
TEST(off_the_full_minute_turns_never_change)
{
    static const struct walk_step rounds[] = {
        {30, "aR[0] bR[0] cp[0]"},
        {90, "aR[60] bR[60] cp[0]"},
        {150, "aR[120] bR[120] cp[0]"},
        {210, "cR[0]"},
        {270, "cR[60]"},
        {330, "cR[120]"},
        {390, ""},
    };
    const struct world world = world_of(off_minute, COUNT(off_minute));

    /* GA-Q8 */
    walk_check(&world, rounds, COUNT(rounds));
    world_check(&world, 3, 0,
                WORLD_JOBS("210,a,2,30,30,180,530,0\n"
                           "210,b,2,30,30,180,530,0\n"
                           "390,c,2,30,30,360,530,0\n"),
                "time,layout\n"
                "30,0@0x2 1@2x2\n"
                "90,0@0x2 1@2x2\n"
                "150,0@0x2 1@2x2\n"
                "210,2@2x2\n"
                "270,2@2x2\n"
                "330,2@2x2\n"
                "390,\n");
}

TEST(turns_that_change_in_every_round_do_so_off_the_minute_too)
{
    static const struct walk_step rounds[] = {
        {30, "aR[0] bR[0] cp[0]"},
        {90, "aR[60] bp[60] cR[0]"},
        {150, "aR[120] bR[60] cp[60]"},
        {210, "bp[120] cR[60]"},
        {270, "bR[120] cp[120]"},
        {330, "cR[120]"},
        {390, ""},
    };
    struct world world = world_of(off_minute, COUNT(off_minute));

    /* GA-Q8 */
    world.rules = "GA-Q8";
    walk_check(&world, rounds, COUNT(rounds));
    world_check(&world, 3, 0,
                WORLD_JOBS("210,a,2,30,30,180,530,0\n"
                           "330,b,2,30,30,300,530,0\n"
                           "390,c,2,30,30,360,530,0\n"),
                "time,layout\n"
                "30,0@0x2 1@2x2\n"
                "90,0@0x2 2@2x2\n"
                "150,0@0x2 1@2x2\n"
                "210,2@2x2\n"
                "270,1@2x2\n"
                "330,2@2x2\n"
                "390,\n");
}

static const struct oracle_job waiting[] = {
    {"a", 0, false, 0, 1000, 900, "resnet50", 64, 4, 100},
    {"b", 1, false, 5, 1000, 300, "resnet50", 64, 1, 50},
    {"c", 2, false, 6, 1000, 900, "resnet50", 64, 2, 50},
    {"d", 3, false, 7, 1000, 260, "resnet50", 64, 1, 50},
};

/* GA-3. At 120 both nodes come free. `c` is passed over after `b` and must wait until a set is
 * given up again: GA-Q11. The sets of `b` and `d` are one from 180 on. */
TEST(whoever_waits_behind_a_job_that_found_its_place_is_passed_over)
{
    static const struct walk_step rounds[] = {
        {0, "aR[0]+8"},
        {60, "aR[52] bp[0] cp[0] dp[0]"},
        {120, "bR[0] cp[0] dR[0]"},
        {180, "cR[0]"},
        {240, ""},
    };
    const struct world world = world_of(waiting, COUNT(waiting));

    walk_check(&world, rounds, COUNT(rounds));
    world_check(&world, 4, 0,
                WORLD_JOBS("120,a,4,0,0,108,900,0\n"
                           "180,d,1,7,120,170,260,0\n"
                           "180,b,1,5,120,170,300,0\n"
                           "240,c,2,6,180,230,900,0\n"),
                "time,layout\n"
                "0,0@0x4\n"
                "60,0@0x4\n"
                "120,1@0x1 3@2x1\n"
                "180,2@0x2\n"
                "240,\n");
}

TEST(with_every_waiting_job_tried_all_find_a_place)
{
    static const struct walk_step rounds[] = {
        {0, "aR[0]+8"},
        {60, "aR[52] bp[0] cp[0] dp[0]"},
        {120, "bR[0] cR[0] dR[0]"},
        {180, ""},
    };
    struct world world = world_of(waiting, COUNT(waiting));

    /* GA-Q11 */
    world.rules = "GA-Q11";
    walk_check(&world, rounds, COUNT(rounds));
    world_check(&world, 4, 0,
                WORLD_JOBS("120,a,4,0,0,108,900,0\n"
                           "180,b,1,5,120,170,300,0\n"
                           "180,d,1,7,120,170,260,0\n"
                           "180,c,2,6,120,170,900,0\n"),
                "time,layout\n"
                "0,0@0x4\n"
                "60,0@0x4\n"
                "120,1@0x1 3@1x1 2@2x2\n"
                "180,\n");
}

/* Twice what an int holds. */
TEST(more_gpus_can_be_in_demand_than_any_cluster_has)
{
    const struct job job = {.submission = &(const struct submission){.gpus_requested = 65536},
                            .state = JOB_RUNNING};
    const struct policy *policy = policy_find("gandiva");
    const struct reference_rules *rules = policy->rules;
    slice_sets_t *sets = slice_sets_new(8192, 16);
    const struct gandiva_round round = {sets, &rules->sharing.gandiva, 8192 * 16, NULL};
    struct slice_set_class *class = slice_sets_class(sets, job.submission->gpus_requested);
    struct slice_set *set = slice_sets_open(sets, class);

    for (int i = 0; i < 65536; i++)
        slice_sets_append(sets, set, &job);
    assert_true(gandiva_adjust(&round));
    assert_int_equal(class->count, 2);
    assert_int_equal(class->sets[0]->job_count, 32768);
    slice_sets_destroy(&sets);
}

int main(void)
{
    return tests_run(set_up, tear_down);
}
