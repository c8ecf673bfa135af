/* fair_shares_test.c - the shares of finish-time fairness: on the worked examples of the
 * behavioural specification (section 4.9), and what makes them an optimum and its centre, on random
 * claims.
 *
 * RUBATO_SEED chooses the claims, RUBATO_TIMES how many sets of them there are. */
#include "common/rng.h"
#include "scheduler/reference/fair_shares.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#define TIMES      300
#define CLAIMS_MAX 12

/* Iterations per second of the examples' jobs. */
#define BERT_ON_4     10.356284859349557
#define VGG16_ON_1    5.053019147087227
#define RESNET50_ON_1 6.8429775823889685
#define RESNET50_ON_2 11.838468717843664
#define GPT2_ON_2     11.945927661457464

static struct fair_claim claim_of(double gpus, double elapsed, double left, double rate,
                                  double fair)
{
    return (struct fair_claim){.elapsed = elapsed, .need = left / rate, .fair = fair, .gpus = gpus};
}

static void check_near(double found, double expected, double error)
{
    if (!(fabs(found - expected) <= error))
        fail_msg("%.17g is not within %g of %.17g", found, error, expected);
}

/* The last digit of the specification's figures is rounded. */
static void check_shares(struct fair_claim *claims, size_t count, const double *shares)
{
    fair_shares(claims, count, 4);
    for (size_t i = 0; i < count; i++)
        check_near(claims[i].share, shares[i], 1e-6);
}

/* TH-1, at 0, 60, 120, 180 and 240. */
TEST(the_shares_of_a_starving_job_are_those_of_the_example)
{
    const double left_60 = 700 - 60 * VGG16_ON_1;
    const double left_120 = left_60 - 60 * VGG16_ON_1;
    struct fair_claim at_0[] = {claim_of(4, 0, 4000, BERT_ON_4, 8000),
                                claim_of(1, 0, 700, VGG16_ON_1, 700)};
    struct fair_claim at_60[] = {claim_of(1, 60, left_60, VGG16_ON_1, 700),
                                 claim_of(4, 60, 4000, BERT_ON_4, 8000),
                                 claim_of(1, 30, 900, RESNET50_ON_1, 900)};
    struct fair_claim at_120[] = {
        claim_of(1, 120, left_120, VGG16_ON_1, 700),
        claim_of(1, 90, 900 - 60 * RESNET50_ON_1, RESNET50_ON_1, 900),
        claim_of(4, 120, 4000, BERT_ON_4, 16000),
        claim_of(2, 20, 500, GPT2_ON_2, 1000),
    };
    struct fair_claim at_180[] = {
        claim_of(1, 150, 900 - 120 * RESNET50_ON_1, RESNET50_ON_1, 900),
        claim_of(4, 180, 4000, BERT_ON_4, 8000),
    };
    struct fair_claim at_240[] = {claim_of(4, 240, 4000, BERT_ON_4, 4000)};

    check_shares(at_0, 2, (const double[]){0.536406, 1});
    check_shares(at_60, 3, (const double[]){1, 0.415786, 0.960119});
    check_shares(at_120, 4, (const double[]){1, 0.925665, 0.239688, 0.435833});
    check_shares(at_180, 2, (const double[]){1, 0.566005});
    check_shares(at_240, 1, (const double[]){1});
}

/* TH-2 at 0, where `d` bounds the ratio, and at 180, where the GPUs do. */
TEST(the_shares_of_identical_jobs_are_those_of_the_example)
{
    const struct fair_claim a = claim_of(2, 0, 900, RESNET50_ON_2, 1800);
    struct fair_claim at_0[] = {a, a, a, claim_of(1, 0, 800, VGG16_ON_1, 800)};
    const double left = 900 - 60 * RESNET50_ON_2;
    const struct fair_claim c = claim_of(2, 180, left, RESNET50_ON_2, (900 - left) / 0.5 + left);
    struct fair_claim at_180[] = {c, c, c};

    check_shares(at_0, 4, (const double[]){0.449818, 0.449818, 0.449818, 1});
    for (size_t i = 0; i < 3; i++)
        check_near(at_0[i].least, 0.213415, 1e-6);
    check_shares(at_180, 3, (const double[]){2.0 / 3, 2.0 / 3, 2.0 / 3});
}

