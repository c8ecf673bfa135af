/* lease_job.h - a job of a policy that lends GPUs by the lease, as a test states it. */
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

    /* Absolute deadlines and their values, up to the first deadline of 0. A job without a deadline
     * is best effort. */
    struct job_level levels[LEASE_JOB_LEVELS];
    bool best_effort; /* the trace marks the job as best effort though it has a deadline (CH-Q9) */
};

/* The job as a trace has it. `stated` lends its id and levels. */
struct submission lease_job_make(const struct lease_job *stated);

#endif
