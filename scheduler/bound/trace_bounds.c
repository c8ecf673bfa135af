/* trace_bounds.c - see trace_bounds.h. */
#include "scheduler/bound/trace_bounds.h"

#include "common/memory.h"

#include <stdlib.h>

/* A multiple of the slot. */
static int64_t next_round_s(int64_t time_s, int64_t slot_s)
{
    return (time_s + slot_s - 1) / slot_s * slot_s;
}

/* The needs of jobs that meet their deadlines alone, each from the next round after its submission
 * on; the caller frees them. Times are whole seconds: a slot of 1 s moves none. */
static struct need *find_needs(submissions_t *jobs, int gpus, enum starts starts, int64_t slot_s,
                               size_t *count)
{
    const struct start_prices prices = start_prices_of(starts, gpus);
    struct need *needs = xmalloc((submissions_count(jobs) + 1) * sizeof(*needs));

    *count = 0;
    for (size_t i = 0; i < submissions_count(jobs); i++) {
        struct submission job = *submissions_at(jobs, i);

        job.submit_s = next_round_s(job.submit_s, slot_s);
        *count += need_of(&job, gpus, &prices, &needs[*count]);
    }
    return needs;
}

static int64_t count_alone(submissions_t *jobs, int gpus)
{
    size_t count;

    free(find_needs(jobs, gpus, STARTS_NEW, 1, &count));
    return (int64_t)count;
}

static int64_t count_deadlines(submissions_t *jobs)
{
    int64_t count = 0;

    for (size_t i = 0; i < submissions_count(jobs); i++)
        count += !submissions_at(jobs, i)->best_effort;
    return count;
}

static struct bound find(submissions_t *jobs, int gpus, enum starts starts, int64_t slot_s,
                         double seconds)
{
    size_t count;
    struct need *needs = find_needs(jobs, gpus, starts, slot_s, &count);
    const struct bound bound = bound_find(needs, count, gpus, seconds);

    free(needs);
    return bound;
}

/* The bound in slots. `any`, which holds for all schedulers, holds for these too: a search that
 * proves less is not heeded as far as that. */
static struct bound find_in_slots(submissions_t *jobs, int gpus, enum starts starts, int64_t slot_s,
                                  const struct bound *any, double seconds)
{
    struct bound bound = find(jobs, gpus, starts, slot_s, seconds);

    if (bound.jobs > any->jobs) {
        bound.gap -= bound.jobs - any->jobs;
        bound.jobs = any->jobs;
    }
    return bound;
}

struct trace_bounds trace_bounds_find(submissions_t *jobs, int gpus, enum starts starts,
                                      int64_t slot_s, double seconds)
{
    struct trace_bounds self = {.gpus = gpus,
                                .jobs = (int64_t)submissions_count(jobs),
                                .deadline_jobs = count_deadlines(jobs),
                                .alone = count_alone(jobs, gpus),
                                .free = find(jobs, gpus, STARTS_FREE, 1, seconds),
                                .with_overheads = find(jobs, gpus, starts, 1, seconds),
                                .slot_s = slot_s};

    if (slot_s > 0) {
        self.free_in_slots = find_in_slots(jobs, gpus, STARTS_FREE, slot_s, &self.free, seconds);
        self.with_overheads_in_slots =
            find_in_slots(jobs, gpus, starts, slot_s, &self.with_overheads, seconds);
    }
    return self;
}
