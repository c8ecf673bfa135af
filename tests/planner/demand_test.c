/* demand_test.c - what arrivals of the past tell of those to come. */
#include "scheduler/planner/demand.h"
#include "tests/support/test.h"

#include <math.h>

#define WINDOW_S 3600

static struct arrival arrival(uint64_t job, int64_t at_s, double price)
{
    return (struct arrival){job, at_s, price, price, WINDOW_S, WINDOW_S};
}

static void note(struct demand *demand, uint64_t job, int64_t at_s, double price)
{
    const struct arrival came = arrival(job, at_s, price);

    demand_note(demand, &came);
}

/* Five jobs that need so much together. */
static void note_some(struct demand *demand, int64_t at_s, double price)
{
    for (uint64_t job = 1; job <= 5; job++)
        note(demand, job, at_s, price / 5);
}

/* To one GPU. */
static double to_come(const struct demand *demand, int64_t now_s, double horizon_s,
                      double unit_price, double margin)
{
    const struct view view = {.now_s = now_s, .slot_s = 60};

    return demand_to_come(demand, &view, 1, horizon_s, unit_price, (struct outlook){2, margin});
}

static double mean_to_come(const struct demand *demand, int64_t now_s, double horizon_s)
{
    return to_come(demand, now_s, horizon_s, INFINITY, 0);
}

/* Six arrivals do. */
TEST(few_arrivals_tell_no_rate)
{
    struct demand demand = {.count = 0};

    for (uint64_t job = 1; job <= 5; job++)
        note(&demand, job, 0, 1e6);
    assert_true(mean_to_come(&demand, 100, 100) == 0);
    note(&demand, 6, 0, 1e6);
    assert_true(mean_to_come(&demand, 100, 100) > 0);
}

/* Two thousand GPU-seconds in 1,800 s and a slot: it goes on for 3,720 s more with even odds.
 * In twice as long 2 ln 3 times as many come, with the part of their work before then. */
TEST(a_flow_goes_on_for_twice_as_long)
{
    struct demand demand = {.count = 0};

    note_some(&demand, 0, 1000);
    note(&demand, 9, 1800, 1000);
    assert_true(fabs(mean_to_come(&demand, 1800, 7440) -
                     2000 * 2 * log(3) * (1 - WINDOW_S / (2 * 7440.0))) < 1e-9);
}

TEST(dearer_jobs_do_not_count)
{
    struct demand demand = {.count = 0};

    note_some(&demand, 0, 1000);
    note(&demand, 8, 1000, 1000);
    note(&demand, 9, 2000, 100000);
    assert_true(to_come(&demand, 2000, 7200, 2000, 0) > 0);
    assert_true(to_come(&demand, 2000, 7200, 2000, 0) <
                to_come(&demand, 2000, 7200, 200000, 0) / 10);
}

/* To deny a job a promise for the sake of such jobs gains nothing. */
TEST(jobs_alike_do_not_count)
{
    struct demand demand = {.count = 0};

    for (uint64_t job = 1; job <= 20; job++)
        note(&demand, job, 100 * (int64_t)job, 10000);
    assert_true(to_come(&demand, 2000, 7200, 10000, 0) == 0);
    assert_true(to_come(&demand, 2000, 7200, 10100, 0) > 0);
    assert_float_equal(demand_seen(&demand, 2000, 10000).gpus, 0, 0);
}

/* A job that is cancelled leaves what it did; one that never ran leaves nothing. */
TEST(jobs_that_leave_count_with_what_they_did)
{
    struct demand demand = {.count = 0};
    const struct submission submission = {.iterations = 1100, .iterations_done = 100};
    struct job job = {.submission = &submission, .number = 3, .iterations_left = 750};

    for (uint64_t i = 1; i <= 5; i++)
        note(&demand, i, (int64_t)i, 1000);
    assert_float_equal(demand_seen(&demand, 1001, INFINITY).gpus, 5, 1e-12);
    demand_leave(&demand, &job);
    assert_float_equal(demand_seen(&demand, 1001, INFINITY).gpus, 4.25, 1e-12);
    job.number = 1;
    job.iterations_left = 1000;
    demand_leave(&demand, &job);
    assert_int_equal(demand.count, 4);
    assert_float_equal(demand_seen(&demand, 1002, INFINITY).gpus, 3.25, 1e-12);
    demand_leave(&demand, &job); /* which never came */
    assert_int_equal(demand.count, 4);
}

TEST(a_margin_is_on_top)
{
    struct demand demand = {.count = 0};

    note_some(&demand, 0, 1000);
    note(&demand, 9, 1000, 2000);
    assert_true(to_come(&demand, 1000, 7200, INFINITY, 1) > mean_to_come(&demand, 1000, 7200));
    assert_true(to_come(&demand, 1000, 7200, INFINITY, -1) < mean_to_come(&demand, 1000, 7200));
}

/* Ten jobs within 143 s: short beside two hours, long beside one. */
TEST(a_burst_tells_no_rate)
{
    struct demand demand = {.count = 0};

    for (uint64_t job = 1; job <= 10; job++)
        note(&demand, job, 100 + 13 * (int64_t)job, 1e6);
    assert_true(mean_to_come(&demand, 100 + 143, 7200) == 0);
    assert_true(mean_to_come(&demand, 100 + 143, 3600) > 0);
}

