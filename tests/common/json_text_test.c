/* json_text_test.c - JSON for users: numbers as short as they read back as the same. */
#include "common/json_text.h"
#include "common/rng.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(a_value_is_indented_and_keeps_its_order)
{
    static const char expected[] = "{\n"
                                   "  \"z\": 0.1,\n"
                                   "  \"deadline\": null,\n"
                                   "  \"list\": [\n"
                                   "    1,\n"
                                   "    true,\n"
                                   "    {\n"
                                   "      \"tëst_日本\": 1e+300\n"
                                   "    }\n"
                                   "  ],\n"
                                   "  \"none\": [],\n"
                                   "  \"whole\": 3.0,\n"
                                   "  \"said\": \"a \\\"b\\\"\\n\"\n"
                                   "}\n";
    json_t *value = json_loads(expected, 0, NULL);
    char *text;

    assert_non_null(value);
    text = json_text(value);
    assert_string_equal(text, expected);
    free(text);
    json_decref(value);
}

/* Fewer digits would read back as another number. */
static void check_shortest(double number)
{
    json_t *value = json_real(number);
    char *text = json_text(value);
    char shorter[64];
    int digits = 0;

    assert_true(strtod(text, NULL) == number);
    for (const char *at = text; *at && *at != 'e' && strcmp(at, ".0\n") != 0; at++)
        digits += *at >= '0' && *at <= '9' && (digits > 0 || *at != '0');
    if (digits > 15) {
        (void)snprintf(shorter, sizeof(shorter), "%.*e", digits - 2, number);
        assert_true(strtod(shorter, NULL) != number);
    }
    free(text);
    json_decref(value);
}

TEST(a_real_is_as_short_as_it_can_be)
{
    rng_t rng = rng_new(test_seed(), "reals");

    for (long i = test_times(2000); i > 0; i--) {
        check_shortest(rng_unit(&rng));
        check_shortest(rng_log_uniform(&rng, 1e-300, 1e300));
    }
    check_shortest(0.1 + 0.2);
    check_shortest(1.0 / 3);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
