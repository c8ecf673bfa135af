/* number_hint_test.c - what to write in the place of dates, decimal commas and separators. */
#include "common/number_hint.h"
#include "tests/support/test.h"

#include <string.h>

static void check_whole(const char *text, const char *hint)
{
    const char *found = number_hint_whole(text, strlen(text));

    if (*hint ? !strstr(found, hint) : *found != '\0')
        fail_msg("\"%s\" gets the hint \"%s\"", text, found);
}

static void check_real(const char *text, const char *hint)
{
    const char *found = number_hint_real(text, strlen(text));

    if (*hint ? !strstr(found, hint) : *found != '\0')
        fail_msg("\"%s\" gets the hint \"%s\"", text, found);
}

TEST(dates_and_times_of_day_are_to_be_seconds)
{
    static const char *const texts[] = {"2026-03-01T08:00:00", "2026-03-01", "2026/3/1 8:00",
                                        "01.03.2026 08:00",    "1/3/26",     "8:30",
                                        "01:02:03.5",          "1.3.26"};

    for (size_t i = 0; i < COUNT(texts); i++) {
        check_whole(texts[i], "dates as seconds");
        check_real(texts[i], "in seconds");
    }
}

TEST(a_whole_number_is_to_be_digits_alone)
{
    static const char *const texts[] = {"0.5",   "2e4",   "9.000,00", "1,5",       "9,000", "9.000",
                                        "1_000", "1'000", "9 000",    "9.000.000", "1E+3"};

    for (size_t i = 0; i < COUNT(texts); i++)
        check_whole(texts[i], "digits alone");
}

TEST(a_fraction_is_to_have_a_point)
{
    static const char *const texts[] = {"1,5", "9.000,00", "1,000.5", "1 000,5", "1'000.5"};

    for (size_t i = 0; i < COUNT(texts); i++)
        check_real(texts[i], "decimal point");
    check_real("1e999", "");
    check_real("1.2.3.4", "");
}

TEST(other_text_gets_no_hint)
{
    static const char *const texts[] = {"",   "12",    "1000000000001", "-3", "+12", " 12", "12 ",
                                        "1e", "12abc", "nan",           ".",  "0x1", "-",   "/"};

    for (size_t i = 0; i < COUNT(texts); i++) {
        check_whole(texts[i], "");
        check_real(texts[i], "");
    }
    assert_string_equal(number_hint_whole("1\0005", 3), "");
    assert_string_equal(number_hint_whole("2026\00003\00001", 10), "");
    assert_string_equal(number_hint_whole("8:30", 1), "");
}

int main(void)
{
    return tests_run(NULL, NULL);
}
