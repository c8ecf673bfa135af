/* bound.h - how many jobs can end on time at most, or how much value can be kept, under any
 * scheduler, even one that knows the future.
 *
 * Every schedule is a point of the linear program in liquid.h, in which GPUs are shared like a
 * liquid, levels are mixed, resizes are free, and a part of a job counts as that part. What is
 * returned is proven by rents (rents.h), which need not be the best ones: no rounding can make the
 * bound wrong, nor does it make a difference when the search ends.
 *
 * The search also makes plans in which whole jobs share GPUs like a liquid. One with as many jobs,
 * or as much value, as the bound shows that no argument about such plans gives a smaller one. */
#ifndef BOUND_BOUND_H
#define BOUND_BOUND_H

#include "common/error.h"
#include "scheduler/bound/need.h"

struct bound {
    int64_t jobs;     /* at most all; of needs that are worth tenths of a value, these tenths */
    int64_t gap;      /* so many fewer are in the best plan that was found */
    struct error why; /* a sentence if that is not 0 */
};

/* The bound for the worth of `needs`, whole numbers, as far as it comes in so many seconds; 0 is no
 * limit. */
struct bound bound_find(const struct need needs[], size_t need_count, int gpus, double seconds);

#endif
