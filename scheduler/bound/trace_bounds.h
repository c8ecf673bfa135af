/* trace_bounds.h - upper bounds for all policies on a trace. */
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
    int64_t deadline_jobs; /* number of jobs with a deadline */
    int64_t alone;     /* number of these jobs that would end on time alone on an empty cluster */
    struct bound free; /* starts cost nothing */
    struct bound with_overheads; /* a job pays for a start at each level that it trains at */
    int64_t slot_s;              /* 0 if the two bounds in slots were not wanted */
    struct bound free_in_slots;
    struct bound with_overheads_in_slots;
    bool has_values; /* some job has a value other than 1, or a lower value after a date; otherwise
                        the values are 0 */
    struct bound value; /* in tenths; starts cost nothing */
    struct bound
        value_with_overheads; /* in tenths; each job pays for starts as in `with_overheads` */
};

/* The bounds of jobs that have rows of a throughput table. `starts` is the price of a start in
 * bounds with overheads. Each bound is searched for at most `seconds`; 0 is no limit.
 *
 * Bounds in slots, unless `slot_s` is 0, are for schedulers whose rounds come at the multiples of
 * `slot_s`: a job that is submitted between two rounds begins at the second round at the earliest.
 * Bounds in slots do not hold for schedulers whose rounds may come at any time, such as the
 * policies here, whose rounds are only at least a slot apart. */
struct trace_bounds trace_bounds_find(submissions_t *jobs, int gpus, enum starts starts,
                                      int64_t slot_s, double seconds);

#endif
