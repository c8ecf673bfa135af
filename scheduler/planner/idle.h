/* idle.h - which waiting jobs a round need not look at.
 *
 * GPUs that are left go to jobs that no deadline drives in the order of their arrival. Of those
 * that begin with the same number of GPUs only the first can get any, as many as there are GPUs
 * for. Others hold nothing and are planned nothing. */
#ifndef PLANNER_IDLE_H
#define PLANNER_IDLE_H

#include "scheduler/plan/view.h"

/* By the class of the GPUs that they begin with. All zero: none was met. */
struct idle {
    size_t counts[SCALING_CLASSES];
    uint64_t last[SCALING_CLASSES]; /* arrivals */
};

/* Whether `job`, which waits without a deadline, can get none of `gpus` GPUs after those that were
 * asked about before it. */
bool idle_is(struct idle *self, const struct job *job, int gpus);

#endif
