/* digits_test.c - whole numbers and nine digits are written just as printf writes them. */
#include "common/digits.h"
#include "common/rng.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void check_whole(int64_t value)
{
    char own[DIGITS_BYTES + 1];
    char expected[DIGITS_BYTES + 1];

    *digits_put(own, value) = '\0';
    (void)snprintf(expected, sizeof(expected), "%" PRId64, value);
    assert_string_equal(own, expected);
}

static void check_nine(double value)
{
    char own[DIGITS_BYTES + 1];
    char expected[DIGITS_BYTES + 1];

    *digits_put_nine(own, value) = '\0';
    (void)snprintf(expected, sizeof(expected), "%.9g", value);
    assert_string_equal(own, expected);
}

TEST(whole_numbers_have_all_their_digits)
{
    const uint64_t seed = test_seed();
    const long times = test_times(200000);
    rng_t rng = rng_new(seed, "whole numbers");

    check_whole(INT64_MIN);
    check_whole(INT64_MAX);
    for (int64_t power = 1; power < INT64_MAX / 10; power *= 10)
        for (int64_t near = power - 2; near <= power + 2; near++) {
            check_whole(near);
            check_whole(-near);
        }
    for (long i = 0; i < times; i++)
        check_whole((int64_t)(rng_next(&rng) >> rng_below(&rng, 64)));
}

TEST(nine_digits_are_rounded_as_printf_rounds_them)
{
    const uint64_t seed = test_seed();
    const long times = test_times(200000);
    rng_t rng = rng_new(seed, "nine digits");

    for (long i = 0; i < times; i++) {
        const double value = rng_log_uniform(&rng, 1e-7, 1e12);
        /* Ten digits of which the last is 5: half way, or next to it. */
        const double half = ((double)rng_below(&rng, 1000000000) + 0.5) / 1e8;

        check_nine(value);
        check_nine(-value);
        check_nine(half);
        check_nine(half / 1024);
        check_nine((double)rng_below(&rng, 4096) / 1024);
    }
}

TEST(nine_digits_of_values_at_the_bounds)
{
    static const double others[] = {0.0, -0.0, NAN, INFINITY, -INFINITY, DBL_MIN, DBL_MAX};

    for (size_t i = 0; i < COUNT(others); i++)
        check_nine(others[i]);
    for (double power = 1e-8; power < 1e13; power *= 10) {
        const double steps[] = {power, nextafter(power, 0), nextafter(power, INFINITY),
                                power * (1 - 4e-10), power * (1 - 6e-10)};

        for (size_t i = 0; i < COUNT(steps); i++)
            check_nine(steps[i]);
    }
}

int main(void)
{
    return tests_run(NULL, NULL);
}
