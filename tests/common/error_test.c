/* error_test.c - sentences for users. */
#include "common/error.h"
#include "tests/support/test.h"

#include <string.h>

static void reporting_is_one_return(void **state)
{
    struct error error;

    (void)state;
    assert_int_equal(error_set(&error, "%s:%d: no", "trace.csv", 7), -1);
    assert_string_equal(error.text, "trace.csv:7: no");
    assert_int_equal(error_prefix(&error, "cannot start"), -1);
    assert_string_equal(error.text, "cannot start: trace.csv:7: no");
}

static void a_sentence_that_is_too_long_is_cut(void **state)
{
    char text[3000];
    struct error error;

    (void)state;
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reporting_is_one_return),
        cmocka_unit_test(a_sentence_that_is_too_long_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
