/* variation_test.c - a trace that is varied has the load, tightness and share that were asked for,
 * and everything else as it was. */
#include "scheduler/state/trace.h"
#include "tests/support/test.h"
#include "tools/sweep/variation.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRACE "traces/testbed195.csv"
#define PLAIN                                                                                      \
    {                                                                                              \
        .load = 1, .tightness = TIGHTNESS_OF_TRACE                                                 \
    }

static submissions_t *read_jobs(const char *path)
{
    const struct trace_rules rules = {.throughputs = NULL};
    struct error error = {.text = ""};
    submissions_t *jobs = trace_read(path, &rules, &error);

    if (!jobs)
        fail_msg("%s", error.text);
    return jobs;
}

static submissions_t *varied(const struct variation *variation)
{
    char path[] = "/tmp/variation_test.XXXXXX.csv";
    struct error error = {.text = ""};
    submissions_t *jobs;
    const int file = mkstemps(path, 4);

    assert_true(file >= 0);
    (void)close(file);
    if (variation_write(variation, TRACE, path, &error) < 0)
        fail_msg("%s", error.text);
    jobs = read_jobs(path);
    (void)unlink(path);
    return jobs;
}

static int64_t span_s(submissions_t *jobs)
{
    return submissions_at(jobs, submissions_count(jobs) - 1)->submit_s -
           submissions_at(jobs, 0)->submit_s;
}

TEST(what_is_not_varied_stays)
{
    const struct variation none = PLAIN;
    submissions_t *before = read_jobs(TRACE);
    submissions_t *after = varied(&none);

    assert_true(variation_is_none(&none));
    assert_int_equal(submissions_count(after), submissions_count(before));
    for (size_t i = 0; i < submissions_count(before); i++) {
        const struct submission *a = submissions_at(before, i);
        const struct submission *b = submissions_at(after, i);

        assert_string_equal(a->id, b->id);
        assert_string_equal(a->model, b->model);
        assert_int_equal(a->submit_s, b->submit_s);
        assert_int_equal(a->deadline_s, b->deadline_s);
        assert_int_equal(a->iterations, b->iterations);
        assert_int_equal(a->batch_size, b->batch_size);
        assert_int_equal(a->gpus_requested, b->gpus_requested);
        assert_int_equal(a->duration_s, b->duration_s);
        assert_int_equal(a->best_effort, b->best_effort);
    }
    submissions_destroy(&before);
    submissions_destroy(&after);
}

TEST(twice_the_load_takes_half_the_time)
{
    const struct variation twice = {.load = 2, .tightness = TIGHTNESS_OF_TRACE};
    submissions_t *before = read_jobs(TRACE);
    submissions_t *after = varied(&twice);

    assert_int_equal(submissions_at(after, 0)->submit_s, submissions_at(before, 0)->submit_s);
    assert_true(llabs(2 * span_s(after) - span_s(before)) <= 1);
    for (size_t i = 0; i < submissions_count(before); i++) {
        const struct submission *a = submissions_at(before, i);
        const struct submission *b = submissions_at(after, i);

        assert_int_equal(a->deadline_s - a->submit_s, b->deadline_s - b->submit_s);
    }
    submissions_destroy(&before);
    submissions_destroy(&after);
}

TEST(deadlines_are_as_tight_as_asked)
{
    const struct variation range = {.load = 1, .tightness = {0.5, 1.5}};
    submissions_t *jobs = varied(&range);
    double sum = 0;

    for (size_t i = 0; i < submissions_count(jobs); i++) {
        const struct submission *job = submissions_at(jobs, i);
        const double left_s = (double)(job->deadline_s - job->submit_s);

        assert_true(left_s >= floor(0.5 * (double)job->duration_s));
        assert_true(left_s <= ceil(1.5 * (double)job->duration_s));
        sum += left_s / (double)job->duration_s;
    }
    /* 195 draws: six standard deviations are 0.13. */
    assert_true(fabs(sum / (double)submissions_count(jobs) - 1) < 0.13);
    submissions_destroy(&jobs);
}

static size_t count_best_effort(submissions_t *jobs)
{
    size_t count = 0;

    for (size_t i = 0; i < submissions_count(jobs); i++)
        count += submissions_at(jobs, i)->best_effort;
    return count;
}

/* A larger share takes the deadline of more jobs, and of none fewer. */
TEST(shares_of_best_effort_grow_from_each_other)
{
    const struct variation few = {.load = 1, .tightness = TIGHTNESS_OF_TRACE, .best_effort = 0.2};
    const struct variation all = {.load = 1, .tightness = TIGHTNESS_OF_TRACE, .best_effort = 1};
    const struct variation half = {.load = 3, .tightness = {1, 1}, .best_effort = 0.5};
    submissions_t *jobs[] = {varied(&few), varied(&half), varied(&all)};

    assert_in_range(count_best_effort(jobs[0]), 15, 70);
    assert_in_range(count_best_effort(jobs[1]), 60, 135);
    assert_int_equal(count_best_effort(jobs[2]), submissions_count(jobs[2]));
    for (size_t i = 0; i < submissions_count(jobs[0]); i++)
        assert_true(!submissions_at(jobs[0], i)->best_effort ||
                    submissions_at(jobs[1], i)->best_effort);
    for (size_t i = 0; i < COUNT(jobs); i++)
        submissions_destroy(&jobs[i]);
}

static int by_time(const void *one, const void *other)
{
    const int64_t a = *(const int64_t *)one;
    const int64_t b = *(const int64_t *)other;

    return (a > b) - (a < b);
}

static int64_t *gaps_of(submissions_t *jobs, bool sorted)
{
    const size_t count = submissions_count(jobs) - 1;
    int64_t *gaps = calloc(count, sizeof(*gaps));

    assert_non_null(gaps);
    for (size_t i = 0; i < count; i++)
        gaps[i] = submissions_at(jobs, i + 1)->submit_s - submissions_at(jobs, i)->submit_s;
    if (sorted)
        qsort(gaps, count, sizeof(*gaps), by_time);
    return gaps;
}

static void check_gaps(submissions_t *one, submissions_t *other, bool sorted, bool same)
{
    int64_t *a = gaps_of(one, sorted);
    int64_t *b = gaps_of(other, sorted);

    assert_true((memcmp(a, b, (submissions_count(one) - 1) * sizeof(*a)) == 0) == same);
    free(a);
    free(b);
}

TEST(seeds_put_the_same_gaps_in_another_order)
{
    const struct variation one = {.load = 1, .tightness = TIGHTNESS_OF_TRACE, .seed = 1};
    const struct variation two = {.load = 1, .tightness = TIGHTNESS_OF_TRACE, .seed = 2};
    submissions_t *plain = read_jobs(TRACE);
    submissions_t *first = varied(&one);
    submissions_t *again = varied(&one);
    submissions_t *second = varied(&two);

    check_gaps(plain, first, true, true);
    check_gaps(plain, first, false, false);
    check_gaps(first, again, false, true);
    check_gaps(first, second, false, false);
    submissions_destroy(&plain);
    submissions_destroy(&first);
    submissions_destroy(&again);
    submissions_destroy(&second);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
