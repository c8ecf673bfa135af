/* pricing.h - the prices of tasks, and whether GPU time is so scarce that a task had better not
 * have it. */
#ifndef PLANNER_PRICING_H
#define PLANNER_PRICING_H

#include "scheduler/planner/demand.h"
#include "scheduler/planner/task_list.h"
#include "scheduler/state/worth.h"

/* Loads (demand_load) from which on GPU time is scarce, promised jobs grow before all others, and
 * not all jobs can end in time. How they were found: docs/promises.md. */
#define LOAD_SCARCE 0.4
#define LOAD_HIGH   0.6
#define LOAD_FULL   0.9

/* By what a round prices its tasks; all is lent. */
struct pricing {
    struct planner *planner;
    struct demand *demand;
    const struct task_list *promised;
    enum promise_objective objective;
    bool holds_losses; /* prices hold losses of nodes that may never be */
    double load;       /* see demand_load; 0 where prices hold such losses */
};

/* The load is that of all jobs that came so far. */
void pricing_renew_load(struct pricing *self);

/* `task`, which comes alone with this round, came with these prices; the load is renewed. How
 * scarce GPU time is hangs on the deadline of an arrival, too. */
void pricing_hear(struct pricing *self, const struct task *task);

/* `task` is tried with that deadline: its prices are those of the deadline. */
void pricing_until(const struct pricing *self, struct task *task, int64_t deadline_s);

/* Whether `task` leaves enough GPU time for the promised jobs and for cheaper ones to come;
 * `margin` is in standard deviations of what these will need. `planned` GPU-seconds are what the
 * courses of the promised jobs take up to its deadline; INFINITY: an even share counts alone. */
bool pricing_holds(const struct pricing *self, const struct task *task, double margin,
                   double planned);

/* The same beside what the courses of the promised jobs take now. */
bool pricing_holds_now(const struct pricing *self, const struct task *task, double margin);

#endif
