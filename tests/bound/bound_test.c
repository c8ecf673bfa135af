/* bound_test.c - bounds that can be worked out by hand, and random ones that no schedule beats.
 *
 * RUBATO_SEED chooses the random jobs, RUBATO_TIMES how many sets of them there are. */
#include "common/rng.h"
#include "scheduler/bound/bound.h"
#include "scheduler/bound/grid.h"
#include "tests/solver/solving.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>

#define TIMES     60
#define NEEDS_MAX 24

/* One iteration a second on one GPU, `more` on a second one. */
static struct need need_of_two(int64_t begin_s, int64_t end_s, double iterations, double more)
{
    return (struct need){.begin_s = begin_s,
                         .end_s = end_s,
                         .iterations = iterations,
                         .step_count = 2,
                         .step_gpus = {1, 1},
                         .step_rate = {1, more}};
}

static struct bound bound_of(const struct need needs[], size_t count, int gpus, double seconds,
                             struct bound_whole *whole)
{
    const struct bound_limits limits = {.solver = cbc(), .seconds = seconds};
    bound_search_t *search = bound_search_new(needs, count, gpus, &limits);
    const struct bound bound = bound_search_run(search);

    *whole = bound_search_run_whole(search);
    bound_search_destroy(&search);
    assert_null(search);
    return bound;
}

static void check(const struct need needs[], size_t count, int gpus, double value)
{
    struct bound_whole whole;
    const struct bound bound = bound_of(needs, count, gpus, 0, &whole);

    assert_true(bound.is_closed);
    assert_int_equal(bound.intervals, bound.finest);
    assert_string_equal(bound.why.text, "");
    if (!(fabs(bound.value - value) < 1e-6))
        fail_msg("%.9g and not %.9g", bound.value, value);
    assert_int_equal(bound.jobs, floor(value));
    assert_true(whole.has_point);
    assert_int_equal(whole.jobs + whole.gap, floor(value));
}

static void without_jobs_there_is_nothing_to_bound(void **state)
{
    (void)state;
    check(NULL, 0, 4, 0);
}

static void jobs_that_fit_are_all_on_time(void **state)
{
    const struct need needs[] = {need_of_two(0, 10, 10, 0.5), need_of_two(10, 20, 15, 0.5),
                                 need_of_two(0, 20, 5, 0.5)};

    (void)state;
    check(needs, COUNT(needs), 2, 3);
}

static void gpus_are_held_by_one_job_at_a_time(void **state)
{
    const struct need needs[] = {need_of_two(0, 10, 10, 0.5), need_of_two(0, 10, 10, 0.5),
                                 need_of_two(0, 10, 10, 0.5)};

    (void)state;
    check(needs, COUNT(needs), 1, 1);
    check(needs, COUNT(needs), 2, 2);
}

/* Each needs both of its steps. Two thirds of each of three jobs fit on three GPUs, but no two
 * jobs. */
static void a_part_of_a_job_is_not_cheaper_than_the_job(void **state)
{
    const struct need needs[] = {need_of_two(0, 10, 15, 0.5), need_of_two(0, 10, 15, 0.5),
                                 need_of_two(0, 10, 15, 0.5)};

    (void)state;
    check(needs, COUNT(needs), 3, 1.5);
}

/* On a grid of one interval both would fit. */
static void work_is_done_between_arrival_and_deadline(void **state)
{
    struct need needs[40];

    (void)state;
    for (int64_t i = 0; i < 40; i++)
        needs[i] = need_of_two(20 * i, 20 * i + 10 + i % 2, 10, 0.0625);
    for (int i = 0; i < 40; i += 4)
        needs[i + 1] = needs[i];
    check(needs, COUNT(needs), 1, 30);
}