TEST(a_job_alone_has_all_time_there_is)
{
    struct fair_claim fits = claim_of(4, 10, 100, 1, 200);
    struct fair_claim wide = claim_of(8, 10, 100, 1, 200);

    check_shares(&fits, 1, (const double[]){1});
    check_shares(&wide, 1, (const double[]){0.5});
}

/* All of them would do no better with more than all time, and there is nothing left to share. */
TEST(where_all_are_critical_all_have_all_time)
{
    struct fair_claim claims[] = {claim_of(2, 10, 100, 1, 200), claim_of(2, 10, 100, 1, 200)};
    struct fair_claim few[] = {claim_of(1, 10, 100, 1, 200), claim_of(1, 10, 100, 1, 200)};

    check_shares(claims, 2, (const double[]){1, 1});
    check_shares(few, 2, (const double[]){1, 1});
}

/* The first takes 3 of the 4 GPUs all the time, the others need no less than the fourth. */
TEST(where_nothing_is_left_open_shares_are_the_least_ones)
{
    struct fair_claim claims[] = {claim_of(3, 0, 100, 1, 100), claim_of(1, 0, 50, 1, 100),
                                  claim_of(1, 0, 50, 1, 100)};

    check_shares(claims, 3, (const double[]){1, 0.5, 0.5});
}

static size_t pick_claims(rng_t *rng, struct fair_claim claims[CLAIMS_MAX], double *gpus)
{
    const size_t count = 1 + rng_below(rng, CLAIMS_MAX);
    const double even = rng_unit(rng) < 0.5 ? 1 : 10;

    *gpus = (double)(1 << rng_below(rng, 6));
    for (size_t i = 0; i < count; i++)
        claims[i] = (struct fair_claim){.elapsed = floor(rng_log_uniform(rng, 1, 1000)) - 1,
                                        .need = rng_log_uniform(rng, 1, 1000),
                                        .fair = rng_log_uniform(rng, 100, 100 * even),
                                        .gpus = (double)(1 << rng_below(rng, 5))};
    return count;
}

static double taken(const struct fair_claim *claims, const double *shares, size_t count)
{
    double gpus = 0;

    for (size_t i = 0; i < count; i++)
        gpus += claims[i].gpus * shares[i];
    return gpus;
}

static double ratio_of(const struct fair_claim *claim, double share)
{
    return (claim->elapsed + claim->need / share) / claim->fair;
}

static double worst_ratio(const struct fair_claim *claims, const double *shares, size_t count)
{
    double worst = 0;

    for (size_t i = 0; i < count; i++)
        worst = fmax(worst, ratio_of(&claims[i], shares[i]));
    return worst;
}

static void take_shares(const struct fair_claim *claims, size_t count, double *shares)
{
    for (size_t i = 0; i < count; i++)
        shares[i] = claims[i].share;
}

/* Other shares that the GPUs allow: any, or some that differ a little from those of `claims`. */
static void pick_shares(rng_t *rng, const struct fair_claim *claims, size_t count, double gpus,
                        double *shares)
{
    const bool near = rng_unit(rng) < 0.7;
    const double step = rng_log_uniform(rng, 1e-6, 1e-1);
    double excess;

    for (size_t i = 0; i < count; i++) {
        shares[i] = near ? claims[i].share * (1 + step * rng_uniform(rng, -1, 1)) : rng_unit(rng);
        shares[i] = fmin(1, fmax(1e-9, shares[i]));
    }
    excess = taken(claims, shares, count) / gpus;
    for (size_t i = 0; i < count && excess > 1; i++)
        shares[i] /= excess;
}

TEST(no_other_shares_have_a_smaller_maximum)
{
    rng_t rng = rng_new(test_seed(), "optimum");

    for (long k = 0; k < test_times(TIMES); k++) {
        struct fair_claim claims[CLAIMS_MAX];
        double shares[CLAIMS_MAX];
        double gpus;
        const size_t count = pick_claims(&rng, claims, &gpus);
        double optimum;

        fair_shares(claims, count, gpus);
        take_shares(claims, count, shares);
        assert_true(taken(claims, shares, count) <= gpus * (1 + 1e-12));
        for (size_t i = 0; i < count; i++)
            assert_true(shares[i] > 0 && shares[i] <= 1);
        optimum = worst_ratio(claims, shares, count);
        for (int other = 0; other < 200; other++) {
            pick_shares(&rng, claims, count, gpus, shares);
            assert_true(worst_ratio(claims, shares, count) >= optimum * (1 - 1e-12));
        }
    }
}

