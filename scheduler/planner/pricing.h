/* pricing.h - the prices of tasks, and whether GPU time is so scarce that a task should rather not
 * have any. */
#ifndef PLANNER_PRICING_H
#define PLANNER_PRICING_H

#include "scheduler/planner/demand.h"
#include "scheduler/planner/task_list.h"
#include "scheduler/state/worth.h"

/* Loads (demand_load) from which GPU time is scarce, promised jobs grow before all others, and not
 * all jobs can end in time. docs/promises.md tells how the numbers were found. */
#define LOAD_SCARCE 0.4
#define LOAD_HIGH   0.6
#define LOAD_FULL   0.9

/* The parts by which a round prices its tasks, all borrowed. */
struct pricing {
    struct planner *planner;
    struct demand *demand;
    const struct task_list *promised;
    enum promise_objective objective;
    bool holds_losses; /* prices hold losses of nodes that may never happen */
    double load;       /* see demand_load; 0 if `holds_losses` */
};

/* Sets the load to the load of all jobs that have come so far. */
void pricing_renew_load(struct pricing *self);

/* Tells the demand that `task`, which arrives alone in this round, has these prices, and renews the
 * load. The scarcity of GPU time depends on the deadline of an arrival, too. */
void pricing_hear(struct pricing *self, const struct task *task);

/* Tries `task` with `deadline_s`: its prices become those of this deadline. */
void pricing_until(const struct pricing *self, struct task *task, int64_t deadline_s);

/* Whether `task` leaves enough GPU time for the promised jobs and for cheaper jobs to come.
 * `margin` is in standard deviations of the time that jobs to come will need. `planned` is the
 * GPU-seconds that the courses of promised jobs take up to the deadline; with INFINITY an even
 * share counts alone. */
bool pricing_holds(const struct pricing *self, const struct task *task, double margin,
                   double planned);

/* pricing_holds() with the GPU-seconds that the courses of promised jobs take now. */
bool pricing_holds_now(const struct pricing *self, const struct task *task, double margin);

#endif
