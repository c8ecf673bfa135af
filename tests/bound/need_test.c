/* need_test.c - what a job asks of a cluster at least: which levels it has, what a start takes, and
 * which jobs cannot be on time at all. */
#include "scheduler/bound/need.h"
#include "tests/solver/solving.h"
#include "tests/support/test.h"

static const struct throughput_row row = {.model = "model",
                                          .batch_size = 64,
                                          .level_count = 6,
                                          .gpus = {1, 2, 3, 4, 8, 16},
                                          .iters_per_s = {1, 1.5, 1.8, 3, 2.5, 4}};

static struct submission job_of(int64_t iterations, int64_t window_s)
{
    return (struct submission){.throughput = &row,
                               .submit_s = 100,
                               .deadline_s = 100 + window_s,
                               .iterations = iterations,
                               .batch_size = 64};
}

static bool make(const struct submission *job, int gpus, enum starts starts, struct need *need)
{
    const struct start_prices prices = start_prices_of(starts, gpus);

    return need_of(job, gpus, &prices, need);
}

TEST(a_start_costs_what_the_engine_charges)
{
    const struct start_prices small = start_prices_of(STARTS_NEW, 128);
    const struct start_prices large = start_prices_of(STARTS_NEW, 256);
    const struct start_prices known = start_prices_of(STARTS_KNOWN, 128);
    const struct start_prices none = start_prices_of(STARTS_FREE, 128);

    assert_int_equal(small.of_class_s[scaling_class(1)], 4);
    assert_int_equal(small.of_class_s[scaling_class(64)], 16);
    assert_int_equal(large.of_class_s[scaling_class(1)], 9);
    assert_int_equal(known.of_class_s[scaling_class(64)], 2);
    assert_int_equal(start_prices_of(STARTS_KNOWN, 256).of_class_s[1], 7);
    assert_int_equal(none.of_class_s[scaling_class(8)], 0);
}

/* 2 GPUs gain less than 4 do, 3 are no power of two, and 8 are slower than 4. */
TEST(steps_are_those_of_the_concave_hull)
{
    const struct submission job = job_of(100, 100);
    struct need need;

    assert_true(make(&job, 64, STARTS_FREE, &need));
    assert_int_equal(need.begin_s, 100);
    assert_int_equal(need.end_s, 200);
    assert_int_equal(need.step_count, 3);
    check_near(need.step_gpus[0], 1);
    check_near(need.step_gpus[1], 3);
    check_near(need.step_gpus[2], 12);
    check_near(need.step_rate[0], 1);
    check_near(need.step_rate[1], 2);
    check_near(need.step_rate[2], 1);
}

TEST(the_cluster_and_the_batch_size_end_the_levels)
{
    struct submission job = job_of(100, 100);
    struct need need;

    assert_true(make(&job, 5, STARTS_FREE, &need));
    assert_int_equal(need.step_count, 2);
    job.batch_size = 2;
    assert_true(make(&job, 64, STARTS_FREE, &need));
    assert_int_equal(need.step_count, 2);
    check_near(need.step_rate[1], 0.5);
}

/* On one GPU it trains for 90 s and starts in 4: so it needs 94 s by the rate that it is given. */
TEST(a_job_at_one_level_needs_its_start_and_its_work)
{
    const struct submission job = job_of(90, 200);
    struct need need;

    assert_true(make(&job, 1, STARTS_NEW, &need));
    assert_int_equal(need.step_count, 1);
    check_near(need.iterations / need.step_rate[0], 94);
}

/* Within 100 s there are at most 96 s to train for. */
TEST(a_level_that_is_too_slow_alone_is_charged_over_the_window)
{
    const struct submission job = job_of(200, 100);
    struct need need;

    assert_true(make(&job, 4, STARTS_NEW, &need));
    check_near(need.step_rate[0], 0.96);
}

TEST(a_job_that_is_late_alone_has_no_need)
{
    struct submission job = job_of(400, 100);
    struct need need;

    assert_true(make(&job, 16, STARTS_FREE, &need));
    assert_false(make(&job, 16, STARTS_KNOWN, &need));
    assert_false(make(&job, 8, STARTS_FREE, &need));
    job.deadline_s += 2;
    assert_true(make(&job, 16, STARTS_KNOWN, &need));
    assert_false(make(&job, 16, STARTS_NEW, &need));
    job.deadline_s = job.submit_s;
    assert_false(make(&job, 16, STARTS_FREE, &need));
}

TEST(a_best_effort_job_has_no_need)
{
    struct submission job = job_of(10, 100);
    struct need need;

    job.best_effort = true;
    assert_false(make(&job, 16, STARTS_FREE, &need));
}

TEST(a_soft_job_is_on_time_until_its_last_deadline)
{
    static const struct job_level levels[] = {{200, 10}, {500, 5}};
    struct submission job = job_of(300, 100);
    struct need need;

    job.levels = levels;
    job.level_count = 2;
    assert_true(make(&job, 1, STARTS_FREE, &need));
    assert_int_equal(need.end_s, 500);
}

/* It needs 100 s on a GPU alone, and could meet the last two dates. */
TEST(a_soft_job_has_a_need_for_each_date_that_it_could_meet)
{
    const struct job_level levels[] = {{150, 100}, {210, 60}, {500, 5}};
    const struct start_prices prices = start_prices_of(STARTS_FREE, 1);
    struct submission job = job_of(100, 50);
    struct need needs[LEVELS_MAX];

    job.levels = levels;
    job.level_count = COUNT(levels);
    assert_int_equal(needs_of_dates(&job, 1, &prices, needs), 2);
    assert_int_equal(needs[0].end_s, 210);
    check_near(needs[0].worth, 60);
    assert_false(needs[0].is_other);
    assert_int_equal(needs[1].end_s, 500);
    check_near(needs[1].worth, 5);
    assert_true(needs[1].is_other);
    assert_int_equal(needs_end(needs, 2, 0), 2);
}

/* As the jobs of the traces that Chronus published, of which some ask for 12 or 20 GPUs. */
TEST(a_job_with_one_number_of_gpus_has_that_level)
{
    static const struct throughput_row twelve = {
        .model = "model", .batch_size = 12, .level_count = 1, .gpus = {12}, .iters_per_s = {2}};
    struct submission job = job_of(100, 100);
    struct need need;

    job.throughput = &twelve;
    job.batch_size = 12;
    assert_false(make(&job, 8, STARTS_FREE, &need));
    assert_true(make(&job, 16, STARTS_FREE, &need));
    check_near(need.step_gpus[0], 12);
    check_near(need.step_rate[0], 2);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
