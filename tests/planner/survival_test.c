/* survival_test.c - the chance that a job loses no more nodes than its promise survives, and the
 * rate of failures that it is told by. */
#include "scheduler/planner/survival.h"
#include "tests/support/test.h"

#include <math.h>

#define HOUR_S 3600.0

static void assert_near(double found, double expected, double within)
{
    if (!(fabs(found - expected) <= within))
        fail_msg("found %.9g, expected %.9g", found, expected);
}

/* The table of docs/promises.md, with a failure each 250,000 s. */
TEST(a_certain_rate_gives_the_law_of_poisson)
{
    static const struct {
        double node_s;
        int losses;
        double more; /* per cent of jobs that lose more */
    } rows[] = {{6 * HOUR_S, 0, 8.3},    {6 * HOUR_S, 1, 0.35},    {24 * HOUR_S, 0, 29},
                {24 * HOUR_S, 1, 4.8},   {4 * 24 * HOUR_S, 0, 75}, {4 * 24 * HOUR_S, 1, 40},
                {4 * 24 * HOUR_S, 2, 16}};
    const struct failure_rate rate = failure_rate_certain(250000);

    for (size_t i = 0; i < COUNT(rows); i++)
        assert_near(100 * (1 - survival_chance(&rate, rows[i].node_s, rows[i].losses)),
                    rows[i].more, 0.5);
    assert_near(survival_chance(&rate, 0, 0), 1, 0);
    assert_near(survival_chance(&rate, 1e9, 0), 0, 1e-12);
    assert_near(survival_chance(&rate, 250000, 100), 1, 1e-12);
}

TEST(of_an_unknown_rate_nothing_is_said)
{
    const struct failures none = {0, 0};
    struct failure_rate rate = failure_rate_certain(0);

    assert_true(isnan(survival_chance(&rate, 100, 1)));
    rate = failure_rate_seen(&none, 0);
    assert_true(isnan(survival_chance(&rate, 100, 1)));
    assert_near(failure_rate_mtbf_s(&rate), 0, 0);
}

/* The mean of the law of Poisson over all rates, each with the density of its Gamma distribution,
 * by steps of the rate's logarithm. */
static double mean_over_rates(const struct failure_rate *rate, double node_s, int losses)
{
    const double step = 1e-3;
    double sum = 0;
    double weight = 0;

    for (double t = -12; t < 5; t += step) {
        const double times = exp(t); /* the mean rate */
        const double density = exp(rate->shape * t - rate->shape * times);
        const struct failure_rate known = failure_rate_certain(failure_rate_mtbf_s(rate) / times);

        sum += density * survival_chance(&known, node_s, losses);
        weight += density;
    }
    return sum / weight;
}

TEST(a_measured_rate_gives_the_mean_over_all_rates)
{
    static const struct failures seen[] = {{0, 40000}, {1, 90000}, {7, 300000}, {40, 2e6}};

    for (size_t i = 0; i < COUNT(seen); i++)
        for (int losses = 0; losses < 4; losses++)
            for (int64_t prior = 0; prior < 100000; prior += 50000) {
                const struct failure_rate rate = failure_rate_seen(&seen[i], prior);

                assert_near(survival_chance(&rate, 60000, losses),
                            mean_over_rates(&rate, 60000, losses), 1e-3);
            }
}

TEST(a_prior_counts_like_one_failure)
{
    const struct failures none = {0, 0};
    const struct failures quiet = {0, 50000};
    const struct failures some = {3, 60000};
    struct failure_rate rate = failure_rate_seen(&none, 50000);

    assert_near(failure_rate_mtbf_s(&rate), 50000, 1e-6);
    rate = failure_rate_seen(&quiet, 50000);
    assert_near(failure_rate_mtbf_s(&rate), 100000, 1e-6);
    rate = failure_rate_seen(&some, 50000);
    assert_near(failure_rate_mtbf_s(&rate), 110000.0 / 4, 1e-6);
    rate = failure_rate_seen(&some, 0); /* and none like half of one */
    assert_near(failure_rate_mtbf_s(&rate), 60000 / 3.5, 1e-6);
}

/* With much that was seen a measured rate is as good as a certain one. */
TEST(what_is_seen_outweighs_the_prior)
{
    const struct failures seen = {100000, 1e5 * 40000};
    const struct failure_rate measured = failure_rate_seen(&seen, 7);
    const struct failure_rate certain = failure_rate_certain(40000);

    for (int losses = 0; losses < 5; losses++)
        assert_near(survival_chance(&measured, 60000, losses),
                    survival_chance(&certain, 60000, losses), 1e-4);
}

TEST(a_chance_is_told_without_being_rounded_up)
{
    char text[SURVIVAL_BYTES];

    assert_string_equal(survival_text(0.99349, text), "99.3 %");
    assert_string_equal(survival_text(0.99999, text), "99.999 %");
    assert_string_equal(survival_text(0.4999, text), "49.9 %");
    assert_string_equal(survival_text(0, text), "0.0 %");
    assert_string_equal(survival_sentence(0.993, 2, text),
                        "its promise survives the loss of 2 nodes: 99.3 % of such jobs lose no "
                        "more");
    assert_string_equal(survival_sentence(0.5, 0, text),
                        "its promise survives no loss of a node: 50.0 % of such jobs lose none");
}

int main(void)
{
    return tests_run(NULL, NULL);
}
