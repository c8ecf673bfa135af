/* vacancy.h - how many GPUs are free from now on, for plans that ask how long so many stay free: a
 * step function of time.
 *
 * Each entry holds from its time to the next, the last one for ever; times are whole seconds, and
 * rise. Times and numbers stand in columns of their own, as most questions go through numbers
 * alone, many at a time. */
#ifndef PLANNER_VACANCY_H
#define PLANNER_VACANCY_H

#include "common/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* GPUs that are not free from one time to a later one. */
struct span {
    int64_t from_s;
    int64_t to_s;
    int gpus;
};

struct vacancy {
    double *at_s;
    int *free_gpus;
    int count;
    int room;       /* for entries */
    arena_t *arena; /* of the columns */
};

/* `gpus` GPUs are free from `from_s` on. */
void vacancy_clear(struct vacancy *self, double from_s, int gpus);

/* `gpus` GPUs are free from `at_s` on, which is later than all entries. */
void vacancy_append(struct vacancy *self, double at_s, int gpus);

/* `to` becomes `self`. */
void vacancy_copy(const struct vacancy *self, struct vacancy *to);

/* `gpus` GPUs, more than 0, are not free from one time, which is not before the first entry, to
 * another; nothing changes if that is not after it. */
void vacancy_take(struct vacancy *self, double from_s, double to_s, int gpus);

/* The same for so many spans, none of which begins before the first entry. What it needs for many
 * stays in the arena. */
void vacancy_take_all(struct vacancy *self, const struct span spans[], size_t count);

/* The entry that `at_s`, which is not before the first, is in. */
int vacancy_find(const struct vacancy *self, double at_s);

/* Of the entries from `entry` on which begin before `until_s` the first with fewer than `gpus`; if
 * none has, the first that begins later, which may be the count. */
int vacancy_run_end(const struct vacancy *self, int entry, double until_s, int gpus);

/* From `entry`, which has `gpus` at least, back to the first of those that all have as many, or to
 * the one that `from_s` is in. */
int vacancy_run_start(const struct vacancy *self, int entry, double from_s, int gpus);

/* GPU-seconds that are not free, of `gpus` GPUs, from the first entry to `until_s`. */
double vacancy_taken(const struct vacancy *self, double until_s, int gpus);

/* The fewest that are free from one time to another. */
int vacancy_least(const struct vacancy *self, double from_s, double to_s);

#endif
