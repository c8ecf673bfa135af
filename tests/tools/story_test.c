/* story_test.c - what a user reads of the scheduler's log. */
#include "tests/support/test.h"
#include "tools/local/story.h"

#define HEAD "2026-01-31T12:00:00.123456Z 5123.456789 scheduler:a "

TEST(a_plan_is_told_in_one_line)
{
    char told[256];

    assert_true(story_tell(HEAD
                           "event=plan job=- incarnation=- node=- gpu=- round=7 at=1680 jobs=3 "
                           "gpus=6 live=4 accepted=5 declined=1 settled=2 of=10",
                           8, told, sizeof(told)));
    assert_string_equal(told, "at 1680 s, round 7: 3 running on 6 of 8 GPUs, 5 accepted, 1 "
                              "declined, 2 of 10 settled");
}

TEST(quotes_are_taken_off)
{
    char told[256];

    assert_true(story_tell(HEAD "event=at-risk job=1 name=\"a b\" at=60 cause=\"x=1 \\\"y\\\" \\\\ "
                                "\\n at=7\"",
                           8, told, sizeof(told)));
    assert_string_equal(told, "at 60 s: the promise of job a b is at risk: x=1 \"y\" \\ \\n at=7");
}

TEST(words_inside_a_text_are_no_keys)
{
    char value[64];

    assert_true(story_value("a b cause=\"round=9 \\\" round=8\" round=7", "round", value, 64));
    assert_string_equal(value, "7");
    assert_false(story_value("a b cause=\"round=9\" around=8 round", "round", value, 64));
    assert_string_equal(value, "");
    assert_true(story_value("cause=\"not closed", "cause", value, 64));
    assert_string_equal(value, "not closed");
    assert_true(story_value("cause=\"ends in \\", "cause", value, 64));
    assert_string_equal(value, "ends in \\");
}

TEST(what_is_too_long_is_cut)
{
    char told[24];
    char value[4];

    assert_true(story_tell("event=node-up at=1 cause=\"something very long\"", 8, told, 24));
    assert_string_equal(told, "at 1 s: something very ");
    assert_true(story_value("cause=abcdef", "cause", value, sizeof(value)));
    assert_string_equal(value, "abc");
}

TEST(nothing_else_is_told)
{
    const char *const lines[] = {"",
                                 "scheduler: no-such.csv: cannot be read",
                                 "event=settled round=1",
                                 "event=planned round=1",
                                 "event=",
                                 "event=\""};
    char told[64];

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        assert_false(story_tell(lines[i], 8, told, sizeof(told)));
    assert_true(story_is("event=up", "up"));
    assert_false(story_is("event=up", "u"));
}

int main(void)
{
    return tests_run(NULL, NULL);
}