static void without_time_the_bound_is_the_number_of_jobs(void **state)
{
    const struct need needs[] = {need_of_two(0, 10, 10, 0.5), need_of_two(0, 10, 10, 0.5)};
    struct bound_whole whole;
    const struct bound bound = bound_of(needs, COUNT(needs), 1, 1e-9, &whole);

    (void)state;
    assert_false(bound.is_closed);
    assert_int_equal(bound.jobs, 2);
    assert_int_equal(bound.intervals, 0);
    assert_string_equal(bound.why.text, "the time limit of 1e-09 s was reached");
    assert_false(whole.has_point);
}

/* ---- random jobs ---- */

static struct need random_need(rng_t *rng)
{
    const int64_t begin_s = (int64_t)rng_below(rng, 100);
    const int64_t end_s = begin_s + 1 + (int64_t)rng_below(rng, 60);
    struct need need = need_of_two(begin_s, end_s, 1, rng_uniform(rng, 0.1, 0.9));

    need.iterations =
        (double)(end_s - begin_s) * (1 + need.step_rate[1]) * rng_uniform(rng, 0.1, 1);
    return need;
}

/* How many jobs can be taken one after the other, each at all that is free from its arrival on. */
static int64_t count_greedily(const struct need needs[], size_t count, int gpus)
{
    struct grid grid = grid_new(needs, count, 2 * count);
    double *free_gpus = calloc(grid.count, sizeof(*free_gpus));
    double *before = calloc(grid.count, sizeof(*before));
    int64_t served = 0;

    assert_non_null(free_gpus);
    assert_non_null(before);
    for (size_t i = 0; i < grid.count; i++)
        free_gpus[i] = gpus;
    for (size_t j = 0; j < count; j++) {
        double left = needs[j].iterations;

        for (size_t i = 0; i < grid.count; i++)
            before[i] = free_gpus[i];
        for (size_t i = grid_find(&grid, &needs[j]); grid_meets(&grid, i, &needs[j]); i++)
            for (int s = 0; s < needs[j].step_count; s++) {
                const double full = needs[j].step_rate[s] * grid_length_s(&grid, i);
                const double share = fmin(fmin(1, left / full), free_gpus[i]);

                free_gpus[i] -= share;
                left -= share * full;
            }
        served += left < 1e-9;
        for (size_t i = 0; left >= 1e-9 && i < grid.count; i++)
            free_gpus[i] = before[i];
    }
    free(free_gpus);
    free(before);
    grid_free(&grid);
    return served;
}

static void no_schedule_beats_the_bound(void **state)
{
    rng_t rng = rng_new(test_seed(), "needs");
    int64_t tight = 0;

    (void)state;
    for (long i = test_times(TIMES); i > 0; i--) {
        const size_t count = 1 + rng_below(&rng, NEEDS_MAX);
        const int gpus = 1 + (int)rng_below(&rng, 6);
        struct need needs[NEEDS_MAX];
        struct bound_whole whole;
        struct bound bound;
        int64_t served;

        for (size_t j = 0; j < count; j++)
            needs[j] = random_need(&rng);
        served = count_greedily(needs, count, gpus);
        bound = bound_of(needs, count, gpus, 0, &whole);
        assert_true(bound.is_closed);
        assert_true(bound.jobs <= (int64_t)count);
        assert_true(whole.has_point);
        assert_int_equal(whole.gap >= 0, true);
        assert_true(whole.jobs <= bound.jobs);
        if (served > whole.jobs + whole.gap)
            fail_msg("%ld jobs are on time, %ld at most", (long)served, (long)whole.jobs);
        tight += served == bound.jobs;
    }
    assert_true(tight > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_jobs_there_is_nothing_to_bound),
        cmocka_unit_test(jobs_that_fit_are_all_on_time),
        cmocka_unit_test(gpus_are_held_by_one_job_at_a_time),
        cmocka_unit_test(a_part_of_a_job_is_not_cheaper_than_the_job),
        cmocka_unit_test(work_is_done_between_arrival_and_deadline),
        cmocka_unit_test(without_time_the_bound_is_the_number_of_jobs),
        cmocka_unit_test(no_schedule_beats_the_bound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
