/* grid.h - the time of a trace cut into intervals, at arrivals and deadlines. */
#ifndef BOUND_GRID_H
#define BOUND_GRID_H

#include "scheduler/bound/need.h"

#include <stddef.h>
#include <stdint.h>

/* Interval i goes from cuts_s[i] to cuts_s[i + 1]. */
struct grid {
    int64_t *cuts_s; /* rising */
    size_t count;
};

/* The intervals that overlap a job's time, from `first` up to, but not including, `end`. All but
 * the first and the last lie within the job's time. */
struct grid_span {
    size_t first;
    size_t end;
    double first_share;
    double last_share;
};

/* The grid of at least one need, cut at every arrival and deadline, so that no job comes or goes
 * within an interval. The caller frees the grid. */
struct grid grid_new(const struct need needs[], size_t need_count);

/* Keeps every `step`th cut. Jobs may then do their work at any time of an interval. */
void grid_coarsen(struct grid *self, size_t step);

/* The number of pairs of a need and an interval that overlaps its time. */
size_t grid_pairs(const struct grid *self, const struct need needs[], size_t need_count);

void grid_free(struct grid *self);

double grid_length_s(const struct grid *self, size_t interval);

/* The intervals between the arrival and the deadline of `need`. */
struct grid_span grid_span(const struct grid *self, const struct need *need);

/* The share of an interval of `span` that lies within the job's time. */
double span_share(const struct grid_span *span, size_t interval);

#endif
