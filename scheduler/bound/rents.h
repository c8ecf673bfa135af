/* rents.h - the bound on jobs on time that follows from rents of GPUs.
 *
 * Let the GPUs of each interval be let at some rent, and let a job be worth 1 on time, or its value
 * by the date by which it ends. No schedule keeps more worth than
 *
 *     the rent of all GPUs
 *     + sum over the jobs of the most, over the dates of the job and 0, of
 *           its worth by that date - the least rent that it needs until then,
 *
 * for the jobs that it ends pay no more than the rent of all GPUs. So any rents give a bound,
 * however they were found. The best ones, the duals of the program in liquid.h, give its optimum.
 *
 * The bound falls apart into regions: intervals with a rent that jobs connect which pay some of it.
 * The bound holds for each region by itself, whose worth is a whole number. */
#ifndef BOUND_RENTS_H
#define BOUND_RENTS_H

#include "scheduler/bound/grid.h"

/* Sets `least` to the least rent that each need pays for all of its work, or to its worth if that
 * is less. `rents` has a rent >= 0 for each interval: the rent of a GPU for the whole interval. */
void rents_least(const struct grid *grid, const struct need needs[], size_t need_count,
                 const double rents[], double least[]);

struct region {
    double bound; /* bound on the worth of its jobs, at most their total worth */
    double parts; /* worth of the parts of its jobs in some plan */
    double worth; /* total worth of its jobs by their first dates */
    size_t jobs;
};

/* Computes the regions of at least one need. `parts` holds the part of each job that some plan
 * does. The first region has all jobs that pay nothing. `regions` has room for an entry more than
 * the number of intervals. Returns the number of regions. */
size_t rents_regions(const struct grid *grid, const struct need needs[], size_t need_count,
                     int gpus, const double rents[], const double parts[], struct region regions[]);

#endif
