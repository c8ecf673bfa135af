/* horizon.h - jobs that would outlive the nodes that they need. */
#ifndef PLANNER_HORIZON_H
#define PLANNER_HORIZON_H

#include "scheduler/planner/pricing.h"

/* Looks whether `task`, which has no promise, could be in time by a step of its deadline from the
 * step `first` on if it had all GPUs of the planner, where nothing is planned, to itself until
 * these are closed. If not, it can no more be in time: its price says so, and its stand until when
 * the nodes are known. */
void horizon_look(const struct pricing *pricing, struct task *task, int first);

#endif
