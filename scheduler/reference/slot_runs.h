/* slot_runs.h - a set of lease slots, kept as runs of neighbours.
 *
 * Slots are numbered from the beginning of time: slot k lasts from k to k + 1 lease terms. */
#ifndef REFERENCE_SLOT_RUNS_H
#define REFERENCE_SLOT_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The slots from `from` up to, but without, `to`. */
struct slot_run {
    int64_t from;
    int64_t to;
};

/* Runs in rising order, none empty, no two that touch. */
struct slot_runs {
    struct slot_run *items;
    size_t count;
    size_t capacity;
};

void slot_runs_free(struct slot_runs *self);

static inline void slot_runs_clear(struct slot_runs *self)
{
    self->count = 0;
}

/* Appends the slots `from` up to, but not including, `to`, which come after all earlier ones. */
void slot_runs_append(struct slot_runs *self, int64_t from, int64_t to);

bool slot_runs_has(const struct slot_runs *self, int64_t slot);

/* The number of slots in all runs. */
int64_t slot_runs_total(const struct slot_runs *self);

/* The first slot after the last run; 0 if there is none. */
static inline int64_t slot_runs_end(const struct slot_runs *self)
{
    return self->count > 0 ? self->items[self->count - 1].to : 0;
}

bool slot_runs_equal(const struct slot_runs *self, const struct slot_runs *other);

/* Copies `other` to `self`. */
void slot_runs_copy(struct slot_runs *self, const struct slot_runs *other);

/* Moves the first `count` slots, or all if there are fewer, to `first`. */
void slot_runs_split_first(struct slot_runs *self, int64_t count, struct slot_runs *first);

/* Drops all slots before `slot`. */
void slot_runs_drop_before(struct slot_runs *self, int64_t slot);

#endif
