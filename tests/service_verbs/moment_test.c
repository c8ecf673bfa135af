/* moment_test.c - deadlines, times and durations as users write and read them. */
#include "tools/service/moment.h"

#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A clock that goes forward at 2 in the morning on 29 March 2026. */
FIXTURE(set_clock)
{
    (void)setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
    return 0;
}

static void check(const char *text, int kind, int64_t s)
{
    struct deadline deadline;
    struct error error;

    assert_int_equal(deadline_parse(text, &deadline, &error), 0);
    assert_int_equal(deadline.kind, kind);
    assert_int_equal(deadline.s, s);
}

TEST(a_deadline_is_a_time_from_now_or_of_the_calendar)
{
    check("none", DEADLINE_NONE, 0);
    check("+3h", DEADLINE_IN, 10800);
    check("+90m", DEADLINE_IN, 5400);
    check("+1d2h3m4s", DEADLINE_IN, 93784);
    check("+1s", DEADLINE_IN, 1);
    check("2026-11-24T18:00", DEADLINE_AT, 1795539600);
    check("2026-11-24T18:00:30", DEADLINE_AT, 1795539630);
    check("2026-11-24 18:00", DEADLINE_AT, 1795539600);
    check("2026-11-24T17:00Z", DEADLINE_AT, 1795539600);
    check("2026-11-24", DEADLINE_AT, 1795474800);
    check("2026-07-01T12:00", DEADLINE_AT, 1782900000); /* summer time */
}

TEST(what_is_no_deadline_is_quoted)
{
    static const char *const bad[] = {"",
                                      "+",
                                      "+3",
                                      "3h",
                                      "+3x",
                                      "+m",
                                      "+3h ",
                                      "+3h3h",
                                      "+5m1h",
                                      "+0s",
                                      "+-3h",
                                      "+99999999999h",
                                      "+40000d",
                                      "2026-02-31",
                                      "2026-11-24T25:00",
                                      "1950-01-01",
                                      "2026-11-24T18:00z",
                                      "tomorrow",
                                      "None"};
    struct deadline deadline;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct error error = {.text = ""};
        char quoted[64];

        assert_int_equal(deadline_parse(bad[i], &deadline, &error), -1);
        (void)snprintf(quoted, sizeof(quoted), "\"%s\"", bad[i]);
        assert_non_null(strstr(error.text, quoted));
        assert_non_null(strstr(error.text, "+3h"));
    }
}

TEST(a_duration_has_its_two_largest_units)
{
    static const struct {
        int64_t s;
        const char *text;
    } wanted[] = {
        {0, "0 s"},        {59, "59 s"},        {60, "1 min"},         {61, "1 min 1 s"},
        {3600, "1 h"},     {7500, "2 h 5 min"}, {7559, "2 h 5 min"},   {86400, "1 d"},
        {86401, "1 d"},    {90000, "1 d 1 h"},  {-7500, "-2 h 5 min"}, {INT64_MIN, NULL},
        {INT64_MAX, NULL},
    };
    char text[DURATION_BYTES];

    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        (void)duration_print(wanted[i].s, text);
        if (wanted[i].text)
            assert_string_equal(text, wanted[i].text);
        assert_true(strlen(text) > 0);
    }
}

TEST(a_moment_is_local_time)
{
    char text[MOMENT_BYTES];

    assert_string_equal(moment_print(1795539600, text), "2026-11-24 18:00:00");
    assert_string_equal(moment_print(1782900000, text), "2026-07-01 12:00:00");
    assert_true(strlen(moment_print(INT64_MAX, text)) > 0);
}

int main(void)
{
    return tests_run(set_clock, NULL);
}
