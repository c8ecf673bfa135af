/* grid.h - the time of a trace cut into intervals at all arrivals and deadlines. */
#ifndef BOUND_GRID_H
#define BOUND_GRID_H

#include "scheduler/bound/need.h"

#include <stddef.h>
#include <stdint.h>

/* Interval i goes from cuts_s[i] to cuts_s[i + 1]. No job comes or goes within one. */
struct grid {
    int64_t *cuts_s; /* rising */
    size_t count;
};

/* The intervals from `first` up to, but not including, `end`. */
struct span {
    size_t first;
    size_t end;
};

/* The grid of at least one need; the caller frees it. */
struct grid grid_new(const struct need needs[], size_t need_count);
void grid_free(struct grid *self);

double grid_length_s(const struct grid *self, size_t interval);

/* The intervals between the arrival and the deadline of one of the needs. */
struct span grid_span(const struct grid *self, const struct need *need);

#endif
