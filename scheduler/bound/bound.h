/* bound.h - the most jobs that can end on time, or the most value that can be kept, under any
 * scheduler, even a scheduler that knows the future.
 *
 * Every schedule is a point of the linear program in liquid.h, in which GPUs are shared like a
 * liquid, levels are mixed, resizes are free, and a part of a job counts as that part. Rents
 * (rents.h) prove the bound, and need not be the best rents: neither rounding nor an early end of
 * the search can make the bound wrong.
 *
 * The search also makes plans in which whole jobs share GPUs like a liquid. A plan with as many
 * jobs, or as much value, as the bound shows that no smaller bound can be proven for such plans. */
#ifndef BOUND_BOUND_H
#define BOUND_BOUND_H

#include "common/error.h"
#include "scheduler/bound/need.h"

struct bound {
    int64_t
        jobs;    /* upper bound on the jobs on time, or on tenths of value for needs worth tenths */
    int64_t gap; /* the best plan found falls short of the bound by this much */
    struct error why; /* a sentence if `gap` is not 0 */
};

/* The bound for the worth of `needs`, whole numbers, improved for at most `seconds`; 0 is no
 * limit. */
struct bound bound_find(const struct need needs[], size_t need_count, int gpus, double seconds);

#endif
