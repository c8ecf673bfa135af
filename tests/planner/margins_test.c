/* margins_test.c - how much slower than their profiles jobs of the past say that the next may be.
 */
#include "scheduler/planner/margins.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <math.h>

static void hear(struct margins *margins, const char *model, double factor)
{
    margins_hear(margins, model, 1 - factor);
}

static void hear_many(struct margins *margins, const char *model, double factor, int jobs)
{
    for (int i = 0; i < jobs; i++)
        hear(margins, model, factor);
}

static void assert_margin(const struct margins *margins, const char *model, double confidence,
                          double expected)
{
    assert_true(fabs(margins_of(margins, model, confidence) - expected) < 1e-6);
}

TEST(without_a_confidence_profiles_are_taken_as_they_are)
{
    struct margins margins = {.count = 0};

    hear_many(&margins, "bert", 0.5, 50);
    assert_margin(&margins, "bert", 0, 0);
}

/* The slowest of 19 that are evenly spread over -10 to 10 %, of 99, and one in the middle of 100.
 */
TEST(a_prior_speaks_before_jobs_are_seen)
{
    const struct margins margins = {.count = 0};

    assert_margin(&margins, "bert", 95, 0.09 / 0.91);
    assert_margin(&margins, "bert", 99, 0.098 / 0.902);
    assert_true(margins_of(&margins, "bert", 50) < 0.0011);
}

TEST(jobs_as_fast_as_their_profiles_need_none)
{
    struct margins margins = {.count = 0};

    hear_many(&margins, "bert", 1, 99);
    assert_margin(&margins, "bert", 95, 0);
    assert_margin(&margins, "bert", 99, 0);
    assert_margin(&margins, "vgg16", 95, 0);
}

TEST(faster_ones_promise_nothing_earlier)
{
    struct margins margins = {.count = 0};

    hear_many(&margins, "bert", 2, 99);
    assert_margin(&margins, "bert", 50, 0);
}

TEST(a_model_is_judged_by_its_own_jobs_once_there_are_enough)
{
    struct margins margins = {.count = 0};

    hear_many(&margins, "vgg16", 0.5, 100);
    assert_margin(&margins, "bert", 95, 1);
    hear_many(&margins, "bert", 0.8, 18);
    assert_margin(&margins, "bert", 95, 1);
    hear(&margins, "bert", 0.8);
    assert_margin(&margins, "bert", 95, 0.25);
    assert_margin(&margins, "vgg16", 95, 1);
}

TEST(old_jobs_are_forgotten)
{
    struct margins margins = {.count = 0};

    hear_many(&margins, "bert", 0.5, 50);
    hear_many(&margins, "bert", 1, MARGINS_JOBS);
    assert_margin(&margins, "bert", 95, 0);
}

TEST(a_job_that_nearly_stands_has_a_margin_that_ends)
{
    struct margins margins = {.count = 0};

    hear_many(&margins, "bert", 1e-9, 50);
    assert_margin(&margins, "bert", 95, 99);
}

/* Of `jobs` jobs the share that needs no more than the margin, which those before it tell. */
static double coverage(rng_t *rng, double confidence, long jobs)
{
    static const char *const models[] = {"bert", "vgg16", "resnet50"};
    struct margins margins = {.count = 0};
    long covered = 0;

    for (long i = 0; i < jobs; i++) {
        const int model = test_pick(rng, 3);
        const double factor = rng_uniform(rng, 0.7 + 0.1 * model, 1.0 + 0.1 * model);

        covered += 1 / factor <= 1 + margins_of(&margins, models[model], confidence) + 1e-9;
        hear(&margins, models[model], factor);
    }
    return 100 * (double)covered / (double)jobs;
}

/* Margins are never below 0, so that where most jobs are faster more than half are covered. */
TEST(a_margin_covers_as_many_jobs_as_it_says)
{
    rng_t rng = rng_new(test_seed(), "margins");
    const long jobs = test_times(10000);

    assert_true(coverage(&rng, 50, jobs) > 47);
    assert_true(fabs(coverage(&rng, 95, jobs) - 95) < 3);
    assert_true(fabs(coverage(&rng, 99, jobs) - 99) < 1);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
