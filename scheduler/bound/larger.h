/* larger.h - the larger and the smaller of two numbers that are not NaN.
 *
 * The library functions fmax and fmin also have to handle NaN. Calls of them took two fifths of the
 * time of a search. */
#ifndef BOUND_LARGER_H
#define BOUND_LARGER_H

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

#endif
