/* trace_bounds.c - see trace_bounds.h. */
#include "scheduler/bound/trace_bounds.h"

#include "common/memory.h"

#include <stdlib.h>

/* The needs of jobs that meet their deadlines alone; the caller frees them. */
static struct need *find_needs(submissions_t *jobs, int gpus, enum starts starts, size_t *count)
{
    const struct start_prices prices = start_prices_of(starts, gpus);
    struct need *needs = xmalloc((submissions_count(jobs) + 1) * sizeof(*needs));

    *count = 0;
    for (size_t i = 0; i < submissions_count(jobs); i++)
        *count += need_of(submissions_at(jobs, i), gpus, &prices, &needs[*count]);
    return needs;
}

static int64_t count_alone(submissions_t *jobs, int gpus)
{
    size_t count;

    free(find_needs(jobs, gpus, STARTS_NEW, &count));
    return (int64_t)count;
}

static int64_t count_deadlines(submissions_t *jobs)
{
    int64_t count = 0;

    for (size_t i = 0; i < submissions_count(jobs); i++)
        count += !submissions_at(jobs, i)->best_effort;
    return count;
}

static struct bound find(submissions_t *jobs, int gpus, enum starts starts, double seconds)
{
    size_t count;
    struct need *needs = find_needs(jobs, gpus, starts, &count);
    const struct bound bound = bound_find(needs, count, gpus, seconds);

    free(needs);
    return bound;
}

struct trace_bounds trace_bounds_find(submissions_t *jobs, int gpus, enum starts starts,
                                      double seconds)
{
    return (struct trace_bounds){.gpus = gpus,
                                 .jobs = (int64_t)submissions_count(jobs),
                                 .deadline_jobs = count_deadlines(jobs),
                                 .alone = count_alone(jobs, gpus),
                                 .free = find(jobs, gpus, STARTS_FREE, seconds),
                                 .with_overheads = find(jobs, gpus, starts, seconds)};
}
