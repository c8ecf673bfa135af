/* number.c - see number.h. */
#include "common/number.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Longer decimal texts than this carry no more information about a double. */
#define REAL_LENGTH_MAX 64

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

enum number_verdict number_parse_whole(const char *text, size_t length, int64_t min, int64_t max,
                                       int64_t *value)
{
    uint64_t sum = 0;
    bool large = false;

    assert(min >= 0);
    assert(min <= max);
    if (length == 0)
        return NUMBER_MALFORMED;
    for (size_t i = 0; i < length; i++) {
        if (!is_digit(text[i]))
            return NUMBER_MALFORMED;
        large = large || sum > (uint64_t)INT64_MAX / 10;
        sum = sum * 10 + (uint64_t)(text[i] - '0');
    }
    if (large || sum > (uint64_t)max || sum < (uint64_t)min)
        return NUMBER_OUT_OF_RANGE;
    *value = (int64_t)sum;
    return NUMBER_OK;
}

static size_t skip_digits(const char *text, size_t length, size_t at)
{
    while (at < length && is_digit(text[at]))
        at++;
    return at;
}

/* Whether `text` is digits [. digits] [e [+-] digits], with a digit before or after the point. */
static bool is_decimal(const char *text, size_t length)
{
    size_t at = skip_digits(text, length, 0);
    size_t digits = at;

    if (at < length && text[at] == '.') {
        const size_t point = at;

        at = skip_digits(text, length, at + 1);
        digits += at - point - 1;
    }
    if (digits == 0)
        return false;
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        if (at < length && (text[at] == '+' || text[at] == '-'))
            at++;
        if (at == length)
            return false;
        at = skip_digits(text, length, at);
    }
    return at == length;
}

enum number_verdict number_parse_real(const char *text, size_t length, double min, double max,
                                      double *value)
{
    char copy[REAL_LENGTH_MAX + 1];
    double parsed;

    assert(min <= max);
    if (length > REAL_LENGTH_MAX || !is_decimal(text, length))
        return NUMBER_MALFORMED;
    memcpy(copy, text, length);
    copy[length] = '\0';
    parsed = strtod(copy, NULL);
    if (!(parsed >= min && parsed <= max))
        return NUMBER_OUT_OF_RANGE;
    *value = parsed;
    return NUMBER_OK;
}
