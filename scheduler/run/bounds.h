/* bounds.h - upper bounds on the jobs on time of a run's trace, for any policy. */
#ifndef RUN_BOUNDS_H
#define RUN_BOUNDS_H

#include "scheduler/bound/trace_bounds.h"
#include "scheduler/run/simulation.h"

/* The bounds for the trace on the cluster of `simulation`, whatever its policy, and those in slots
 * unless `slot_s` is 0; -1 with `error`. */
int bounds_find(const struct simulation *simulation, enum starts starts, int64_t slot_s,
                double seconds, struct trace_bounds *bounds, struct error *error);

/* Finds the bounds that stand beside the figures of a run: for any policy, and for any policy that
 * pays the lowest price for its starts. */
int bounds_find_usual(const struct simulation *simulation, struct trace_bounds *bounds,
                      struct error *error);

#endif
