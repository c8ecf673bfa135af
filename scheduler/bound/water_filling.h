/* water_filling.h - the cheapest times for a job to work, where the price of a GPU rises with the
 * number of GPUs taken at that time. The job fills each interval up to the load at which a GPU of
 * its next step costs as much for its work as in any other interval: the water level. */
#ifndef BOUND_WATER_FILLING_H
#define BOUND_WATER_FILLING_H

#include "scheduler/bound/grid.h"

#include <stddef.h>

/* An interval of time with the load of other jobs. */
struct stretch {
    double length_s;
    double load_gpus;  /* GPUs taken by other jobs */
    double multiplier; /* price of a GPU-second at full capacity; >= 0 */
};

/* The price of a GPU-second at a load of `load` GPUs is slope * load + max(0, multiplier +
 * stiffness * (load - capacity)). */
struct load_price {
    double capacity_gpus;
    double stiffness; /* > 0 */
    double slope;     /* > 0 */
};

/* The filling of a job: the part that is done, between 0 and 1, and the GPUs taken. */
struct filling {
    double part;
    double level; /* marginal price of all the job's work: the first guess of the next search */
    double *gpus; /* average GPUs, by interval of the job's time */
};

/* The cost of a part of a job by a date besides its GPUs. The parts by all dates should add up to
 * at most the whole job, so each unit more costs
 *
 * max(0, price + stiffness * (all parts - 1)). */
struct date_seat {
    double price;
    double stiffness;
    double others; /* sum of the parts by the other dates */
};

/* Chooses the part of a job that is worth doing, and the GPUs for this part. Of a step the job uses
 * in an interval at most this part of the job's share. `intervals` are all intervals, `span` is the
 * job's. `filling` holds the choice before, or 0. */
void water_fill(const struct need *need, const struct grid_span *span,
                const struct load_price *tariff, const struct stretch intervals[],
                const struct date_seat *seat, struct filling *filling);

#endif
