/* trace_bounds.h - what no policy can do better than on a trace. */
#ifndef BOUND_TRACE_BOUNDS_H
#define BOUND_TRACE_BOUNDS_H

#include "scheduler/bound/bound.h"
#include "scheduler/state/submission.h"

/* A bound of tenths as a value. */
static inline double bound_value(int64_t tenths)
{
    return (double)tenths / LEVEL_VALUE_FULL;
}

struct trace_bounds {
    int gpus;
    int64_t jobs;
    int64_t deadline_jobs;       /* not best effort */
    int64_t alone;               /* of these end on time each alone on an empty cluster */
    struct bound free;           /* starts cost nothing */
    struct bound with_overheads; /* each level that a job trains at is paid for by a start */
    int64_t slot_s;              /* 0 if the two that follow were not asked for */
    struct bound free_in_slots;
    struct bound with_overheads_in_slots;
    bool has_values;    /* some job is not worth 1, or is worth less after a date; else all 0: */
    struct bound value; /* in tenths, starts cost nothing */
    struct bound value_with_overheads; /* as above */
};

/* The bounds of jobs that have rows of a throughput table; `starts` is the price of a start in
 * those with overheads. Each bound is looked for in so many seconds; 0 is no limit.
 *
 * Bounds in slots, unless `slot_s` is 0, are of schedulers whose rounds come at the multiples of
 * `slot_s`: a job that is submitted between two of them begins at the second one at the earliest.
 * They say nothing about schedulers whose rounds may come at any time, such as the policies here,
 * whose rounds are only a slot apart. */
struct trace_bounds trace_bounds_find(submissions_t *jobs, int gpus, enum starts starts,
                                      int64_t slot_s, double seconds);

#endif
