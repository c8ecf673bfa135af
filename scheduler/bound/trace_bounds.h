/* trace_bounds.h - what no policy can do better than on a trace. */
#ifndef BOUND_TRACE_BOUNDS_H
#define BOUND_TRACE_BOUNDS_H

#include "scheduler/bound/bound.h"

struct trace_bounds {
    int gpus;
    int64_t jobs;
    int64_t deadline_jobs;       /* not best effort */
    int64_t alone;               /* of these end on time each alone on an empty cluster */
    struct bound free;           /* starts cost nothing */
    struct bound with_overheads; /* each level that a job trains at is paid for by a start */
};

/* The bounds of jobs that have rows of a throughput table; `starts` is the price of a start in
 * `with_overheads`. Each bound is looked for in so many seconds; 0 is no limit. */
struct trace_bounds trace_bounds_find(submissions_t *jobs, int gpus, enum starts starts,
                                      double seconds);

#endif
