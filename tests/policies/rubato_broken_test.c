/* rubato_broken_test.c - under rubato a job whose promise did not hold is not put behind jobs that
 * were promised nothing: while it waits none of these begins that needs as many GPUs. Whatever jobs
 * come, and whatever work is lost.
 *
 * RUBATO_SEED chooses the first seed, RUBATO_TIMES how many there are. */
#include "common/memory.h"
#include "common/rng.h"
#include "scheduler/engine/engine.h"
#include "scheduler/policies/promising.h"
#include "tests/support/seed.h"
#include "tests/support/tables.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS      1000
#define JOBS       40
#define LOSSES_MAX 3 /* of a job */
#define LOSS_S_MAX 3000

static uint64_t seed;

/* ---- what is drawn ---- */

struct play {
    struct cluster_spec cluster;
    int64_t slot_s;
    struct throughput_row rows[JOBS];
    struct submission jobs[JOBS];
    struct job_level levels[JOBS];
    char ids[JOBS][16];
};

static void pick_row(rng_t *rng, struct throughput_row *row)
{
    const throughput_table_t *table = tables_for_engine(tables_a100());
    const int least = 1 << test_pick(rng, 3);

    do {
        *row = *throughput_row_at(table, rng_below(rng, throughput_count(table)));
        throughput_limit(row, least, least << test_pick(rng, 3));
    } while (row->level_count == 0 || !(row->iters_per_s[0] > 0));
}

/* Half have a deadline, most of them one that leaves little time. */
static void pick_job(rng_t *rng, struct play *play, size_t i, int64_t submit_s)
{
    const double duration_s = rng_log_uniform(rng, 100, 10000);
    struct throughput_row *row = &play->rows[i];
    struct submission *job = &play->jobs[i];

    pick_row(rng, row);
    (void)snprintf(play->ids[i], sizeof(play->ids[i]), "job-%zu", i);
    *job = (struct submission){.id = play->ids[i],
                               .number = i,
                               .throughput = row,
                               .model = row->model,
                               .batch_size = row->batch_size,
                               .submit_s = submit_s,
                               .duration_s = -1,
                               .iterations = 1 + (int64_t)(duration_s * row->iters_per_s[0]),
                               .gpus_requested = row->gpus[0],
                               .deadline_s = DEADLINE_NONE_S,
                               .best_effort = test_pick(rng, 2) == 0};
    if (job->best_effort)
        return;
    job->deadline_s = submit_s + (int64_t)(duration_s * (0.8 + rng_unit(rng)));
    play->levels[i] = (struct job_level){job->deadline_s, LEVEL_VALUE_FULL};
    job->levels = &play->levels[i];
    job->level_count = 1;
}

static void pick_play(rng_t *rng, struct play *play)
{
    static const struct cluster_spec clusters[] = {CLUSTER_OF(1, 1, 8), CLUSTER_OF(1, 2, 4),
                                                   CLUSTER_OF(1, 1, 4), CLUSTER_OF(1, 3, 4),
                                                   CLUSTER_OF(1, 2, 8)};
    static const int slots[] = {0, 1, 30, 60, 240};
    const int gap_s = 1 + test_pick(rng, 1500);
    int64_t at_s = 0;

    play->cluster = clusters[test_pick(rng, COUNT(clusters))];
    play->slot_s = slots[test_pick(rng, COUNT(slots))];
    for (size_t i = 0; i < JOBS; i++) {
        at_s += test_pick(rng, 3) ? test_pick(rng, gap_s) : 0;
        pick_job(rng, play, i, at_s);
    }
}

/* ---- what is looked at ---- */

/* The state of a job after the step before. */
struct before {
    bool was_promised;
    bool waits; /* it holds nothing, and no deadline drives it */
};

struct watch {
    const struct play *play;
    struct before before[JOBS];
    int losses[JOBS];
    int broken; /* waits of jobs whose promise did not hold, and that ended with GPUs */
    int begun;  /* of jobs that were promised nothing, while none of those waited */
};

static double fastest(const struct job *job)
{
    double best = 0;

    for (int level = 1; level <= job->scaling->reach; level++)
        best = fmax(best, job->scaling->rate[level]);
    return best;
}

/* A job with a deadline is left out as long as it might be in time. */
static bool is_undriven(const struct job *job, int64_t now_s)
{
    if (job->promise.state == PROMISE_STANDS)
        return false;
    return job->submission->best_effort || (double)now_s + job->iterations_left / fastest(job) >
                                               (double)job->submission->deadline_s;
}

static bool begins(const struct watch *watch, const struct decision *decision,
                   const struct job *job)
{
    return watch->before[job->number].waits && job_holds(job) && is_undriven(job, decision->now_s);
}

static int least_gpus(const struct job *job)
{
    return job->submission->throughput->gpus[0];
}

