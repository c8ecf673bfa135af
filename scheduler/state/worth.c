/* worth.c - see worth.h. */
#include "scheduler/state/worth.h"

#include "scheduler/state/throughput.h"

double promise_worth(enum promise_objective objective, const struct submission *submission,
                     int step)
{
    if (objective == PROMISE_GPU_HOURS)
        return throughput_least_gpu_s(submission->throughput) * (double)submission->iterations;
    if (objective == PROMISE_VALUE && submission->level_count > 0)
        return (double)submission->levels[step].value / LEVEL_VALUE_FULL;
    return 1;
}
