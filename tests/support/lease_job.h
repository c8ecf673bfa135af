/* lease_job.h - a job of a policy that lends GPUs by the lease, in the few words in which a test
 * states it. */
#ifndef SUPPORT_LEASE_JOB_H
#define SUPPORT_LEASE_JOB_H

#include "scheduler/state/submission.h"

#include <stdbool.h>
#include <stdint.h>

#define LEASE_JOB_LEVELS 3

struct lease_job {
    const char *id;
    int64_t submit_s;
    int64_t duration_s;
    int gpus;

    /* Absolute deadlines up to the first of 0, and what they are worth; without any the job is one
     * of best effort. */
    struct job_level levels[LEASE_JOB_LEVELS];
    bool best_effort; /* it has lost its mark: it has a deadline all the same (CH-Q9) */
};

/* The job as a trace would have it. Id and levels are those of `stated`, lent. */
struct submission lease_job_make(const struct lease_job *stated);

#endif
