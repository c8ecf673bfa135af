/* lease_job.c - see lease_job.h. */
#include "tests/support/lease_job.h"

static size_t count_levels(const struct lease_job *stated)
{
    size_t count = 0;

    while (count < LEASE_JOB_LEVELS && stated->levels[count].deadline_s > 0)
        count++;
    return count;
}

struct submission lease_job_make(const struct lease_job *stated)
{
    const size_t levels = count_levels(stated);
    const bool best_effort = stated->best_effort || levels == 0;

    return (struct submission){.id = stated->id,
                               .model = "resnet50",
                               .submit_s = stated->submit_s,
                               .deadline_s =
                                   best_effort ? DEADLINE_NONE_S : stated->levels[0].deadline_s,
                               .iterations = 1 + stated->duration_s,
                               .batch_size = 64,
                               .gpus_requested = stated->gpus,
                               .duration_s = stated->duration_s,
                               .best_effort = best_effort,
                               .levels = stated->levels,
                               .level_count = levels};
}
