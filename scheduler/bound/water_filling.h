/* water_filling.h - where a job does its work at the least cost, if a GPU costs the more, the more
 * GPUs are taken at that time.
 *
 * The job fills each interval up to the load at which a GPU of its next step costs as much for the
 * work that it does as anywhere else: the water level. */
#ifndef BOUND_WATER_FILLING_H
#define BOUND_WATER_FILLING_H

#include "scheduler/bound/grid.h"

#include <stddef.h>

/* A stretch of time as the job finds it. */
struct stretch {
    double length_s;
    double load_gpus;  /* taken by others */
    double multiplier; /* price of a GPU-second at full capacity; >= 0 */
};

/* A GPU-second costs, at a load of so many GPUs,
 *
 *     slope * load  +  max(0, multiplier + stiffness * (load - capacity)). */
struct load_price {
    double capacity_gpus;
    double stiffness; /* > 0 */
    double slope;     /* > 0 */
};

/* The filling of one job: the part that is done, between 0 and 1, and the GPUs that it takes. */
struct filling {
    double part;
    double level; /* price of all of its work at the margin: where to look first next time */
    double *gpus; /* by interval of the job's time, on average */
};

/* The cost of a part of a job by one of its dates besides its GPUs, as the parts by all dates are
 * to be no more than the whole: for each more
 *
 *     max(0, price + stiffness * (all parts - 1)). */
struct date_seat {
    double price;
    double stiffness;
    double others; /* the parts by the other dates */
};

/* Chooses the part of a job that is worth doing, and the GPUs for it, at no more of a step in an
 * interval than that part of the job's share. `intervals` are all, those of `span` are the job's.
 * `filling` has what was chosen before, or 0. */
void water_fill(const struct need *need, const struct grid_span *span,
                const struct load_price *tariff, const struct stretch intervals[],
                const struct date_seat *seat, struct filling *filling);

#endif
