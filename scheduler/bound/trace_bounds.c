/* trace_bounds.c - see trace_bounds.h. */
#include "scheduler/bound/trace_bounds.h"

#include "common/memory.h"

#include <stdlib.h>

/* A multiple of the slot. */
static int64_t next_round_s(int64_t time_s, int64_t slot_s)
{
    return (time_s + slot_s - 1) / slot_s * slot_s;
}

/* The sum to bound: the number of jobs, or the worth of jobs by each of their dates. */
enum sought { SOUGHT_JOBS, SOUGHT_VALUE };

/* The needs of jobs that meet their deadlines alone, from the next round after their submission on.
 * The caller frees them. Times are whole seconds, so a slot of 1 s moves no submission. */
static struct need *find_needs(submissions_t *jobs, int gpus, enum starts starts, int64_t slot_s,
                               enum sought sought, size_t *count)
{
    const size_t of_job = sought == SOUGHT_VALUE ? LEVELS_MAX : 1;
    const struct start_prices prices = start_prices_of(starts, gpus);
    struct need *needs = xmalloc((submissions_count(jobs) * of_job + 1) * sizeof(*needs));

    *count = 0;
    for (size_t i = 0; i < submissions_count(jobs); i++) {
        struct submission job = *submissions_at(jobs, i);

        job.submit_s = next_round_s(job.submit_s, slot_s);
        if (sought == SOUGHT_VALUE)
            *count += needs_of_dates(&job, gpus, &prices, &needs[*count]);
        else
            *count += need_of(&job, gpus, &prices, &needs[*count]);
    }
    return needs;
}

static int64_t count_alone(submissions_t *jobs, int gpus)
{
    size_t count;

    free(find_needs(jobs, gpus, STARTS_NEW, 1, SOUGHT_JOBS, &count));
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
                         enum sought sought, double seconds)
{
    size_t count;
    struct need *needs = find_needs(jobs, gpus, starts, slot_s, sought, &count);
    const struct bound bound = bound_find(needs, count, gpus, seconds);

    free(needs);
    return bound;
}

/* The bound in slots. `any`, the bound for all schedulers, also holds in slots, and replaces a
 * bound in slots that proves less. */
static struct bound find_in_slots(submissions_t *jobs, int gpus, enum starts starts, int64_t slot_s,
                                  const struct bound *any, double seconds)
{
    struct bound bound = find(jobs, gpus, starts, slot_s, SOUGHT_JOBS, seconds);

    if (bound.jobs > any->jobs) {
        bound.gap -= bound.jobs - any->jobs;
        bound.jobs = any->jobs;
    }
    return bound;
}

/* Whether any job is not worth 1 until its only deadline. */
static bool have_values(submissions_t *jobs)
{
    for (size_t i = 0; i < submissions_count(jobs); i++) {
        const struct submission *job = submissions_at(jobs, i);

        if (!job->best_effort && job->level_count > 0 &&
            (job->level_count > 1 || job->levels->value != LEVEL_VALUE_FULL))
            return true;
    }
    return false;
}

struct trace_bounds trace_bounds_find(submissions_t *jobs, int gpus, enum starts starts,
                                      int64_t slot_s, double seconds)
{
    struct trace_bounds self = {.gpus = gpus,
                                .jobs = (int64_t)submissions_count(jobs),
                                .deadline_jobs = count_deadlines(jobs),
                                .alone = count_alone(jobs, gpus),
                                .free = find(jobs, gpus, STARTS_FREE, 1, SOUGHT_JOBS, seconds),
                                .with_overheads = find(jobs, gpus, starts, 1, SOUGHT_JOBS, seconds),
                                .slot_s = slot_s,
                                .has_values = have_values(jobs)};

    if (slot_s > 0) {
        self.free_in_slots = find_in_slots(jobs, gpus, STARTS_FREE, slot_s, &self.free, seconds);
        self.with_overheads_in_slots =
            find_in_slots(jobs, gpus, starts, slot_s, &self.with_overheads, seconds);
    }
    if (self.has_values) {
        self.value = find(jobs, gpus, STARTS_FREE, 1, SOUGHT_VALUE, seconds);
        self.value_with_overheads = find(jobs, gpus, starts, 1, SOUGHT_VALUE, seconds);
    }
    return self;
}
