/* srtf_test.c - the job that needs least time holds its GPUs. The runs are those of steady.h. */
#include "tests/policies/steady.h"
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

/* `long` runs for 52 s until `short` takes its GPUs at 60, and pays 8 s at its start and 2 s at
 * 120, when it resumes. The round at 180, in which `late` is seen, costs it nothing. */
TEST(a_short_job_interrupts_a_long_one)
{
    static const struct steady_job jobs[] = {
        {"long", 0, 4, 300}, {"short", 30, 4, 50}, {"late", 150, 4, 400}};
    struct steady_world steady;

    steady_world(&steady, "srtf", a100, jobs, COUNT(jobs));
    world_check_engine(&steady.world, 3, 0,
                       WORLD_JOBS("120,short,4,30,60,112,1000000,0\n"
                                  "370,long,4,0,0,370,1000000,0\n"
                                  "772,late,4,150,370,772,1000000,0\n"),
                       "time,layout\n"
                       "0,0@0x4\n"
                       "60,1@0x4\n"
                       "120,0@0x4\n"
                       "180,0@0x4\n"
                       "370,2@0x4\n"
                       "772,\n");
}

/* At 5 neither has done anything, as the overhead of 8 s is not over. */
TEST(equal_ones_do_not_interrupt_each_other)
{
    static const struct steady_job jobs[] = {{"second", 3, 4, 50}, {"first", 0, 4, 50}};
    struct steady_world steady;

    steady_world(&steady, "srtf", a100, jobs, COUNT(jobs));
    steady.world.slot_s = 5;
    world_check_engine(&steady.world, 2, 0,
                       WORLD_JOBS("58,first,4,0,0,58,1000000,0\n"
                                  "110,second,4,3,58,110,1000000,0\n"),
                       "time,layout\n0,1@0x4\n5,1@0x4\n58,0@0x4\n110,\n");
}

/* `b` does not fit beside `a`. At 106 it would, but `c` has only 100 s left by then. Jobs of one
 * size get their places in the order of their arrival. */
TEST(a_job_that_does_not_fit_is_passed_over)
{
    static const struct steady_job jobs[] = {{"c", 0, 2, 200}, {"b", 0, 4, 150}, {"a", 0, 2, 100}};
    struct steady_world steady;

    steady_world(&steady, "srtf", a100, jobs, COUNT(jobs));
    world_check_engine(&steady.world, 3, 0,
                       WORLD_JOBS("106,a,2,0,0,106,1000000,0\n"
                                  "206,c,2,0,0,206,1000000,0\n"
                                  "364,b,4,0,206,364,1000000,0\n"),
                       "time,layout\n"
                       "0,0@0x2 2@2x2\n"
                       "106,0@0x2\n"
                       "206,1@0x4\n"
                       "364,\n");
}

TEST(a_job_larger_than_the_cluster_is_declined)
{
    static const struct steady_job jobs[] = {{"large", 0, 8, 10}, {"a", 0, 4, 100}};
    struct steady_world steady;

    steady_world(&steady, "srtf", a100, jobs, COUNT(jobs));
    world_check_engine(&steady.world, 1, 1, WORLD_JOBS("108,a,4,0,0,108,1000000,0\n"), NULL);
}

int main(void)
{
    return tests_run(set_up, tear_down);
}
