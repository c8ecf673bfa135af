/* story_test.c - what a user reads of the scheduler's log. */
#include "tests/support/test.h"
#include "tools/local/story.h"

#define HEAD "2026-01-31T12:00:00.123456Z 5123.456789 scheduler:a "

static void a_plan_is_told_in_one_line(void **state)
{
    char told[256];

    (void)state;
    assert_true(story_tell(HEAD
                           "event=plan job=- incarnation=- node=- gpu=- round=7 at=1680 jobs=3 "
                           "gpus=6 live=4 accepted=5 declined=1 settled=2 of=10",
                           8, told, sizeof(told)));
    assert_string_equal(told, "at 1680 s, round 7: 3 running on 6 of 8 GPUs, 5 accepted, 1 "
                              "declined, 2 of 10 settled");
}

static void quotes_are_taken_off(void **state)
{
    char told[256];

    (void)state;
    assert_true(story_tell(HEAD "event=at-risk job=1 name=\"a b\" at=60 cause=\"x=1 \\\"y\\\" \\\\ "
                                "\\n at=7\"",
                           8, told, sizeof(told)));
    assert_string_equal(told, "at 60 s: the promise of job a b is at risk: x=1 \"y\" \\ \\n at=7");
}

static void words_inside_a_text_are_no_keys(void **state)
{
    char value[64];

    (void)state;
    assert_true(story_value("a b cause=\"round=9 \\\" round=8\" round=7", "round", value, 64));
    assert_string_equal(value, "7");
    assert_false(story_value("a b cause=\"round=9\" around=8 round", "round", value, 64));
    assert_string_equal(value, "");
    assert_true(story_value("cause=\"not closed", "cause", value, 64));
    assert_string_equal(value, "not closed");
    assert_true(story_value("cause=\"ends in \\", "cause", value, 64));
    assert_string_equal(value, "ends in \\");
}

static void what_is_too_long_is_cut(void **state)
{
    char told[24];
    char value[4];

    (void)state;
    assert_true(story_tell("event=node-up at=1 cause=\"something very long\"", 8, told, 24));
    assert_string_equal(told, "at 1 s: something very ");
    assert_true(story_value("cause=abcdef", "cause", value, sizeof(value)));
    assert_string_equal(value, "abc");
}

static void nothing_else_is_told(void **state)
{
    const char *const lines[] = {"",
                                 "scheduler: no-such.csv: cannot be read",
                                 "event=settled round=1",
                                 "event=planned round=1",
                                 "event=",
                                 "event=\""};
    char told[64];

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        assert_false(story_tell(lines[i], 8, told, sizeof(told)));
    assert_true(story_is("event=up", "up"));
    assert_false(story_is("event=up", "u"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_is_told_in_one_line),
        cmocka_unit_test(quotes_are_taken_off),
        cmocka_unit_test(words_inside_a_text_are_no_keys),
        cmocka_unit_test(what_is_too_long_is_cut),
        cmocka_unit_test(nothing_else_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
