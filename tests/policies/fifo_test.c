/* fifo_test.c - who comes first is served first, strictly in order or as far as the others fit. The
 * runs are those of steady.h. */
#include "tests/policies/steady.h"
#include "tests/support/test.h"

static tables_t *a100;

static int set_up(void **state)
{
    (void)state;
    a100 = tables_new("A100");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tables_destroy(&a100);
    return 0;
}

/* `b` does not fit beside `a`, `c` would. Both are seen at 60. */
static const struct steady_job blocked[] = {{"a", 0, 2, 100}, {"b", 10, 4, 50}, {"c", 20, 1, 20}};

static void a_job_that_does_not_fit_holds_up_all_behind_it(void **state)
{
    struct steady_world steady;

    (void)state;
    steady_world(&steady, "fifo", a100, blocked, COUNT(blocked));
    world_check_engine(&steady.world, 3, 0,
                       WORLD_JOBS("106,a,2,0,0,106,1000000,0\n"
                                  "164,b,4,10,106,164,1000000,0\n"
                                  "188,c,1,20,164,188,1000000,0\n"),
                       "time,layout\n"
                       "0,0@0x2\n"
                       "60,0@0x2\n"
                       "106,1@0x4\n"
                       "164,2@0x1\n"
                       "188,\n");
}

/* The round at 84 is put off to the end of its slot. */
static void first_fit_passes_over_it(void **state)
{
    struct steady_world steady;

    (void)state;
    steady_world(&steady, "fifo-first-fit", a100, blocked, COUNT(blocked));
    world_check_engine(&steady.world, 3, 0,
                       WORLD_JOBS("120,c,1,20,60,84,1000000,0\n"
                                  "120,a,2,0,0,106,1000000,0\n"
                                  "178,b,4,10,120,178,1000000,0\n"),
                       "time,layout\n"
                       "0,0@0x2\n"
                       "60,0@0x2 2@2x1\n"
                       "120,1@0x4\n"
                       "178,\n");
}

/* Of three that arrive together the first two fit, and `d`, which is last, must wait for `c`. */
static void whoever_arrives_together_is_served_in_the_order_of_the_trace(void **state)
{
    static const struct steady_job jobs[] = {
        {"a", 0, 2, 100}, {"b", 0, 2, 200}, {"c", 0, 4, 50}, {"d", 0, 1, 10}};
    struct steady_world steady;

    (void)state;
    steady_world(&steady, "fifo", a100, jobs, COUNT(jobs));
    world_check_engine(&steady.world, 4, 0,
                       WORLD_JOBS("106,a,2,0,0,106,1000000,0\n"
                                  "206,b,2,0,0,206,1000000,0\n"
                                  "264,c,4,0,206,264,1000000,0\n"
                                  "278,d,1,0,264,278,1000000,0\n"),
                       NULL);
}

/* At 106 `b` moves to the ranks that `a` had. It is not interrupted for that. */
static void whoever_runs_pays_once_wherever_he_is_moved(void **state)
{
    static const struct steady_job jobs[] = {{"a", 0, 2, 100}, {"b", 0, 2, 200}};
    struct steady_world steady;

    (void)state;
    steady_world(&steady, "fifo", a100, jobs, COUNT(jobs));
    world_check_engine(&steady.world, 2, 0,
                       WORLD_JOBS("106,a,2,0,0,106,1000000,0\n"
                                  "206,b,2,0,0,206,1000000,0\n"),
                       "time,layout\n"
                       "0,0@0x2 1@2x2\n"
                       "106,1@0x2\n"
                       "206,\n");
}

static void a_job_larger_than_the_cluster_is_declined_and_blocks_nobody(void **state)
{
    static const struct steady_job jobs[] = {{"large", 0, 8, 10}, {"a", 0, 4, 100}};
    static const char *const policies[] = {"fifo", "fifo-first-fit"};
    struct steady_world steady;

    (void)state;
    for (size_t i = 0; i < COUNT(policies); i++) {
        steady_world(&steady, policies[i], a100, jobs, COUNT(jobs));
        world_check_engine(&steady.world, 1, 1, WORLD_JOBS("108,a,4,0,0,108,1000000,0\n"),
                           "time,layout\n0,1@0x4\n108,\n");
    }
}

static void a_late_end_is_no_success(void **state)
{
    static const struct steady_job job = {"a", 0, 4, 100};
    struct steady_world steady;

    (void)state;
    steady_world(&steady, "fifo", a100, &job, 1);
    steady.jobs[0].deadline_s = 108;
    world_check_engine(&steady.world, 1, 0, WORLD_JOBS("108,a,4,0,0,108,108,0\n"), NULL);
    steady.jobs[0].deadline_s = 107;
    world_check_engine(&steady.world, 0, 1, WORLD_JOBS("108,a,4,0,0,108,107,0\n"), NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_that_does_not_fit_holds_up_all_behind_it),
        cmocka_unit_test(first_fit_passes_over_it),
        cmocka_unit_test(whoever_arrives_together_is_served_in_the_order_of_the_trace),
        cmocka_unit_test(whoever_runs_pays_once_wherever_he_is_moved),
        cmocka_unit_test(a_job_larger_than_the_cluster_is_declined_and_blocks_nobody),
        cmocka_unit_test(a_late_end_is_no_success),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
