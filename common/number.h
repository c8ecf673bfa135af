/* number.h - numbers from text: the whole field or nothing, in the C locale, within a range; and
 * back again.
 *
 * strtol and strtod accept leading blanks, signs, "nan", "inf" and hexadecimal and stop silently at
 * the first odd character; nothing a user writes goes through them unchecked. */
#ifndef COMMON_NUMBER_H
#define COMMON_NUMBER_H

#include <stddef.h>
#include <stdint.h>

enum number_verdict {
    NUMBER_OK,
    NUMBER_MALFORMED,    /* no number in this notation */
    NUMBER_OUT_OF_RANGE, /* a number, but below `min` or above `max` */
};

/* Decimal digits only: no sign, no blank, no point. */
enum number_verdict number_parse_whole(const char *text, size_t length, int64_t min, int64_t max,
                                       int64_t *value);

/* Digits with an optional point and exponent ("12", "0.5", "3e-2"); never a sign, NaN or infinity.
 */
enum number_verdict number_parse_real(const char *text, size_t length, double min, double max,
                                      double *value);

#define NUMBER_TEXT_BYTES 32

/* Writes the fewest digits that read back as the same number: 0.1, not 0.10000000000000001. Returns
 * `text`. */
char *number_print_real(double value, char text[NUMBER_TEXT_BYTES]);

#endif
