/* digits.h - numbers as decimal digits, written into the buffer of a line.
 *
 * Result files are mostly numbers, so a division for each digit and a call of printf for each real
 * number would be most of what it costs to write them. */
#ifndef COMMON_DIGITS_H
#define COMMON_DIGITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The most bytes that digits_* writes. */
#define DIGITS_BYTES ((size_t)24)

/* "00" to "99". */
extern const char digit_pairs[200];

/* 10^`index`, but 0 at 0. */
extern const uint64_t digit_bounds[20];

/* How many digits `value` has. */
static inline int digits_count(uint64_t value)
{
    const int bits = 64 - __builtin_clzll(value | 1);
    const int most = (bits * 1233) >> 12; /* bits times log10(2) */

    return most + (value >= digit_bounds[most]);
}

/* Writes `value` at `at`, without a NUL byte, and returns where the number ends. */
static inline char *digits_put(char *at, int64_t value)
{
    uint64_t rest = (uint64_t)value;
    char *end;
    char *first;

    if (value < 0) {
        *at++ = '-';
        rest = 0 - rest;
    }
    end = first = at + digits_count(rest);
    for (; rest >= 100; rest /= 100)
        memcpy(first -= 2, &digit_pairs[rest % 100 * 2], 2);
    if (rest >= 10)
        memcpy(at, &digit_pairs[rest * 2], 2);
    else
        *at = (char)('0' + rest);
    return end;
}

/* Writes the nine leading digits of `value` at `at` just as printf's "%.9g" does, without a NUL
 * byte, and returns where the number ends. */
char *digits_put_nine(char *at, double value);

#endif
