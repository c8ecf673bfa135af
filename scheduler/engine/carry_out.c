/* carry_out.c - the layout of a round goes to trainers, where there are any: who holds which GPUs from now
 * on, and whom they left. */
#include "scheduler/engine/round.h"

#include "common/log.h"
#include "common/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static bool counts_iterations(const engine_t *self)
{
    return self->rules->work == WORK_ITERATIONS || self->rules->work == WORK_EITHER;
}

double round_expected_rate(const engine_t *self, const struct job *job)
{
    if (counts_iterations(self))
        return job->scaling->rate[job->level];
    return (double)job->submission->iterations /
           (double)(job->submission->duration_s > 0 ? job->submission->duration_s : 1);
}

int64_t round_step(const engine_t *self, const struct job *job)
{
    const double iterations = (double)job->submission->iterations;
    double done = iterations - job->iterations_left;

    if (!counts_iterations(self))
        done = job->submission->duration_s > 0
                   ? iterations * (double)job->attained_s / (double)job->submission->duration_s
                   : iterations;
    if (job->state == JOB_DONE || done > iterations)
        done = iterations;
    return done > 0 ? (int64_t)floor(done) : 0;
}

static int compare_ranks(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static int assign(engine_t *self, struct job *job, arena_t *memory, struct assignment *assignment,
                  struct error *error)
{
    const int gpus = job_gpus(job);
    int *ranks = arena_alloc(memory, (size_t)gpus * sizeof(*ranks));
    const int count = cluster_ranks(self->cluster, job, ranks);

    if (count != gpus)
        return error_set(error,
                         "job %s: the layout has %d of its %d GPUs on nodes that it does not hold "
                         "(EF-Q23), which no real cluster can do",
                         job->submission->id, gpus - count, gpus);
    qsort(ranks, (size_t)count, sizeof(*ranks), compare_ranks);
    *assignment = (struct assignment){.job = job,
                                      .step = round_step(self, job),
                                      .rate = round_expected_rate(self, job),
                                      .overhead_s = round_price(self, job),
                                      .ranks = ranks,
                                      .rank_count = count};
    return 0;
}

static enum release_why why_released(const struct job *job)
{
    if (job->state == JOB_DONE)
        return RELEASE_DONE;
    return job->state == JOB_FAILED ? RELEASE_HELD : RELEASE_PAUSED;
}

/* Who held GPUs in the round before and holds none now. */
static size_t collect_releases(engine_t *self, struct release *releases)
{
    size_t count = 0;

    for (size_t i = 0; i < self->assigned.count; i++) {
        const struct job *job = self->assigned.items[i];
        const bool live = job->state == JOB_PENDING || job->state == JOB_RUNNING;

        self->assigned.items[i]->assigned = false;
        if (!live || job->level == 0)
            releases[count++] = (struct release){job, round_step(self, job), why_released(job)};
    }
    return count;
}

static int64_t count_gpus(const struct orders *orders)
{
    int64_t gpus = 0;

    for (size_t i = 0; i < orders->assignment_count; i++)
        gpus += orders->assignments[i].rank_count;
    return gpus;
}

static void log_plan(const engine_t *self, const struct orders *orders)
{
    log_event(&LOG_ABOUT_NOTHING, "plan",
              "round=%" PRId64 " at=%" PRId64 " jobs=%zu gpus=%" PRId64
              " live=%zu accepted=%" PRId64 " declined=%" PRId64 " settled=%" PRId64 " of=%" PRId64,
              orders->round, orders->now_s, orders->assignment_count, count_gpus(orders),
              self->live.count, self->accepted, self->declined, self->settled, self->job_count);
}

static bool restarts_trainers(const engine_t *self)
{
    const int64_t threshold = self->setting.restart_threshold;

    return threshold > 0 && self->rounds > 1 && (self->rounds - 1) % threshold == 0;
}

int round_carry_out(engine_t *self, struct error *error)
{
    arena_t *memory = self->orders_memory;
    struct orders orders = {
        .round = self->rounds, .now_s = self->now_s, .restart = restarts_trainers(self)};
    struct assignment *assignments;
    struct release *releases;

    arena_reset(memory);
    assignments = arena_alloc(memory, (self->live.count + 1) * sizeof(*assignments));
    releases = arena_alloc(memory, (self->assigned.count + 1) * sizeof(*releases));
    orders.release_count = collect_releases(self, releases);
    self->assigned.count = 0;
    for (size_t i = 0; i < self->live.count; i++) {
        if (self->live.items[i]->level == 0)
            continue;
        if (assign(self, self->live.items[i], memory, &assignments[orders.assignment_count++],
                   error) < 0)
            return -1;
        jobs_append(&self->assigned, self->live.items[i]);
        self->live.items[i]->assigned = true;
    }
    orders.assignments = assignments;
    orders.releases = releases;
    log_plan(self, &orders);
    return self->setting.backend->carry_out(self->setting.backend->self, &orders, error);
}
