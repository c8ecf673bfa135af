/* number.c - see number.h. */
#include "common/number.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer decimal texts than this carry no more information about a double. */
#define REAL_LENGTH_MAX 64

/* Number of digits that always fits into 64 bits. */
#define DIGITS_SAFE 19

__extension__ typedef unsigned __int128 uint128_t;

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
        const unsigned digit = (unsigned)text[i] - '0';

        if (digit > 9)
            return NUMBER_MALFORMED;
        large |= sum > (uint64_t)INT64_MAX / 10;
        sum = sum * 10 + digit;
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

/* The double nearest to `digits` / 10^`places`, places > 0, by whole numbers alone; false if
 * whole numbers have too few bits for the division. */
static bool divide(uint64_t digits, size_t places, double *value)
{
    const uint128_t scaled = (uint128_t)digits << 64;
    uint64_t divisor = 1;
    uint128_t quotient;
    uint64_t top;
    int shift;

    for (size_t i = 0; i < places; i++)
        divisor *= 10;
    quotient = scaled / divisor;
    if (quotient >> 54 == 0)
        return false;
    shift = quotient >> 64 ? 64 - __builtin_clzll((uint64_t)(quotient >> 64)) : 0;
    top = (uint64_t)(quotient >> shift);
    /* The bits that are cut off count in the rounding of `top`, the last bit of which is never
     * kept. */
    top |= (uint128_t)top << shift != quotient || quotient * divisor != scaled;
    *value = (double)top * (double)((uint64_t)1 << shift) * 0x1p-64;
    return true;
}

/* The value that strtod gives for a short decimal without an exponent; false for other texts.
 * Tables are full of short decimals, and strtod takes several times as long. */
static bool quick_real(const char *text, size_t length, double *value)
{
    uint64_t digits = 0;
    size_t places = 0;
    bool after_point = false;

    if (length > DIGITS_SAFE)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '.') {
            after_point = true;
            continue;
        }
        if (!is_digit(text[i]))
            return false;
        digits = digits * 10 + (uint64_t)(text[i] - '0');
        places += after_point;
    }
    *value = (double)digits;
    return places == 0 || divide(digits, places, value);
}

enum number_verdict number_parse_real(const char *text, size_t length, double min, double max,
                                      double *value)
{
    char copy[REAL_LENGTH_MAX + 1];
    double parsed;

    assert(min <= max);
    if (length > REAL_LENGTH_MAX || !is_decimal(text, length))
        return NUMBER_MALFORMED;
    if (!quick_real(text, length, &parsed)) {
        memcpy(copy, text, length);
        copy[length] = '\0';
        parsed = strtod(copy, NULL);
    }
    if (!(parsed >= min && parsed <= max))
        return NUMBER_OUT_OF_RANGE;
    *value = parsed;
    return NUMBER_OK;
}

char *number_print_real(double value, char text[NUMBER_TEXT_BYTES])
{
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, NUMBER_TEXT_BYTES, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}
