/* stays.h - when a node is there: spans of time that rise and do not touch. */
#ifndef STATE_STAYS_H
#define STATE_STAYS_H

#include <stdbool.h>
#include <stdint.h>

#define STAYS_MAX 32

struct known_stay {
    int64_t from_s;
    int64_t until_s; /* INT64_MAX if open */
};

struct stays {
    int count;
    struct known_stay items[STAYS_MAX];
};

/* A stay from `from_s` to `until_s`. */
struct stays stays_whole(int64_t from_s, int64_t until_s);

/* Leaves a time out of the last stays. The beginnings of the times that are left out do not fall.
 * With STAYS_MAX stays the node is not known to be there again. */
void stays_leave_out(struct stays *self, int64_t from_s, int64_t to_s);

/* The stays after the first. */
struct stays stays_after_first(const struct stays *self);

bool stays_equal(const struct stays *a, const struct stays *b);

/* Whether each stay of `other` is within a stay of `self`. */
bool stays_cover(const struct stays *self, const struct stays *other);

#endif
