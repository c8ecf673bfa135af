/* vacancy.h - the number of GPUs that are free from now on, as a step function of time. Plans ask
 * how long a number of GPUs stays free.
 *
 * Each entry holds from its time to the next entry, the last entry for ever. Times are whole
 * seconds, and rise. Times and numbers stand in columns of their own, as most questions go through
 * the numbers alone, many at a time. */
#ifndef PLANNER_VACANCY_H
#define PLANNER_VACANCY_H

#include "common/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* GPUs that are taken from one time to a later time. */
struct span {
    int64_t from_s;
    int64_t to_s;
    int gpus;
};

struct vacancy {
    double *at_s;
    int *free_gpus;
    int count;
    int room;       /* capacity of the columns, in entries */
    arena_t *arena; /* memory of the columns */
};

/* Empties `self`: `gpus` GPUs are free from `from_s` on. */
void vacancy_clear(struct vacancy *self, double from_s, int gpus);

/* Adds an entry: `gpus` GPUs are free from `at_s` on. `at_s` is later than all entries. */
void vacancy_append(struct vacancy *self, double at_s, int gpus);

/* Makes `to` a copy of `self`. */
void vacancy_copy(const struct vacancy *self, struct vacancy *to);

/* Takes `gpus` GPUs, more than 0, from `from_s`, which is not before the first entry, to `to_s`.
 * Nothing changes if `to_s` is not after `from_s`. */
void vacancy_take(struct vacancy *self, double from_s, double to_s, int gpus);

/* Takes all `spans`, none of which begins before the first entry. Working memory for many spans
 * stays in the arena. */
void vacancy_take_all(struct vacancy *self, const struct span spans[], size_t count);

/* The entry in which `at_s` lies; `at_s` is not before the first entry. */
int vacancy_find(const struct vacancy *self, double at_s);

/* The first entry with fewer than `gpus` GPUs among those from `entry` on that begin before
 * `until_s`. If all have enough, the first entry that begins at `until_s` or later, or `count`. */
int vacancy_run_end(const struct vacancy *self, int entry, double until_s, int gpus);

/* The first entry of the run of entries that ends with `entry` and has at least `gpus` GPUs
 * throughout. The run is cut off at the entry in which `from_s` lies. */
int vacancy_run_start(const struct vacancy *self, int entry, double from_s, int gpus);

/* GPU-seconds taken, of `gpus` GPUs, from the first entry to `until_s`. */
double vacancy_taken(const struct vacancy *self, double until_s, int gpus);

/* The fewest free GPUs at any time from `from_s` to `to_s`. */
int vacancy_least(const struct vacancy *self, double from_s, double to_s);

#endif
