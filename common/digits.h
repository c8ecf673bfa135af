/* digits.h - numbers as decimal digits, written to where a line is put together.
 *
 * Result files are mostly numbers, so a division for each digit and a call of printf for each real
 * number would be most of what it costs to write them. */
#ifndef COMMON_DIGITS_H
#define COMMON_DIGITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The most bytes that either function below writes. */
#define DIGITS_BYTES ((size_t)24)

/* "00" to "99". */
extern const char digit_pairs[200];

/* Writes `value` at `at`, without a NUL byte, and returns where the number ends. */
static inline char *digits_put(char *at, int64_t value)
{
    uint64_t rest = (uint64_t)value;
    char text[DIGITS_BYTES];
    char *first = text + sizeof(text);

    if (value < 0) {
        *at++ = '-';
        rest = 0 - rest;
    }
    while (rest >= 100) {
        first -= 2;
        memcpy(first, &digit_pairs[rest % 100 * 2], 2);
        rest /= 100;
    }
    if (rest < 10) {
        *at++ = (char)('0' + rest);
    } else {
        memcpy(at, &digit_pairs[rest * 2], 2);
        at += 2;
    }
    while (first < text + sizeof(text)) {
        memcpy(at, first, 2);
        at += 2;
        first += 2;
    }
    return at;
}

/* Writes the nine leading digits of `value` at `at` just as printf's "%.9g" does, without a NUL
 * byte, and returns where the number ends. */
char *digits_put_nine(char *at, double value);

#endif
