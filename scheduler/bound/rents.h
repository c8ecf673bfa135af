/* rents.h - what a rent of GPUs proves of how many jobs can end on time.
 *
 * Let the GPUs of each interval be let at some rent, and let a job be worth 1 on time. No schedule
 * ends more jobs on time than
 *
 *     the rent of all GPUs  +  sum over the jobs of max(0, 1 - the least rent that the job needs),
 *
 * for the jobs that it ends pay no more than the rent of all GPUs. So any rents give a bound,
 * however they were found. Those of the linear program in bound.h, its duals, give one that is no
 * larger than its optimum, and smaller where a job is on time by a part there. */
#ifndef BOUND_RENTS_H
#define BOUND_RENTS_H

#include "scheduler/bound/grid.h"

/* The bound by `rents`, one an interval, each >= 0: that of a GPU for the whole of the interval.
 * With rents of 0 it is the number of needs. */
double rents_bound(const struct grid *grid, const struct need needs[], size_t need_count, int gpus,
                   const double rents[]);

#endif
