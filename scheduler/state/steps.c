/* steps.c - see steps.h. */
#include "scheduler/state/steps.h"

#include "common/input.h"
#include "common/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Texts of users are shortened in complaints. */
#define SHOWN_BYTES 65

bool steps_are(const char *text, size_t length)
{
    return memchr(text, ':', length) != NULL;
}

/* Complains: "expected `expected`, found ..." and the user's text. Returns -1. */
static int complain(const char *expected, const char *text, size_t length, struct error *error)
{
    char shown[SHOWN_BYTES];
    const size_t count = input_printable(shown, sizeof(shown), text, length);

    return error_set(error, "expected %s, found \"%s%s\"", expected, shown,
                     count < length ? "..." : "");
}

int steps_parse_value(const char *text, size_t length, int64_t *value)
{
    const char *point = memchr(text, '.', length);
    const size_t digits = point ? (size_t)(point - text) : length;
    int64_t tenths = 0;

    if (number_parse_whole(text, digits, 0, VALUE_MAX, value) != NUMBER_OK ||
        (point && number_parse_whole(point + 1, length - digits - 1, 0, 9, &tenths) != NUMBER_OK) ||
        (point && length != digits + 2))
        return -1;
    *value = *value * LEVEL_VALUE_FULL + tenths;
    return *value >= 1 && *value <= VALUE_MAX * LEVEL_VALUE_FULL ? 0 : -1;
}

int steps_parse_one(const char *text, size_t length, int64_t submit_s, int64_t zero_s,
                    struct job_level *step, struct error *error)
{
    const char *colon = memrchr(text, ':', length);
    const bool relative = length > 0 && *text == '+';
    const int64_t from_s = relative ? submit_s : -zero_s;
    const char *date = text + relative;
    const char *value = colon ? colon + 1 : text;

    if (!colon || colon < date)
        return complain("TIME:VALUE", text, length, error);
    if (number_parse_whole(date, (size_t)(colon - date), 0, TIME_MAX_S, &step->deadline_s) !=
            NUMBER_OK ||
        step->deadline_s > TIME_MAX_S - from_s)
        return complain("a time in whole seconds before the colon", text, (size_t)(colon - text),
                        error);
    step->deadline_s += from_s;
    if (steps_parse_value(value, (size_t)(text + length - value), &step->value) < 0)
        return complain("a value from 0.1 to 1000 after the colon, with one digit after the point "
                        "at most",
                        value, (size_t)(text + length - value), error);
    return 0;
}

const char *steps_print_value(int64_t value, char text[STEP_VALUE_BYTES])
{
    const int64_t tenths = value % LEVEL_VALUE_FULL;

    if (tenths == 0)
        (void)snprintf(text, STEP_VALUE_BYTES, "%" PRId64, value / LEVEL_VALUE_FULL);
    else
        (void)snprintf(text, STEP_VALUE_BYTES, "%" PRId64 ".%" PRId64, value / LEVEL_VALUE_FULL,
                       tenths);
    return text;
}

int steps_check(const struct job_level steps[], size_t count, struct error *error)
{
    char before[STEP_VALUE_BYTES];
    char value[STEP_VALUE_BYTES];

    for (size_t i = 0; i < count; i++) {
        if (steps[i].value < 1)
            return error_set(error, "step %zu: expected a value from 0.1 to 1000, found 0", i + 1);
        if (i == 0)
            continue;
        if (steps[i].deadline_s <= steps[i - 1].deadline_s)
            return error_set(error, "step %zu: expected a later time than that of step %zu", i + 1,
                             i);
        if (steps[i].value >= steps[i - 1].value)
            return error_set(error,
                             "step %zu: expected a value below %s, that of step %zu, found %s",
                             i + 1, steps_print_value(steps[i - 1].value, before), i,
                             steps_print_value(steps[i].value, value));
    }
    return 0;
}

const char *steps_print(const struct job_level steps[], size_t count, char text[STEPS_BYTES])
{
    char value[STEP_VALUE_BYTES];
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < count && used < STEPS_BYTES; i++)
        used +=
            (size_t)snprintf(text + used, STEPS_BYTES - used, "%s%" PRId64 ":%s", i > 0 ? "," : "",
                             steps[i].deadline_s, steps_print_value(steps[i].value, value));
    return text;
}

size_t steps_parse(const char *text, size_t length, int64_t submit_s,
                   struct job_level steps[LEVELS_MAX], struct error *error)
{
    const char *end = text + length;
    size_t count = 0;

    for (;;) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        const size_t part = (size_t)((comma ? comma : end) - text);

        if (count == LEVELS_MAX) {
            (void)error_set(error, "expected %s, found more", STEPS_EXPECTED);
            return 0;
        }
        if (steps_parse_one(text, part, submit_s, 0, &steps[count++], error) < 0) {
            char step[16];

            (void)snprintf(step, sizeof(step), "step %zu", count);
            (void)error_prefix(error, step);
            return 0;
        }
        if (!comma)
            return steps_check(steps, count, error) < 0 ? 0 : count;
        text = comma + 1;
    }
}
