/* number_test.c - numbers from text: the whole field or nothing. */
#include "common/number.h"
#include "tests/support/test.h"

#include <string.h>

static enum number_verdict whole(const char *text, int64_t min, int64_t max, int64_t *value)
{
    return number_parse_whole(text, strlen(text), min, max, value);
}

static enum number_verdict real(const char *text, double min, double max, double *value)
{
    return number_parse_real(text, strlen(text), min, max, value);
}

static void digits_make_a_whole_number(void **state)
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

    (void)state;
    for (size_t i = 0; i < COUNT(numbers); i++) {
        int64_t value = -1;

        assert_int_equal(whole(numbers[i].text, 0, INT64_MAX, &value), NUMBER_OK);
        assert_int_equal(value, numbers[i].value);
    }
}

static void anything_but_digits_is_no_whole_number(void **state)
{
    static const char *const texts[] = {"",    " 1",  "1 ",  "+1",  "-1",  "1.0", "1e3", "0x10",
                                        "nan", "inf", "1,0", "12a", "a12", "\t1", "1\n", "٣"};
    int64_t value = 99;

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++)
        assert_int_equal(whole(texts[i], 0, INT64_MAX, &value), NUMBER_MALFORMED);
    assert_int_equal(value, 99);
}

static void a_whole_number_outside_its_range_is_told_from_a_malformed_one(void **state)
{
    int64_t value = 99;

    (void)state;
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

static void only_the_given_length_is_looked_at(void **state)
{
    int64_t number = 0;
    double value = 0;

    (void)state;
    assert_int_equal(number_parse_whole("123abc", 2, 0, 99, &number), NUMBER_OK);
    assert_int_equal(number, 12);
    assert_int_equal(number_parse_real("1.25.9", 4, 0, 99, &value), NUMBER_OK);
    assert_true(value == 1.25);
}

static void decimals_make_a_real_number(void **state)
{
    static const struct {
        const char *text;
        double value;
    } numbers[] = {
        {"0", 0},      {"12", 12},     {"0.5", 0.5},
        {".5", 0.5},   {"5.", 5},      {"3e-2", 0.03},
        {"1E3", 1000}, {"1e+3", 1000}, {"2.6247764189255065", 2.6247764189255065},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(numbers); i++) {
        double value = -1;

        assert_int_equal(real(numbers[i].text, 0, 1e9, &value), NUMBER_OK);
        assert_true(value == numbers[i].value);
    }
}

static void anything_but_decimals_is_no_real_number(void **state)
{
    static const char *const texts[] = {
        "",  " 1", "1 ", "-1",  "+1",   "nan",   "inf", "infinity", "0x1p3",
        ".", "e3", "1e", "1e+", "1..2", "1.2.3", "1,5", "1e3.5",    "NAN",
    };
    char longest[80];
    double value = 99;

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++)
        assert_int_equal(real(texts[i], 0, 1e9, &value), NUMBER_MALFORMED);
    memset(longest, '0', sizeof(longest));
    assert_int_equal(number_parse_real(longest, 65, 0, 1, &value), NUMBER_MALFORMED);
    assert_true(value == 99);
    assert_int_equal(number_parse_real(longest, 64, 0, 1, &value), NUMBER_OK);
}

static void a_real_number_outside_its_range_is_told_from_a_malformed_one(void **state)
{
    double value = 99;

    (void)state;
    assert_int_equal(real("0.99", 1, 2, &value), NUMBER_OUT_OF_RANGE);
    assert_int_equal(real("2.01", 1, 2, &value), NUMBER_OUT_OF_RANGE);
    assert_int_equal(real("1e999", 0, 1e300, &value), NUMBER_OUT_OF_RANGE);
    assert_true(value == 99);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_make_a_whole_number),
        cmocka_unit_test(anything_but_digits_is_no_whole_number),
        cmocka_unit_test(a_whole_number_outside_its_range_is_told_from_a_malformed_one),
        cmocka_unit_test(only_the_given_length_is_looked_at),
        cmocka_unit_test(decimals_make_a_real_number),
        cmocka_unit_test(anything_but_decimals_is_no_real_number),
        cmocka_unit_test(a_real_number_outside_its_range_is_told_from_a_malformed_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
