/* horizon.h - jobs that would outlive the nodes that they need. */
#ifndef PLANNER_HORIZON_H
#define PLANNER_HORIZON_H

#include "scheduler/planner/pricing.h"

/* Looks whether `task`, which has no promise, could be in time for a step of its deadline, from the
 * step `first` on, with all GPUs of the planner until they close. Nothing is planned yet. If not,
 * the job cannot be in time any more: its price becomes INFINITY, and its stand notes until when
 * the nodes are known. */
void horizon_look(const struct pricing *pricing, struct task *task, int first);

#endif
