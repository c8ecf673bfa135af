/* random_test.c - seeded runs of the master among workers that crash, freeze and are cut off, over
 * links that lose and repeat messages: no GPU ever has two holders, and afterwards all that is
 * planned runs. */
#include "common/log.h"
#include "tests/master/world.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <stdio.h>

static void add(struct world_counts *sum, struct world_counts counts)
{
    sum->events += counts.events;
    sum->begun += counts.begun;
    sum->leases_over += counts.leases_over;
    sum->crashes += counts.crashes;
    sum->masters += counts.masters;
    sum->adopted += counts.adopted;
    sum->settled += counts.settled;
    sum->done += counts.done;
    sum->held += counts.held;
}

static struct world_counts run(struct world_setting setting, long times)
{
    const uint64_t first = test_seed();
    struct world_counts sum = {0};

    for (long i = 0; i < test_times(times); i++) {
        setting.seed = first + (uint64_t)i;
        add(&sum, world_run(&setting));
    }
    print_message("%" PRIu64 " events, %" PRIu64 " begun, %" PRIu64 " leases over, %" PRIu64
                  " crashes, %" PRIu64 " masters, %" PRIu64 " adopted, %" PRIu64
                  " settled, %" PRIu64 " done, %" PRIu64 " held\n",
                  sum.events, sum.begun, sum.leases_over, sum.crashes, sum.masters, sum.adopted,
                  sum.settled, sum.done, sum.held);
    return sum;
}

TEST(plans_are_carried_out_in_a_world_without_trouble)
{
    const struct world_counts counts = run((struct world_setting){.trouble_s = 120}, 20);

    assert_true(counts.begun > 100);
    assert_true(counts.settled > 20);
    assert_int_equal(counts.leases_over, 0);
}

TEST(messages_that_get_lost_or_come_twice_or_late_do_no_harm)
{
    const struct world_counts counts = run(
        (struct world_setting){.loss = 0.2, .repeat = 0.3, .delay_s = 0.05, .trouble_s = 60}, 100);

    assert_true(counts.begun > 100);
}

TEST(workers_that_die_or_are_cut_off_never_share_a_gpu)
{
    const struct world_counts counts = run((struct world_setting){.loss = 0.02,
                                                                  .repeat = 0.05,
                                                                  .delay_s = 0.01,
                                                                  .crash_s = 30,
                                                                  .freeze_s = 30,
                                                                  .cut_s = 30,
                                                                  .failure_s = 60,
                                                                  .end_s = 300,
                                                                  .trouble_s = 90},
                                           200);

    assert_true(counts.leases_over > 100);
    assert_true(counts.crashes > 100);
    assert_true(counts.done > 0);
}

TEST(a_master_that_is_killed_leaves_nothing_that_the_next_one_trips_over)
{
    const struct world_counts counts = run((struct world_setting){.loss = 0.02,
                                                                  .delay_s = 0.01,
                                                                  .crash_s = 60,
                                                                  .cut_s = 30,
                                                                  .failure_s = 100,
                                                                  .master_s = 15,
                                                                  .trouble_s = 90},
                                           200);

    assert_true(counts.masters > 100);
    assert_true(counts.adopted > 100);
}

/* Workloads that began before the trouble is over have to be found out. */
TEST(workloads_that_are_never_stable_are_not_waited_for)
{
    const struct world_counts counts = run((struct world_setting){.loss = 0.02,
                                                                  .delay_s = 0.01,
                                                                  .crash_s = 60,
                                                                  .cut_s = 30,
                                                                  .mute = 0.3,
                                                                  .trouble_s = 120},
                                           50);

    assert_true(counts.begun > 100);
    assert_true(counts.settled > 20);
}

TEST(jobs_that_fail_again_and_again_are_held)
{
    const struct world_counts counts =
        run((struct world_setting){.failure_s = 2, .trouble_s = 120}, 20);

    assert_true(counts.held > 0);
}

FIXTURE(quiet)
{
    (void)test_seed();
    return log_to_file("/dev/null");
}

int main(void)
{
    return tests_run(quiet, NULL);
}
