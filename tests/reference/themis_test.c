/* themis_test.c - themis on the worked examples of its specification (section 4.9): 2 nodes of 2
 * GPUs, slots of a minute. What shares it finds for them is in fair_shares_test.c. */
#include "tests/engine/walk.h"
#include "tests/support/test.h"

#include <math.h>

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
    return (struct world){.policy = "themis",
                          .tables = a100,
                          .cluster = {1, 2, 2},
                          .slot_s = 60,
                          .jobs = jobs,
                          .job_count = count,
                          .rules = rules};
}

static const struct oracle_job starving[] = {
    {"a", 0, false, 0, 4000, 700, "bert", 64, 4, 387},
    {"b", 1, false, 0, 700, 400, "vgg16", 64, 1, 139},
    {"c", 2, false, 30, 900, 600, "resnet50", 64, 1, 132},
    {"d", 3, false, 100, 500, 350, "gpt2", 128, 2, 42},
};

static const struct walk_step starving_rounds[] = {
    {0, "ap[0] bR[0]"},
    {60, "ap[0] bR[60] cR[0]"},
    {120, "ap[0] bR[120] cR[60] dR[0]"},
    {180, "ap[0] cR[120]"},
    {240, "aR[0]"},
    {300, "aR[60]"},
    {360, "aR[120]"},
    {420, "aR[180]"},
    {480, "aR[240]"},
    {540, "aR[300]"},
    {600, "aR[360]"},
    {660, ""},
};

/* TH-1. `a` needs all GPUs and gets none as long as one is taken (TH-Q5). All ends are those of a
 * slot (TH-Q6). */
TEST(a_large_job_starves)
{
    const struct world world = world_of(starving, COUNT(starving), NULL);

    walk_check(&world, starving_rounds, COUNT(starving_rounds));
    world_check(&world, 4, 0,
                WORLD_JOBS("180,b,1,0,0,180,400,0\n"
                           "180,d,2,100,120,180,350,0\n"
                           "240,c,1,30,60,240,600,0\n"
                           "660,a,4,0,240,660,700,0\n"),
                "time,layout\n"
                "0,1@0x1\n"
                "60,1@0x1 2@1x1\n"
                "120,3@0x2 1@2x1 2@3x1\n"
                "180,2@0x1\n"
                "240,0@0x4\n"
                "300,0@0x4\n"
                "360,0@0x4\n"
                "420,0@0x4\n"
                "480,0@0x4\n"
                "540,0@0x4\n"
                "600,0@0x4\n"
                "660,\n");
}

TEST(progress_is_kept_in_iterations_too)
{
    static const double left[] = {700, 396.818851, 93.637702};
    const struct world world = world_of(starving, COUNT(starving), NULL);
    walk_t *walk = walk_new(&world);

    for (size_t i = 0; i < COUNT(left); i++) {
        assert_true(walk_round(walk));
        assert_true(fabs(walk_job(walk, 1)->iterations_left - left[i]) < 1e-6);
    }
    walk_destroy(&walk);
}

/* The layouts are as before: a job that ended keeps its GPUs until the slot is over. */
TEST(an_end_is_known_to_the_second_without_the_quirk)
{
    const struct world world = world_of(starving, COUNT(starving), "TH-Q6");

    walk_check(&world, starving_rounds, COUNT(starving_rounds));
    world_check(&world, 4, 0,
                WORLD_JOBS("139,b,1,0,0,139,400,0\n"
                           "162,d,2,100,120,162,350,0\n"
                           "192,c,1,30,60,192,600,0\n"
                           "627,a,4,0,240,627,700,0\n"),
                NULL);
}

/* TH-2. At 180 it is the GPUs that limit the shares, before that the job that is worst off. */
TEST(identical_jobs_take_turns)
{
    static const struct oracle_job jobs[] = {
        {"a", 0, false, 0, 900, 200, "resnet50", 64, 2, 77},
        {"b", 1, false, 0, 900, 200, "resnet50", 64, 2, 77},
        {"c", 2, false, 0, 900, 200, "resnet50", 64, 2, 77},
        {"d", 3, false, 0, 800, 260, "vgg16", 64, 1, 159},
    };
    static const struct walk_step rounds[] = {
        {0, "aR[0] bp[0] cp[0] dR[0]"},
        {60, "ap[60] bR[0] cp[0] dR[60]"},
        {120, "ap[60] bp[60] cR[0] dR[120]"},
        {180, "ap[60] bR[60] cR[60]"},
        {240, "aR[60]"},
        {300, ""},
    };
    const struct world world = world_of(jobs, COUNT(jobs), NULL);

    walk_check(&world, rounds, COUNT(rounds));
    world_check(&world, 1, 3,
                WORLD_JOBS("180,d,1,0,0,180,260,0\n"
                           "240,c,2,0,120,240,200,0\n"
                           "240,b,2,0,60,240,200,0\n"
                           "300,a,2,0,0,300,200,0\n"),
                "time,layout\n"
                "0,0@0x2 3@2x1\n"
                "60,1@0x2 3@2x1\n"
                "120,2@0x2 3@2x1\n"
                "180,2@0x2 1@2x2\n"
                "240,0@0x2\n"
                "300,\n");
}

/* 1500 iterations would take 127 s. */
TEST(the_seconds_count_where_the_iterations_last_longer)
{
    static const struct oracle_job job = {"a", 0, false, 0, 1500, 70, "resnet50", 64, 2, 65};
    const struct world world = world_of(&job, 1, NULL);

    /* TH-Q6 */
    world_check(&world, 1, 0, WORLD_JOBS("65,a,2,0,0,65,70,0\n"),
                "time,layout\n0,0@0x2\n60,0@0x2\n120,\n");
}

int main(void)
{
    return tests_run(set_up, tear_down);
}