/* The claims of a random set that are no critical ones; `spare` becomes what all leave of the
 * GPUs. */
static size_t drop_critical(struct fair_claim *claims, size_t count, double gpus, double *spare)
{
    size_t kept = 0;

    *spare = gpus;
    for (size_t i = 0; i < count; i++)
        *spare -= claims[i].gpus * claims[i].share;
    for (size_t i = 0; i < count; i++)
        if (claims[i].share < 1)
            claims[kept++] = claims[i];
    return kept;
}

/* 2 / (x - least) = 1 / (1 - x) + gpus / spare, multiplied by all that is divided by. */
static void check_centre(const struct fair_claim *claim, double spare)
{
    const double above = claim->share - claim->least;
    const double below = 1 - claim->share;

    assert_true(above > 0 && below > 0);
    check_near((2 * below - above) * spare, claim->gpus * above * below,
               1e-9 * (spare + claim->gpus));
}

/* Where the GPUs bound the ratio it is the same for all, and no GPU is left. */
static void check_scarce(const struct fair_claim *claims, size_t count, double ratio)
{
    for (size_t i = 0; i < count; i++)
        check_near(ratio_of(&claims[i], claims[i].share), ratio, 1e-9 * ratio);
}

TEST(what_the_optimum_leaves_open_is_its_centre)
{
    rng_t rng = rng_new(test_seed(), "centre");
    long scarce = 0;
    long centred = 0;

    for (long k = 0; k < test_times(TIMES); k++) {
        struct fair_claim claims[CLAIMS_MAX];
        double gpus;
        double spare;
        const size_t count = pick_claims(&rng, claims, &gpus);
        size_t open;

        fair_shares(claims, count, gpus);
        open = drop_critical(claims, count, gpus, &spare);
        if (open == count) {
            check_near(spare, 0, 1e-9 * gpus);
            check_scarce(claims, count, ratio_of(&claims[0], claims[0].share));
            scarce++;
            continue;
        }
        for (size_t i = 0; i < open; i++)
            check_centre(&claims[i], spare);
        centred += open > 0;
    }
    assert_true(scarce > 0 && centred > 0);
}

static double plain_centre(const struct fair_claim *claim, double spare)
{
    const double weight = claim->gpus / spare;
    const double room = 1 - claim->least;
    const double middle = weight * room + 3;

    return claim->least + 4 * room / (middle + sqrt(middle * middle - 8 * weight * room));
}

static double plain_left_over(const struct fair_claim *claims, size_t count, double gpus,
                              double spare)
{
    double held = 0;

    for (size_t i = 0; i < count; i++)
        if (claims[i].share < 1)
            held += claims[i].gpus * plain_centre(&claims[i], spare);
    return gpus - held;
}

static double bisect_spare(const struct fair_claim *claims, size_t count, double gpus)
{
    double low = 0;
    double high = gpus;

    for (int i = 0; i < 200; i++) {
        const double spare = 0.5 * (low + high);

        if (!(low < spare && spare < high))
            break;
        if (spare < plain_left_over(claims, count, gpus, spare))
            low = spare;
        else
            high = spare;
    }
    return high;
}

/* Results of simulations are to stay as they are to the last bit. */
TEST(bisection_alone_finds_the_same_bits)
{
    rng_t rng = rng_new(test_seed(), "bisection");
    long centred = 0;

    for (long k = 0; k < test_times(TIMES); k++) {
        struct fair_claim claims[CLAIMS_MAX];
        double gpus;
        double spare;
        const size_t count = pick_claims(&rng, claims, &gpus);
        double critical = 0;

        fair_shares(claims, count, gpus);
        for (size_t i = 0; i < count; i++)
            critical += claims[i].share < 1 ? 0 : claims[i].gpus;
        if (!(critical > 0) || !(critical < gpus))
            continue;
        spare = bisect_spare(claims, count, gpus - critical);
        for (size_t i = 0; i < count; i++)
            if (claims[i].share < 1) {
                assert_true(claims[i].share == plain_centre(&claims[i], spare));
                centred++;
            }
    }
    printf("%ld shares of a centre\n", centred);
    assert_true(centred > test_times(TIMES) / 10);
}

int main(void)
{
    (void)test_seed();
    return tests_run(NULL, NULL);
}
