/* level.h - grants out of throughput tables, for policies that think in levels: the GPU counts that
 * a table has, see state/scaling.h. No one else knows what a level is. */
#ifndef PLAN_LEVEL_H
#define PLAN_LEVEL_H

#include "scheduler/state/job.h"

/* The grant of `job` at `level` of its scaling in `pool`. */
static inline struct grant level_grant(const struct job *job, int pool, int level)
{
    const struct scaling *scaling = job_scaling(job, pool);

    return (struct grant){.pool = pool, .gpus = scaling->gpus[level], .rate = scaling->rate[level]};
}

/* The same in the pool that the job is in. */
static inline struct grant level_grant_here(const struct job *job, int level)
{
    const struct scaling *scaling = job->scaling;

    return (struct grant){
        .pool = job->grant.pool, .gpus = scaling->gpus[level], .rate = scaling->rate[level]};
}

/* The level of what `job` holds now; 0 for none. */
static inline int level_held(const struct job *job)
{
    return job->grant.gpus > 0 ? job->scaling->fit[scaling_block_class(job->grant.gpus)] : 0;
}

#endif
