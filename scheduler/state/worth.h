/* worth.h - what it is worth to end a job in time. */
#ifndef STATE_WORTH_H
#define STATE_WORTH_H

#include "scheduler/state/submission.h"

/* Of what as much as can be is to end in time. */
enum promise_objective {
    PROMISE_JOBS,      /* jobs, each like the others */
    PROMISE_VALUE,     /* the worth of jobs to their users */
    PROMISE_GPU_HOURS, /* the least that they take */
};

/* The worth of ending such a job by that step of its deadline. */
double promise_worth(enum promise_objective objective, const struct submission *submission,
                     int step);

#endif
