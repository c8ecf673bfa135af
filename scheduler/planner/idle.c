/* idle.c - see idle.h. */
#include "scheduler/planner/idle.h"

/* The fewest GPUs on which it runs; 0 if there are not as many. */
static int gpus_least(const struct scaling *scaling)
{
    for (int level = 1; level <= scaling->reach; level++)
        if (scaling->rate[level] > 0)
            return scaling->gpus[level];
    return 0;
}

bool idle_is(struct idle *self, const struct job *job, int gpus)
{
    const int least = gpus_least(job->scaling);
    const int size = scaling_class(least);

    if (least == 0)
        return true;
    if (self->counts[size] > 0 && job->arrival < self->last[size])
        return false;
    self->last[size] = job->arrival;
    return self->counts[size]++ >= (size_t)(gpus / least);
}
