/* digits.c - see digits.h. */
#include "common/digits.h"

#include <math.h>
#include <stdio.h>

/* clang-format off */
const char digit_pairs[200] =
    "00010203040506070809" "10111213141516171819" "20212223242526272829" "30313233343536373839"
    "40414243444546474849" "50515253545556575859" "60616263646566676869" "70717273747576777879"
    "80818283848586878889" "90919293949596979899";
/* clang-format on */

#define KEPT          9  /* leading digits */
#define PLACES_MAX    12 /* places after the point, as in 0.000123456789 */
#define MANTISSA_BITS 53
#define WHOLE_MAX     1e9  /* from here on "%g" writes an exponent, */
#define PART_MIN      1e-4 /* and below this value */

__extension__ typedef unsigned __int128 uint128_t;

const uint64_t digit_bounds[20] = {0,
                                   10,
                                   100,
                                   1000,
                                   10000,
                                   100000,
                                   1000000,
                                   10000000,
                                   100000000,
                                   1000000000,
                                   10000000000,
                                   100000000000,
                                   1000000000000,
                                   10000000000000,
                                   100000000000000,
                                   1000000000000000,
                                   10000000000000000,
                                   100000000000000000,
                                   1000000000000000000,
                                   10000000000000000000u};

static uint64_t power(int places)
{
    return places > 0 ? digit_bounds[places] : 1;
}

/* `value` times 10^`places`, rounded to the nearest whole number and half to even, as glibc does.
 *
 * The product of the 53 bits of `value` and a power below 2^40 fits into 128 bits, so that the
 * rounding is exact. */
static uint64_t scaled(double value, int places)
{
    int exponent;
    const double mantissa = frexp(value, &exponent);
    const uint128_t product = (uint128_t)(uint64_t)ldexp(mantissa, MANTISSA_BITS) * power(places);
    const int shift = MANTISSA_BITS - exponent;
    const uint128_t half = (uint128_t)1 << (shift - 1);
    const uint128_t rest = product & (half | (half - 1));
    const uint64_t whole = (uint64_t)(product >> shift);

    return whole + (rest > half || (rest == half && whole % 2 == 1));
}

/* The number of places after the point that the leading digits of `value` take. */
static int places_of(double value)
{
    int places = KEPT;

    if (value < 1)
        for (double bound = 0.1; value < bound && places < PLACES_MAX; bound /= 10)
            places++;
    else
        for (double bound = 1; value >= bound && places > 0; bound *= 10)
            places--;
    return places;
}

/* Writes `number` / 10^`places`, without zeros at the end. */
static char *put_fraction(char *at, uint64_t number, int places)
{
    uint64_t part = number % power(places);

    at = digits_put(at, (int64_t)(number / power(places)));
    if (part == 0)
        return at;
    *at++ = '.';
    while (part < power(places - 1)) {
        *at++ = '0';
        places--;
    }
    while (part % 10 == 0)
        part /= 10;
    return digits_put(at, (int64_t)part);
}

char *digits_put_nine(char *at, double value)
{
    /* A value that nine digits round up to the next power of ten has a place fewer, which is a zero
     * and not written in any case. */
    if (value >= PART_MIN && value < WHOLE_MAX - 1)
        return put_fraction(at, scaled(value, places_of(value)), places_of(value));
    return at + snprintf(at, DIGITS_BYTES, "%.9g", value);
}
