/* forecast_test.c - when there is a round: at the next end that is foreseen, at a demotion, at the
 * end of each slot, or not before a job arrives. One node of 4 GPUs, slots of a minute. */
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

static struct world world_of(const char *policy, const struct oracle_job *jobs, size_t count)
{
    return (struct world){.policy = policy,
                          .tables = a100,
                          .cluster = {1, 1, 4},
                          .slot_s = 60,
                          .jobs = jobs,
                          .job_count = count};
}

/* All are seen at 60. */
TEST(of_ends_seen_together_the_larger_job_comes_first)
{
    static const struct oracle_job jobs[] = {
        {"a", 0, false, 0, 1000, 100, "resnet50", 64, 1, 20},
        {"b", 1, false, 0, 1000, 100, "resnet50", 64, 2, 50},
        {"c", 2, false, 0, 1000, 100, "resnet50", 64, 1, 10},
    };
    const struct world world = world_of("dlas-gpu", jobs, COUNT(jobs));

    world_check_engine(&world, 3, 0,
                       WORLD_JOBS("50,b,2,0,0,50,100,0\n"
                                  "20,a,1,0,0,20,100,0\n"
                                  "10,c,1,0,0,10,100,0\n"),
                       "time,layout\n0,1@0x2 0@2x1 2@3x1\n60,\n");
}

/* At 0 the end of `b` would be 130; but the round at 100 has it pay its overhead. */
TEST(only_the_next_end_is_foreseen)
{
    static const struct oracle_job jobs[] = {
        {"a", 0, false, 0, 1000, 200, "resnet50", 64, 2, 100},
        {"b", 1, false, 0, 1000, 200, "resnet50", 64, 2, 130},
    };
    static const struct walk_step rounds[] = {{0, "aR[0]+6 bR[0]+6"}, {100, "bR[94]"}, {160, ""}};
    const struct world world = world_of("dlas-gpu", jobs, COUNT(jobs));

    walk_check(&world, rounds, COUNT(rounds));
    world_check_engine(&world, 2, 0, WORLD_JOBS("100,a,2,0,0,100,200,0\n136,b,2,0,0,136,200,0\n"),
                       NULL);
}

/* 3250 GPU seconds are over after 813 s, the first time within the slot. */
TEST(a_demotion_within_the_slot_waits_for_its_end)
{
    static const struct oracle_job job = {"a", 0, false, 0, 1000, 9000, "resnet50", 64, 4, 3000};
    static const struct walk_step rounds[] = {
        {0, "aR[0]+8"}, {1000, "aR[992]Q1"}, {2552, "aR[2544]Q2"}, {3552, ""}};
    struct world world = world_of("dlas-gpu", &job, 1);

    world.slot_s = 1000;
    walk_check(&world, rounds, COUNT(rounds));
}

static const struct oracle_job far_apart[] = {
    {"a", 0, false, 0, 1000, 500, "resnet50", 64, 1, 30},
    {"b", 1, false, 200, 1000, 500, "resnet50", 64, 1, 30},
};

TEST(themis_has_a_round_in_every_slot)
{
    static const struct walk_step rounds[] = {{0, "aR[0]"}, {60, ""},       {120, ""},
                                              {180, ""},    {240, "bR[0]"}, {300, ""}};
    const struct world world = world_of("themis", far_apart, COUNT(far_apart));

    walk_check(&world, rounds, COUNT(rounds));
}

TEST(gandiva_has_none_until_the_next_arrival)
{
    static const struct walk_step rounds[] = {{0, "aR[0]+4"}, {200, "bR[0]"}, {260, ""}};
    const struct world world = world_of("gandiva", far_apart, COUNT(far_apart));

    /* GA-Q9 */
    walk_check(&world, rounds, COUNT(rounds));
}

/* The last arrival keeps its time all the same: CO-Q2. */
TEST(gandiva_has_one_in_every_slot_without_the_quirk)
{
    static const struct walk_step rounds[] = {{0, "aR[0]+4"}, {60, ""},       {120, ""},
                                              {180, ""},      {200, "bR[0]"}, {260, ""}};
    static const struct walk_step put_off[] = {{0, "aR[0]+4"}, {60, ""},       {120, ""},
                                               {180, ""},      {240, "bR[0]"}, {300, ""}};
    struct world world = world_of("gandiva", far_apart, COUNT(far_apart));

    /* GA-Q9 */
    world.rules = "GA-Q9";
    walk_check(&world, rounds, COUNT(rounds));
    world.rules = "GA-Q9,CO-Q2";
    walk_check(&world, put_off, COUNT(put_off));
}

int main(void)
{
    return tests_run(set_up, tear_down);
}
