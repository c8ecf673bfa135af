/* worth.h - the worth of ending a job in time. */
#ifndef STATE_WORTH_H
#define STATE_WORTH_H

#include "scheduler/state/submission.h"

/* The sum that promises maximise. */
enum promise_objective {
    PROMISE_JOBS,      /* the number of jobs */
    PROMISE_VALUE,     /* the values of jobs to their users */
    PROMISE_GPU_HOURS, /* the least GPU hours of jobs */
};

/* The worth of ending the job by that step of its deadline. */
double promise_worth(enum promise_objective objective, const struct submission *submission,
                     int step);

#endif
