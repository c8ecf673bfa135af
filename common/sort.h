/* sort.h - stable sorts by one number or by several, fast on what is almost in order already.
 *
 * Lists of jobs are sorted several times a round, each time starting from the order of the last:
 * equal keys keep their order, so the result depends on all sorts before. For a descending order,
 * negate the keys. */
#ifndef COMMON_SORT_H
#define COMMON_SORT_H

#include <stddef.h>
#include <stdint.h>

struct keyed {
    double key;
    size_t item;
};

/* Sorts by rising key; `scratch` has room for `count` more. */
void sort_keyed(struct keyed *items, size_t count, struct keyed *scratch);

/* Sorts by the first key, where that is equal by the second, and so on; all of them rise. */
#define RANK_KEYS 4

struct ranked {
    int64_t keys[RANK_KEYS];
    size_t item;
};

void sort_ranked(struct ranked *items, size_t count, struct ranked *scratch);

/* Sorts plain numbers, none of them NaN, by rising value. */
void sort_numbers(double *numbers, size_t count);

#endif
