/* sort.h - a stable sort by one number, fast on what is almost in order already.
 *
 * Lists of jobs are sorted several times a round, each time starting from the order of the last:
 * equal keys keep their order, so the result depends on all sorts before. For a descending order,
 * negate the keys. */
#ifndef COMMON_SORT_H
#define COMMON_SORT_H

#include <stddef.h>

struct keyed {
    double key;
    size_t item;
};

/* Sorts by rising key; `scratch` has room for `count` more. */
void sort_keyed(struct keyed *items, size_t count, struct keyed *scratch);

/* Sorts plain numbers, none of them NaN, by rising value. */
void sort_numbers(double *numbers, size_t count);

#endif
