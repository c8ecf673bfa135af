/* fifo_test.c - the job that comes first is served first, strictly in order or as far as the others
 * fit. The runs are those of steady.h. */
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

/* `b` does not fit beside `a`, `c` would. Both are seen at 60, and rounds are a slot apart at
 * least. */
static const struct steady_job blocked[] = {{"a", 0, 2, 100}, {"b", 10, 4, 50}, {"c", 20, 1, 20}};

TEST(a_job_that_does_not_fit_holds_up_all_behind_it)
{
    struct steady_world steady;

    steady_world(&steady, "fifo", a100, blocked, COUNT(blocked));
    world_check_engine(&steady.world, 3, 0,
                       WORLD_JOBS("120,a,2,0,0,106,1000000,0\n"
                                  "180,b,4,10,120,178,1000000,0\n"
                                  "240,c,1,20,180,204,1000000,0\n"),
                       "time,layout\n"
                       "0,0@0x2\n"
                       "60,0@0x2\n"
                       "120,1@0x4\n"
                       "180,2@0x1\n"
                       "240,\n");
}

/* The round at 84 is put off until a slot has gone by, and that at 178 too. */
TEST(first_fit_passes_over_it)
{
    struct steady_world steady;

    steady_world(&steady, "fifo-first-fit", a100, blocked, COUNT(blocked));
    world_check_engine(&steady.world, 3, 0,
                       WORLD_JOBS("120,c,1,20,60,84,1000000,0\n"
                                  "120,a,2,0,0,106,1000000,0\n"
                                  "180,b,4,10,120,178,1000000,0\n"),
                       "time,layout\n"
                       "0,0@0x2\n"
                       "60,0@0x2 2@2x1\n"
                       "120,1@0x4\n"
                       "180,\n");
}

/* Of four that arrive together the first two fit, and `d`, which is last, must wait for `c`. `c`
 * runs for 8 + 50 s, and its end is seen after 60. */
TEST(jobs_that_arrive_together_are_served_in_the_order_of_the_trace)
{
    static const struct steady_job jobs[] = {
        {"a", 0, 2, 100}, {"b", 0, 2, 200}, {"c", 0, 4, 50}, {"d", 0, 1, 10}};
    struct steady_world steady;

    steady_world(&steady, "fifo", a100, jobs, COUNT(jobs));
    world_check_engine(&steady.world, 4, 0,
                       WORLD_JOBS("106,a,2,0,0,106,1000000,0\n"
                                  "206,b,2,0,0,206,1000000,0\n"
                                  "266,c,4,0,206,264,1000000,0\n"
                                  "326,d,1,0,266,280,1000000,0\n"),
                       NULL);
}

/* At 106 `b` could have the ranks that `a` had; it stays on its own and pays nothing. */
TEST(a_job_that_runs_stays_where_it_is_and_pays_once)
{
    static const struct steady_job jobs[] = {{"a", 0, 2, 100}, {"b", 0, 2, 200}};
    struct steady_world steady;

    steady_world(&steady, "fifo", a100, jobs, COUNT(jobs));
    world_check_engine(&steady.world, 2, 0,
                       WORLD_JOBS("106,a,2,0,0,106,1000000,0\n"
                                  "206,b,2,0,0,206,1000000,0\n"),
                       "time,layout\n"
                       "0,0@0x2 1@2x2\n"
                       "106,1@2x2\n"
                       "206,\n");
}

TEST(a_job_larger_than_the_cluster_is_declined_and_blocks_nobody)
{
    static const struct steady_job jobs[] = {{"large", 0, 8, 10}, {"a", 0, 4, 100}};
    static const char *const policies[] = {"fifo", "fifo-first-fit"};
    struct steady_world steady;

    for (size_t i = 0; i < COUNT(policies); i++) {
        steady_world(&steady, policies[i], a100, jobs, COUNT(jobs));
        world_check_engine(&steady.world, 1, 1, WORLD_JOBS("108,a,4,0,0,108,1000000,0\n"),
                           "time,layout\n0,1@0x4\n108,\n");
    }
}

TEST(a_late_end_is_no_success)
{
    static const struct steady_job job = {"a", 0, 4, 100};
    struct steady_world steady;

    steady_world(&steady, "fifo", a100, &job, 1);
    steady.jobs[0].deadline_s = 108;
    world_check_engine(&steady.world, 1, 0, WORLD_JOBS("108,a,4,0,0,108,108,0\n"), NULL);
    steady.jobs[0].deadline_s = 107;
    world_check_engine(&steady.world, 0, 1, WORLD_JOBS("108,a,4,0,0,108,107,0\n"), NULL);
}

/* `c` ends at 84, which the round at 120 sees. */
TEST(an_end_counts_when_it_was_not_when_it_is_seen)
{
    struct steady_world steady;

    steady_world(&steady, "fifo-first-fit", a100, blocked, COUNT(blocked));
    steady.jobs[2].deadline_s = 84;
    world_check_engine(&steady.world, 3, 0,
                       WORLD_JOBS("120,c,1,20,60,84,84,0\n"
                                  "120,a,2,0,0,106,1000000,0\n"
                                  "180,b,4,10,120,178,1000000,0\n"),
                       NULL);
    steady.jobs[2].deadline_s = 83;
    world_check_engine(&steady.world, 2, 1,
                       WORLD_JOBS("120,c,1,20,60,84,83,0\n"
                                  "120,a,2,0,0,106,1000000,0\n"
                                  "180,b,4,10,120,178,1000000,0\n"),
                       NULL);
}

/* Every other round after the first restarts all: those at 140 and at 370. Trainers that stay pay
 * the base then, others 27 s more, and the ranks that ran together are forgotten. */
TEST(a_restart_is_paid_by_the_jobs_that_run)
{
    static const struct steady_job jobs[] = {{"a", 0, 4, 300}, {"b", 70, 4, 50}, {"c", 140, 4, 20}};
    struct steady_world steady;

    steady_world(&steady, "fifo", a100, jobs, COUNT(jobs));
    steady.world.restart_threshold = 2;
    world_check_engine(&steady.world, 3, 0,
                       WORLD_JOBS("310,a,4,0,0,310,1000000,0\n"
                                  "370,b,4,70,310,368,1000000,0\n"
                                  "430,c,4,140,370,392,1000000,0\n"),
                       "time,layout\n0,0@0x4\n70,0@0x4\n140,0@0x4\n310,1@0x4\n370,2@0x4\n430,\n");
}

int main(void)
{
    return tests_run(set_up, tear_down);
}
