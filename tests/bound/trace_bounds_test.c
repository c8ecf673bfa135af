/* trace_bounds_test.c - bounds in slots are those of jobs that are submitted at the next round, and
 * hold for all schedules of few jobs that change at rounds only.
 *
 * RUBATO_SEED chooses the random jobs, RUBATO_TIMES how many sets of them there are. */
#include "common/rng.h"
#include "scheduler/bound/trace_bounds.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#define TIMES     200
#define JOBS_MAX  4
#define SLOT_S    INT64_C(4)
#define SLOTS     3
#define SECONDS   (SLOTS * SLOT_S)
#define GPUS_MAX  2
#define LEVEL_MAX 2

static const double rate_of[LEVEL_MAX + 1] = {0, 2, 3};

static const struct throughput_row row = {.model = "model",
                                          .batch_size = 64,
                                          .level_count = LEVEL_MAX,
                                          .gpus = {1, 2},
                                          .iters_per_s = {2, 3}};

static struct submission random_job(rng_t *rng)
{
    const int64_t submit_s = (int64_t)rng_below(rng, (uint64_t)(SECONDS - SLOT_S));
    const int64_t window_s = 1 + (int64_t)rng_below(rng, (uint64_t)(SECONDS - submit_s));

    return (struct submission){.id = "job",
                               .model = "model",
                               .throughput = &row,
                               .submit_s = submit_s,
                               .deadline_s = submit_s + window_s,
                               .iterations = 1 + (int64_t)rng_below(rng, 16),
                               .batch_size = 64};
}

/* ---- all schedules of few jobs, round by round ---- */

struct schedule {
    const struct submission *jobs;
    size_t count;
    int gpus;
    double left[JOBS_MAX]; /* iterations */
    bool late[JOBS_MAX];
};

static int best_of_jobs(struct schedule *self, int round, size_t job, int free_gpus);

/* The most jobs on time if rounds before `round` went as they did. */
static int best_from(struct schedule *self, int round)
{
    int on_time = 0;

    if (round < SLOTS)
        return best_of_jobs(self, round, 0, self->gpus);
    for (size_t j = 0; j < self->count; j++)
        on_time += self->left[j] <= 0 && !self->late[j];
    return on_time;
}

/* The job holds `gpus` from this round to the next. */
static int best_with(struct schedule *self, int round, size_t job, int gpus, int free_gpus)
{
    const double left = self->left[job];
    const double end_s = (double)(round * SLOT_S) + left / rate_of[gpus];
    int best;

    self->left[job] = left - rate_of[gpus] * (double)SLOT_S;
    self->late[job] = self->left[job] <= 0 && end_s > (double)self->jobs[job].deadline_s;
    best = best_of_jobs(self, round, job + 1, free_gpus - gpus);
    self->left[job] = left;
    self->late[job] = false;
    return best;
}

/* The jobs from `job` on share so many GPUs in this round. */
static int best_of_jobs(struct schedule *self, int round, size_t job, int free_gpus)
{
    int best;

    if (job == self->count)
        return best_from(self, round + 1);
    best = best_of_jobs(self, round, job + 1, free_gpus);
    if (self->left[job] <= 0 || self->jobs[job].submit_s > round * SLOT_S)
        return best;
    for (int gpus = 1; gpus <= LEVEL_MAX && gpus <= free_gpus; gpus++) {
        const int found = best_with(self, round, job, gpus, free_gpus);

        best = found > best ? found : best;
    }
    return best;
}

static int best_schedule(const struct submission jobs[], size_t count, int gpus)
{
    struct schedule schedule = {.jobs = jobs, .count = count, .gpus = gpus};

    for (size_t j = 0; j < count; j++)
        schedule.left[j] = (double)jobs[j].iterations;
    return best_from(&schedule, 0);
}

/* ---- */

static struct trace_bounds bounds_of(const struct submission jobs[], size_t count, int gpus,
                                     int64_t slot_s)
{
    submissions_t *submissions = submissions_new();
    struct trace_bounds bounds;

    for (size_t j = 0; j < count; j++)
        submissions_append(submissions, &jobs[j]);
    bounds = trace_bounds_find(submissions, gpus, STARTS_FREE, slot_s, 0);
    submissions_destroy(&submissions);
    return bounds;
}

TEST(no_schedule_by_rounds_beats_the_bound_in_slots)
{
    rng_t rng = rng_new(test_seed(), "schedules in slots");
    int64_t reached = 0;
    int64_t below = 0;

    for (long i = test_times(TIMES); i > 0; i--) {
        const size_t count = 1 + rng_below(&rng, JOBS_MAX);
        const int gpus = 1 + (int)rng_below(&rng, GPUS_MAX);
        struct submission jobs[JOBS_MAX];
        struct trace_bounds bounds;
        int best;

        for (size_t j = 0; j < count; j++)
            jobs[j] = random_job(&rng);
        bounds = bounds_of(jobs, count, gpus, SLOT_S);
        best = best_schedule(jobs, count, gpus);
        if (best > bounds.free_in_slots.jobs || bounds.free_in_slots.jobs > bounds.free.jobs)
            fail_msg("%d jobs by rounds, %ld in slots and %ld at any time at most", best,
                     (long)bounds.free_in_slots.jobs, (long)bounds.free.jobs);
        reached += best == bounds.free_in_slots.jobs;
        below += bounds.free_in_slots.jobs < bounds.free.jobs;
    }
    assert_true(2 * reached >= test_times(TIMES));
    assert_true(10 * below >= test_times(TIMES));
}

TEST(bounds_in_slots_are_those_of_jobs_submitted_at_rounds)
{
    rng_t rng = rng_new(test_seed(), "submitted at rounds");

    for (long i = test_times(TIMES); i > 0; i--) {
        const size_t count = 1 + rng_below(&rng, JOBS_MAX);
        struct submission jobs[JOBS_MAX];
        struct trace_bounds bounds;

        for (size_t j = 0; j < count; j++)
            jobs[j] = random_job(&rng);
        bounds = bounds_of(jobs, count, 1, SLOT_S);
        for (size_t j = 0; j < count; j++)
            while (jobs[j].submit_s % SLOT_S != 0)
                jobs[j].submit_s++;
        assert_int_equal(bounds.free_in_slots.jobs, bounds_of(jobs, count, 1, 0).free.jobs);
    }
}

TEST(without_a_slot_there_are_no_bounds_in_slots)
{
    rng_t rng = rng_new(test_seed(), "no slot");
    const struct submission job = random_job(&rng);

    assert_int_equal(bounds_of(&job, 1, 1, 0).slot_s, 0);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
