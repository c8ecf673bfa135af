/* promising.c - see promising.h. */
#include "scheduler/policies/promising.h"

#include "scheduler/state/throughput.h"

#include <stddef.h>
#include <string.h>

const char *const *promise_objective_names(void)
{
    static const char *const names[] = {[PROMISE_JOBS] = "promises",
                                        [PROMISE_VALUE] = "value",
                                        [PROMISE_GPU_HOURS] = "gpu-hours",
                                        NULL};

    return names;
}

enum promise_objective promise_objective_find(const char *name)
{
    size_t index = 0;

    while (promise_objective_names()[index + 1] &&
           strcmp(promise_objective_names()[index], name) != 0)
        index++;
    return (enum promise_objective)index;
}

double promise_worth(enum promise_objective objective, const struct submission *submission,
                     int step)
{
    if (objective == PROMISE_GPU_HOURS)
        return throughput_least_gpu_s(submission->throughput) * (double)submission->iterations;
    if (objective == PROMISE_VALUE && submission->level_count > 0)
        return (double)submission->levels[step].value / LEVEL_VALUE_FULL;
    return 1;
}
