/* grid.h - the time of a trace cut into intervals, at arrivals and deadlines or more coarsely. */
#ifndef BOUND_GRID_H
#define BOUND_GRID_H

#include "scheduler/bound/need.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Interval i goes from cuts_s[first[i]] to cuts_s[first[i + 1]]. Between two neighbouring cuts no
 * job comes or goes. */
struct grid {
    int64_t *cuts_s; /* rising */
    size_t cut_count;
    size_t *first; /* count + 1 of them */
    size_t count;
};

/* About `wanted` intervals with equally many arrivals and deadlines in each, or one from each cut
 * to the next if that is not more; the caller frees it. There is at least one need. */
struct grid grid_new(const struct need needs[], size_t need_count, size_t wanted);
void grid_free(struct grid *self);

/* Whether every interval goes from one cut to the next. */
bool grid_is_fine(const struct grid *self);

/* Cuts each of the intervals that `marked` names into two, as far as there is a cut in it. Returns
 * how many were cut. */
size_t grid_split(struct grid *self, const bool marked[]);

double grid_length_s(const struct grid *self, size_t interval);

/* The seconds of an interval that are the need's. */
double grid_overlap_s(const struct grid *self, size_t interval, const struct need *need);

/* The first interval that has a part of the need's time. It goes on until one begins after its
 * end, see grid_meets. */
size_t grid_find(const struct grid *self, const struct need *need);
bool grid_meets(const struct grid *self, size_t interval, const struct need *need);

/* How many pairs there are of a step of a need and an interval that has a part of its time. */
size_t grid_pairs(const struct grid *self, const struct need needs[], size_t need_count);

#endif