/* No job that was promised nothing begins while `job` waits, unless it does with fewer GPUs: then
 * it fits beside what the first in line waits for, and may grow while that is so. */
static void check_behind(const struct watch *watch, const struct decision *decision,
                         const struct job *job)
{
    for (size_t i = 0; i < decision->live_count; i++) {
        const struct job *other = decision->live[i];

        if (!watch->before[other->number].was_promised && begins(watch, decision, other) &&
            least_gpus(other) >= least_gpus(job))
            fail_msg("seed %" PRIu64 ", at %" PRId64 " s: %s was promised nothing, and begins "
                     "before %s, whose promise did not hold",
                     seed, decision->now_s, other->submission->id, job->submission->id);
    }
}

static void look(struct watch *watch, const struct decision *decision)
{
    for (size_t i = 0; i < decision->live_count; i++) {
        const struct job *job = decision->live[i];
        const struct before *before = &watch->before[job->number];

        if (before->was_promised && before->waits && !job_holds(job))
            check_behind(watch, decision, job);
        watch->broken += before->was_promised && begins(watch, decision, job);
        watch->begun += !before->was_promised && begins(watch, decision, job);
    }
    for (size_t i = 0; i < decision->live_count; i++) {
        const struct job *job = decision->live[i];
        struct before *before = &watch->before[job->number];

        before->was_promised = before->was_promised || job->promise.state == PROMISE_STANDS;
        before->waits = !job_holds(job) && is_undriven(job, decision->now_s);
    }
}

/* ---- a run ---- */

/* A job that stood still, or lost work that it did before. */
static void lose_work(rng_t *rng, const engine_t *engine, struct occurrence *progress)
{
    const struct job *job = engine_job(engine, progress->job);
    const double done = (double)job->submission->iterations - job->iterations_left;

    progress->progress.iterations -= rng_unit(rng) * LOSS_S_MAX * job->grant.rate;
    progress->progress.iterations = fmax(progress->progress.iterations, -done);
    progress->progress.iterations_done = false;
    progress->deviates = true;
    progress->pace = 1;
}

static size_t happen(rng_t *rng, engine_t *engine, struct watch *watch, int64_t at_s,
                     struct occurrence told[])
{
    struct occurrence *progress;
    struct error error;
    const long count = engine_expect(engine, at_s, &progress, &error);

    assert_true(count >= 0 && count <= JOBS);
    for (long i = 0; i < count; i++) {
        told[i] = progress[i];
        if (progress[i].progress.done || test_pick(rng, 6) > 0 ||
            watch->losses[progress[i].job] >= LOSSES_MAX)
            continue;
        watch->losses[progress[i].job]++;
        lose_work(rng, engine, &told[i]);
    }
    return (size_t)count;
}

static void run(rng_t *rng, struct play *play, struct watch *watch)
{
    const struct promising options = PROMISING_DEFAULT;
    const struct engine_setting setting = {.policy = policy_find("rubato"),
                                           .placement = placement_find("best-fit"),
                                           .cluster = play->cluster,
                                           .gpu_type = "A100",
                                           .slot_s = play->slot_s,
                                           .restart_threshold = 100,
                                           .options = &options};
    struct occurrence told[JOBS];
    struct decision decision = {.next_s = 0};
    size_t count = JOBS;
    struct error error;
    engine_t *engine = engine_new(&setting, &error);

    assert_non_null(engine);
    *watch = (struct watch){.play = play, .broken = watch->broken, .begun = watch->begun};
    for (size_t i = 0; i < JOBS; i++)
        told[i] = (struct occurrence){.kind = OCCURRENCE_SUBMITTED, .submission = &play->jobs[i]};
    while (decision.next_s != NEVER_S) {
        if (engine_step(engine, decision.next_s, told, count, &decision, &error) < 0)
            fail_msg("seed %" PRIu64 ": %s", seed, error.text);
        look(watch, &decision);
        if (decision.next_s != NEVER_S)
            count = happen(rng, engine, watch, decision.next_s, told);
    }
    engine_destroy(&engine);
}

TEST(a_broken_promise_is_not_behind_jobs_without_one)
{
    const uint64_t first = test_seed();
    const long seeds = test_times(SEEDS);
    struct play *play = xcalloc(1, sizeof(*play));
    struct watch *watch = xcalloc(1, sizeof(*watch));

    for (seed = first; seed < first + (uint64_t)seeds; seed++) {
        rng_t rng = rng_new(seed, "broken");

        pick_play(&rng, play);
        run(&rng, play, watch);
    }
    printf("%d waits after a promise that did not hold, %d of jobs that were promised nothing\n",
           watch->broken, watch->begun);
    assert_true(watch->broken > seeds / 10 && watch->begun > seeds);
    free(watch);
    free(play);
}

int main(void)
{
    return tests_run(tables_set_up, tables_tear_down);
}
