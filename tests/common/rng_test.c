/* rng_test.c - random streams that are the same everywhere and for ever. */
#include "common/rng.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>

/* The numbers are in traces and tests that were made with a seed: they may never change. */
TEST(a_stream_gives_the_numbers_it_always_gave)
{
    rng_t rng = rng_new(1, "arrivals");
    static const uint64_t expected[] = {
        UINT64_C(1120273148587901409), UINT64_C(10803243325895715796),
        UINT64_C(10263087997975451585), UINT64_C(12738139600582327505)};

    for (size_t i = 0; i < COUNT(expected); i++)
        assert_int_equal(rng_next(&rng), expected[i]);
}

/* The published generator, state {1, 2, 3, 4}. */
TEST(the_generator_is_xoshiro256_starstar)
{
    rng_t rng = {{1, 2, 3, 4}};

    assert_int_equal(rng_next(&rng), 11520);
    assert_int_equal(rng_next(&rng), 0);
    assert_int_equal(rng_next(&rng), 1509978240);
    assert_int_equal(rng_next(&rng), 1215971899390074240);
}

TEST(drawing_from_one_stream_moves_no_other)
{
    rng_t arrivals = rng_new(7, "arrivals");
    rng_t lengths = rng_new(7, "lengths");
    rng_t again = rng_new(7, "lengths");

    for (int i = 0; i < 1000; i++) {
        const uint64_t length = rng_next(&lengths);

        for (int k = 0; k < i % 5; k++)
            (void)rng_next(&arrivals);
        assert_int_equal(length, rng_next(&again));
    }
}

TEST(another_purpose_or_seed_is_another_stream)
{
    const uint64_t first = rng_next(&(rng_t[]){rng_new(7, "arrivals")}[0]);

    assert_int_not_equal(first, rng_next(&(rng_t[]){rng_new(7, "lengths")}[0]));
    assert_int_not_equal(first, rng_next(&(rng_t[]){rng_new(8, "arrivals")}[0]));
    assert_int_not_equal(first, rng_next(&(rng_t[]){rng_new(7, "arrival")}[0]));
    assert_int_not_equal(first, rng_next(&(rng_t[]){rng_new(7, "")}[0]));
}

TEST(numbers_stay_in_their_range_and_fill_it)
{
    rng_t rng = rng_new(3, "ranges");
    int counts[7] = {0};
    double sum = 0;

    for (int i = 0; i < 70000; i++) {
        const double unit = rng_unit(&rng);
        const double uniform = rng_uniform(&rng, -2, 6);
        const double wide = rng_log_uniform(&rng, 0.001, 1000);

        assert_true(unit >= 0 && unit < 1);
        assert_true(uniform >= -2 && uniform <= 6);
        assert_true(wide >= 0.001 * (1 - 1e-12) && wide <= 1000 * (1 + 1e-12));
        assert_true(rng_exponential(&rng, 5) >= 0);
        counts[rng_below(&rng, 7)]++;
        sum += unit;
    }
    assert_true(fabs(sum / 70000 - 0.5) < 0.01);
    for (size_t i = 0; i < COUNT(counts); i++)
        assert_true(counts[i] > 9500 && counts[i] < 10500);
}

TEST(an_exponential_has_the_mean_it_was_asked_for)
{
    rng_t rng = rng_new(3, "exponential");
    double sum = 0;

    for (int i = 0; i < 100000; i++)
        sum += rng_exponential(&rng, 40);
    assert_true(fabs(sum / 100000 - 40) < 1);
}

TEST(every_order_of_magnitude_is_as_likely)
{
    rng_t rng = rng_new(3, "magnitudes");
    int below = 0;

    for (int i = 0; i < 100000; i++)
        below += rng_log_uniform(&rng, 1, 10000) < 100;
    assert_true(abs(below - 50000) < 1000);
}

TEST(the_only_number_below_one_is_zero)
{
    rng_t rng = rng_new(3, "one");

    for (int i = 0; i < 100; i++)
        assert_int_equal(rng_below(&rng, 1), 0);
    assert_true(rng_uniform(&rng, 4, 4) == 4);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