/* A tenth of the GPU time of the stretch, and of the horizon; arrivals of this moment are no past.
 */
TEST(few_gpu_seconds_make_nothing_scarce)
{
    struct demand demand = {.count = 0};

    note_some(&demand, 0, 999);
    note(&demand, 9, 10000, 1e6);
    assert_true(mean_to_come(&demand, 10000, 5000) == 0);
    assert_true(mean_to_come(&demand, 10000, 20000) == 0);
    note_some(&demand, 0, 1001);
    assert_true(mean_to_come(&demand, 10000, 5000) > 0);
    assert_true(mean_to_come(&demand, 10000, 20000) == 0);
    note_some(&demand, 0, 2001);
    assert_true(mean_to_come(&demand, 10000, 20000) > 0);
}

TEST(the_rate_is_that_of_arrivals_before_now)
{
    struct demand demand = {.count = 0};
    struct demand_seen seen;

    note(&demand, 1, 1000, 2000);
    note(&demand, 2, 3000, 6000);
    note(&demand, 3, 5000, 9000);
    seen = demand_seen(&demand, 5000, INFINITY);
    assert_int_equal(seen.over_s, 4000);
    assert_float_equal(seen.gpus, 2, 1e-12);
    seen = demand_seen(&demand, 5000, 2010); /* dearer jobs do not count */
    assert_int_equal(seen.over_s, 4000);
    assert_float_equal(seen.gpus, 0.5, 1e-12);
    seen = demand_seen(&demand, 1000, INFINITY);
    assert_int_equal(seen.over_s, 0);
    assert_float_equal(seen.gpus, 0, 0);
}

TEST(a_job_that_comes_again_is_no_other)
{
    struct demand demand = {.count = 0};

    for (int64_t at_s = 0; at_s < 1000; at_s++)
        note(&demand, 1, at_s, 10);
    assert_int_equal(demand.count, 1);
}

TEST(the_oldest_is_forgotten)
{
    struct demand demand = {.count = 0};

    note(&demand, 1, 0, 1e9);
    for (uint64_t job = 2; job <= DEMAND_ARRIVALS + 1; job++)
        note(&demand, job, 100, 1);
    assert_true(mean_to_come(&demand, 100, 7200) < 1e6);
}

static double lost_with(double slack_s, double slot_s)
{
    struct demand demand = {.count = 0};

    for (uint64_t job = 1; job <= 2; job++)
        demand_note(&demand, &(struct arrival){job, 0, 1000, 1000, WINDOW_S, slack_s});
    return demand_lost(&demand, WINDOW_S / 2, slot_s);
}

/* Of jobs of 2,000 GPU-seconds in an hour those that arrive in a slot and cannot wait. */
TEST(a_slot_costs_what_cannot_wait)
{
    assert_float_equal(lost_with(0, 360), 200, 1e-9);
    assert_float_equal(lost_with(-5, 360), 200, 1e-9);
    assert_float_equal(lost_with(180, 360), 100, 1e-9);
    assert_float_equal(lost_with(360, 360), 0, 0);
    assert_float_equal(lost_with(-5, 0), 0, 0);
}

/* Of `gpus` GPUs from the first arrival until the jobs that came just now are due. */
static double load(const struct demand *demand, int64_t now_s, int gpus)
{
    const struct view view = {.now_s = now_s, .slot_s = 60};

    return demand_load(demand, &view, gpus);
}

TEST(a_load_needs_two_jobs)
{
    struct demand demand = {.count = 0};

    assert_true(load(&demand, 100, 1) == 0);
    note(&demand, 1, 0, 1e6);
    assert_true(load(&demand, 100, 1) == 0);
}

/* Two jobs of 1,000 GPU-seconds in 400 s and a slot, due 3,600 s after they came. */
TEST(a_load_is_the_need_by_the_gpu_time_until_jobs_are_due)
{
    struct demand demand = {.count = 0};

    note(&demand, 1, 0, 1000);
    note(&demand, 2, 400, 1000);
    assert_true(fabs(load(&demand, 400, 1) - 2000.0 / (400 + 60 + WINDOW_S)) < 1e-9);
    assert_true(fabs(load(&demand, 400, 8) - load(&demand, 400, 1) / 8) < 1e-9);
}

/* The window that counts is that of the jobs that need the GPU time. */
TEST(windows_weigh_by_what_their_jobs_need)
{
    struct demand demand = {.count = 0};
    const struct arrival small = {2, 0, 1, 1, 100 * WINDOW_S, WINDOW_S};

    note(&demand, 1, 0, 999);
    demand_note(&demand, &small);
    assert_true(fabs(load(&demand, 0, 1) - 1000.0 / (60 + WINDOW_S * (0.999 + 0.1))) < 1e-9);
}

TEST(a_load_falls_while_no_jobs_come)
{
    struct demand demand = {.count = 0};

    note(&demand, 1, 0, 5000);
    note(&demand, 2, 10, 5000);
    assert_true(load(&demand, 10, 1) > 1);
    assert_true(load(&demand, 100000, 1) < 0.1);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
