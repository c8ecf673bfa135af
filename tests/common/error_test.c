/* error_test.c - sentences for users. */
#include "common/error.h"
#include "tests/support/test.h"

#include <string.h>

TEST(reporting_is_one_return)
{
    struct error error;

    assert_int_equal(error_set(&error, "%s:%d: no", "trace.csv", 7), -1);
    assert_string_equal(error.text, "trace.csv:7: no");
    assert_int_equal(error_prefix(&error, "cannot start"), -1);
    assert_string_equal(error.text, "cannot start: trace.csv:7: no");
}

TEST(a_sentence_that_is_too_long_is_cut)
{
    char text[3000];
    struct error error;

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    error_set(&error, "%s", text);
    assert_int_equal(strlen(error.text), sizeof(error.text) - 1);
    error_prefix(&error, "prefix");
    assert_int_equal(strlen(error.text), sizeof(error.text) - 1);
    assert_memory_equal(error.text, "prefix: xxx", 11);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
