/* quick_probe.h - what one more level would cost a job, without planning it piece by piece.
 *
 * If the GPUs that a plan asks for are free throughout, the sums over its pieces collapse into one
 * product, and the two pieces that matter (where the level is reached, where the job ends) are found
 * by bisection. Sums and products round differently; so whenever a comparison is closer than their
 * errors the probe gives no answer, and the caller plans piece by piece. An answer is always the
 * number that plan_deadline and reservation_gpu_seconds would give. */
#ifndef POLICIES_QUICK_PROBE_H
#define POLICIES_QUICK_PROBE_H

#include "scheduler/plan/timeline.h"
#include "scheduler/policies/deadline_planner.h"

#include <stdbool.h>

/* The free GPUs, and from when on how many of them are never taken. */
struct free_outlook {
    const struct timeline *free;
    double enough_from_s[SCALING_CLASSES]; /* from then on every entry is of this class or above */
};

void free_outlook_update(struct free_outlook *self, const struct timeline *free);

/* Plans `demand`, of a regular scaling, with `forced_level` held now, into what is free once
 * `reservation` is given back; `change_s` is when that first changes. If there is a quick answer,
 * sets the GPU seconds that such a plan holds, and `prospect` but for its finish, and returns
 * true. */
bool quick_probe(const struct planning_grid *grid, const struct free_outlook *outlook,
                 const struct demand *demand, const struct reservation *reservation,
                 int forced_level, double change_s, double *gpu_seconds,
                 struct prospect *prospect);

#endif
