/* suggestion_test.c - the nearest of some words, and none where none is near. */
#include "common/suggestion.h"
#include "tests/support/test.h"

static const char *const words[] = {"edf", "edf-accessctrl", "gandiva", "tiresias", "ef", NULL};

TEST(the_nearest_word_is_found)
{
    assert_string_equal(suggestion("edff", words), "edf");
    assert_string_equal(suggestion("efd", words), "edf"); /* swapped */
    assert_string_equal(suggestion("tirseias", words), "tiresias");
    assert_string_equal(suggestion("gandva", words), "gandiva");
    assert_string_equal(suggestion("edf-acesctrl", words), "edf-accessctrl");
    assert_string_equal(suggestion("edf", words), "edf");
    assert_string_equal(suggestion("EDF", words), "edf");
}

TEST(the_beginning_of_one_word_alone_stands_for_it)
{
    assert_string_equal(suggestion("tire", words), "tiresias");
    assert_string_equal(suggestion("edf-acc", words), "edf-accessctrl");
    assert_null(suggestion("ti", words)); /* too short to tell */
    assert_null(suggestion("edf-", (const char *const[]){"edf-one", "edf-two", NULL}));
}

TEST(a_word_far_from_all_has_no_suggestion)
{
    static const char *const none[] = {NULL};
    char text[32] = "untouched";

    assert_null(suggestion("srtf", words));
    assert_null(suggestion("e", words)); /* too short to tell */
    assert_null(suggestion("", words));
    assert_null(suggestion("a-word-that-is-much-longer-than-any-option-of-any-verb", words));
    assert_null(suggestion("edf", none));
    suggestion_print("srtf", words, "", "", text, sizeof(text));
    assert_string_equal(text, "");
}

TEST(a_suggestion_is_printed_as_a_question)
{
    char text[32];

    suggestion_print("gandva", words, "--", "=", text, sizeof(text));
    assert_string_equal(text, "; did you mean --gandiva=?");
}

int main(void)
{
    return tests_run(NULL, NULL);
}
