/* steps_test.c - soft deadlines as users write them: lists that are read, and what is wrong with
 * those that are not. */
#include "scheduler/state/steps.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

static struct job_level steps[LEVELS_MAX];
static struct error error;

static size_t parse(const char *text)
{
    return steps_parse(text, strlen(text), 100, steps, &error);
}

TEST(steps_count_from_the_submission_or_from_the_clock)
{
    assert_int_equal(parse("+60:10,200:6.5,+3600:0.1"), 3);
    assert_int_equal(steps[0].deadline_s, 160);
    assert_int_equal(steps[0].value, 100);
    assert_int_equal(steps[1].deadline_s, 200);
    assert_int_equal(steps[1].value, 65);
    assert_int_equal(steps[2].deadline_s, 3700);
    assert_int_equal(steps[2].value, 1);
}

TEST(another_clock_shows_its_own_time_at_second_0)
{
    struct job_level step;

    assert_int_equal(steps_parse_one("1060:1000", 9, 20, 1000, &step, &error), 0);
    assert_int_equal(step.deadline_s, 60);
    assert_int_equal(steps_parse_one("+60:1", 5, 20, 1000, &step, &error), 0);
    assert_int_equal(step.deadline_s, 80);
}

TEST(one_step_is_a_deadline_with_a_value)
{
    assert_int_equal(parse("700:3"), 1);
    assert_int_equal(steps[0].deadline_s, 700);
    assert_true(steps_are("700:3", 5));
    assert_false(steps_are("700", 3));
}

static void check_refused(const char *text, const char *why)
{
    assert_int_equal(parse(text), 0);
    assert_string_equal(error.text, why);
}

TEST(each_mistake_has_its_sentence)
{
    check_refused("", "step 1: expected TIME:VALUE, found \"\"");
    check_refused("700", "step 1: expected TIME:VALUE, found \"700\"");
    check_refused("700:3,", "step 2: expected TIME:VALUE, found \"\"");
    check_refused(":3", "step 1: expected a time in whole seconds before the colon, found \"\"");
    check_refused("+:3", "step 1: expected a time in whole seconds before the colon, found \"+\"");
    check_refused("-5:3",
                  "step 1: expected a time in whole seconds before the colon, found \"-5\"");
    check_refused("1000000000001:3", "step 1: expected a time in whole seconds before the colon, "
                                     "found \"1000000000001\"");
    check_refused("+1000000000000:3", "step 1: expected a time in whole seconds before the colon, "
                                      "found \"+1000000000000\"");
    check_refused("700:10,800:10", "step 2: expected a value below 10, that of step 1, found 10");
    check_refused("700:1,800:1.5", "step 2: expected a value below 1, that of step 1, found 1.5");
    check_refused("700:2,700:1", "step 2: expected a later time than that of step 1");
    check_refused("+700:2,700:1", "step 2: expected a later time than that of step 1");
}

TEST(a_value_is_a_tenth_to_a_thousand)
{
    static const char *const bad[] = {"",     "0",    "0.0",    ".5", "5.",
                                      "1.25", "1001", "1000.1", "-1", "x"};
    int64_t value;

    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(steps_parse_value(bad[i], strlen(bad[i]), &value), -1);
    assert_int_equal(steps_parse_value("1000", 4, &value), 0);
    assert_int_equal(value, 10000);
    assert_int_equal(steps_parse_value("0.1", 3, &value), 0);
    assert_int_equal(value, 1);
}

TEST(sixteen_steps_are_the_most)
{
    char text[256] = "";
    size_t used = 0;

    for (int i = 0; i < LEVELS_MAX; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%d:%d", i > 0 ? "," : "",
                                 100 + i, 99 - i);
    assert_int_equal(parse(text), LEVELS_MAX);
    (void)snprintf(text + used, sizeof(text) - used, ",900:1");
    check_refused(text, "expected 1 to 16 steps TIME:VALUE joined by \",\", found more");
}

TEST(steps_are_printed_as_they_are_read)
{
    const struct job_level kept[] = {{160, 100}, {200, 65}, {3700, 1}};
    char text[STEPS_BYTES];

    assert_string_equal(steps_print(kept, 3, text), "160:10,200:6.5,3700:0.1");
    assert_int_equal(parse(text), 3);
    assert_memory_equal(steps, kept, sizeof(kept));
}

int main(void)
{
    return tests_run(NULL, NULL);
}
