/* number_test.c - numbers from text: the whole field or nothing. */
#include "common/number.h"
#include "common/rng.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum number_verdict whole(const char *text, int64_t min, int64_t max, int64_t *value)
{
    return number_parse_whole(text, strlen(text), min, max, value);
}

static enum number_verdict real(const char *text, double min, double max, double *value)
{
    return number_parse_real(text, strlen(text), min, max, value);
}

TEST(digits_make_a_whole_number)
{
    static const struct {
        const char *text;
        int64_t value;
    } numbers[] = {
        {"0", 0},
        {"7", 7},
        {"0042", 42},
        {"9223372036854775807", INT64_MAX},
        {"00000000000000000000000000000000000001", 1},
    };

    for (size_t i = 0; i < COUNT(numbers); i++) {
        int64_t value = -1;

        assert_int_equal(whole(numbers[i].text, 0, INT64_MAX, &value), NUMBER_OK);
        assert_int_equal(value, numbers[i].value);
    }
}

TEST(anything_but_digits_is_no_whole_number)
{
    static const char *const texts[] = {"",    " 1",  "1 ",  "+1",  "-1",  "1.0", "1e3", "0x10",
                                        "nan", "inf", "1,0", "12a", "a12", "\t1", "1\n", "٣"};
    int64_t value = 99;

    for (size_t i = 0; i < COUNT(texts); i++)
        assert_int_equal(whole(texts[i], 0, INT64_MAX, &value), NUMBER_MALFORMED);
    assert_int_equal(value, 99);
}

TEST(a_whole_number_outside_its_range_is_told_from_a_malformed_one)
{
    int64_t value = 99;

    assert_int_equal(whole("4", 5, 7, &value), NUMBER_OUT_OF_RANGE);
    assert_int_equal(whole("8", 5, 7, &value), NUMBER_OUT_OF_RANGE);
    assert_int_equal(whole("9223372036854775808", 0, INT64_MAX, &value), NUMBER_OUT_OF_RANGE);
    assert_int_equal(whole("18446744073709551617", 0, INT64_MAX, &value), NUMBER_OUT_OF_RANGE);
    assert_int_equal(whole("184467440737095516170", 0, INT64_MAX, &value), NUMBER_OUT_OF_RANGE);
    assert_int_equal(whole("9999999999999999999999999999", 0, 5, &value), NUMBER_OUT_OF_RANGE);
    assert_int_equal(value, 99);
    assert_int_equal(whole("5", 5, 7, &value), NUMBER_OK);
    assert_int_equal(whole("7", 5, 7, &value), NUMBER_OK);
}

TEST(only_the_given_length_is_looked_at)
{
    int64_t number = 0;
    double value = 0;

    assert_int_equal(number_parse_whole("123abc", 2, 0, 99, &number), NUMBER_OK);
    assert_int_equal(number, 12);
    assert_int_equal(number_parse_real("1.25.9", 4, 0, 99, &value), NUMBER_OK);
    assert_true(value == 1.25);
}

TEST(decimals_make_a_real_number)
{
    static const struct {
        const char *text;
        double value;
    } numbers[] = {
        {"0", 0},      {"12", 12},     {"0.5", 0.5},
        {".5", 0.5},   {"5.", 5},      {"3e-2", 0.03},
        {"1E3", 1000}, {"1e+3", 1000}, {"2.6247764189255065", 2.6247764189255065},
    };

    for (size_t i = 0; i < COUNT(numbers); i++) {
        double value = -1;

        assert_int_equal(real(numbers[i].text, 0, 1e9, &value), NUMBER_OK);
        assert_true(value == numbers[i].value);
    }
}

static void check_nearest(const char *text)
{
    double value = -1;
    const double nearest = strtod(text, NULL);

    assert_int_equal(real(text, 0, HUGE_VAL, &value), NUMBER_OK);
    if (value != nearest)
        fail_msg("%s: read as %.17g, not as %.17g", text, value, nearest);
}

/* The last ones lie halfway between two doubles, or a digit beside that. */
TEST(a_real_number_is_the_nearest_there_is)
{
    static const char *const texts[] = {
        "0.1",
        "0.3",
        "0.0009765625",
        "0.0009765624999999",
        "0.000000000000001",
        "000000000000000.25",
        "0.00000000000000",
        "123456789012345678",
        "9999999999999999999",
        "18446744073709551615",
        "9007199254740993",
        "9007199254740993.0",
        "9007199254740993.1",
        "9007199254740995.0",
        "4503599627370497.5",
        "4503599627370496.5",
        "4503599627370496.51",
        "4503599627370496.49",
        "1125899906842624.125",
        "1125899906842624.375",
        "1125899906842624.374",
    };

    for (size_t i = 0; i < COUNT(texts); i++)
        check_nearest(texts[i]);
}

TEST(random_numbers_are_the_nearest_there_are)
{
    rng_t rng = rng_new(test_seed(), "decimals");
    const long times = test_times(20000);

    for (long i = 0; i < times; i++) {
        const int digits = 1 + (int)rng_below(&rng, 19);
        const int point = (int)rng_below(&rng, (uint64_t)digits + 1);
        char text[32];
        int length = 0;

        for (int k = 0; k < digits; k++) {
            if (k == point)
                text[length++] = '.';
            text[length++] = (char)('0' + rng_below(&rng, 10));
        }
        text[length] = '\0';
        check_nearest(text);
        (void)snprintf(text, sizeof(text), "%.17g", rng_log_uniform(&rng, 1e-3, 1e6));
        check_nearest(text);
    }
}

TEST(anything_but_decimals_is_no_real_number)
{
    static const char *const texts[] = {
        "",  " 1", "1 ", "-1",  "+1",   "nan",   "inf", "infinity", "0x1p3",
        ".", "e3", "1e", "1e+", "1..2", "1.2.3", "1,5", "1e3.5",    "NAN",
    };
    char longest[80];
    double value = 99;

    for (size_t i = 0; i < COUNT(texts); i++)
        assert_int_equal(real(texts[i], 0, 1e9, &value), NUMBER_MALFORMED);
    memset(longest, '0', sizeof(longest));
    assert_int_equal(number_parse_real(longest, 65, 0, 1, &value), NUMBER_MALFORMED);
    assert_true(value == 99);
    assert_int_equal(number_parse_real(longest, 64, 0, 1, &value), NUMBER_OK);
}

TEST(a_real_number_outside_its_range_is_told_from_a_malformed_one)
{
    double value = 99;

    assert_int_equal(real("0.99", 1, 2, &value), NUMBER_OUT_OF_RANGE);
    assert_int_equal(real("2.01", 1, 2, &value), NUMBER_OUT_OF_RANGE);
    assert_int_equal(real("1e999", 0, 1e300, &value), NUMBER_OUT_OF_RANGE);
    assert_true(value == 99);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
