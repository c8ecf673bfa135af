/* edf_planner.h - how the EDF baselines plan: in the order of deadlines each job takes the most
 * GPUs it may use, from now on, whenever they are free.
 *
 * Source: the published ElasticFlow artifact; its departures from the obvious are marked EF-Q... */
#ifndef REFERENCE_EDF_PLANNER_H
#define REFERENCE_EDF_PLANNER_H

#include "common/error.h"
#include "scheduler/plan/plan.h"
#include "scheduler/plan/timeline.h"
#include "scheduler/reference/deadline_planner.h"

#include <stdbool.h>

/* The part of a plan that is left out because it cannot change the answer. */
enum edf_extent {
    EDF_PLAN_ALL,
    EDF_STOP_IF_LATE, /* a late job settles the answer */
    EDF_STOP_IF_FULL, /* no GPU is free now, and a job that has not started needs no plan */
};

/* Plans all jobs of `view` in `order`, the order of their deadlines. Returns 1 if every deadline is
 * met, 0 if not, -1 with `error` where the artifact aborts. */
int edf_plan_all(const struct view *view, plan_t *plan, const struct keyed *order,
                 enum edf_extent extent, struct error *error);

/* The future of a job. */
struct edf_outcome {
    int level; /* level from now on */
    double end_s;
    bool met;
};

/* Plans `demand` into `free`, which is changed in place and needs room for two more entries. */
int edf_plan_job(const struct planning_grid *grid, const struct deadline_demand *demand,
                 struct timeline *free, struct edf_outcome *outcome, struct error *error);

#endif
