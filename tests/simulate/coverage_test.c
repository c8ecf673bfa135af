/* coverage_test.c - of jobs that take the earliest deadline that is quoted with some confidence, as
 * many end by it as the confidence says, where trainers are slower or faster than their tables.
 *
 * Jobs come one after the other to an idle cluster. Each may use one GPU, so that none is ahead of
 * its course; where jobs may grow more end in time than the confidence says.
 *
 * RUBATO_SEED chooses the first seed, RUBATO_TIMES how many jobs come. */
#include "common/rng.h"
#include "scheduler/placement/placement.h"
#include "scheduler/policies/policy.h"
#include "scheduler/policies/promising.h"
#include "scheduler/run/quote.h"
#include "scheduler/simulate/world.h"
#include "tests/support/seed.h"
#include "tests/support/tables.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define JOBS 600

struct play {
    struct inputs inputs;
    struct promising promising;
    engine_t *engine;
    world_t *world;
    struct decision decision;
    int64_t now_s;
    struct submission jobs[2]; /* the engine knows a job that ended up to its next step */
    struct job_level levels[2];
    struct throughput_row rows[2];
    int gpus_max;
    uint64_t number;
};

static void open_play(struct play *play, const struct world_setting *world, double confidence,
                      int gpus_max)
{
    static const struct cluster_spec cluster = CLUSTER_OF(1, 2, 4);
    struct engine_setting *setting = &play->inputs.setting;
    struct error error;

    memset(play, 0, sizeof(*play));
    play->gpus_max = gpus_max;
    *setting = (struct engine_setting){.policy = policy_find("rubato"),
                                       .placement = placement_find("best-fit"),
                                       .cluster = cluster,
                                       .gpu_type = "A100",
                                       .slot_s = 60,
                                       .lists_holdings = true,
                                       .options = &play->promising};
    play->inputs.options = &play->promising;
    play->promising = (struct promising){.node_loss_s = 700, .confidence = confidence};
    play->inputs.throughputs[0] = tables_for_engine(tables_a100());
    play->engine = engine_new(setting, &error);
    play->world = world_new(world, &cluster, setting->slot_s, &error);
    assert_non_null(play->engine);
    assert_non_null(play->world);
}

static void close_play(struct play *play)
{
    world_destroy(&play->world);
    engine_destroy(&play->engine);
}

static void step(struct play *play, const struct occurrence told[], size_t count)
{
    struct error error;

    if (engine_step(play->engine, play->now_s, told, count, &play->decision, &error) < 0)
        fail_msg("%s", error.text);
}

/* The earliest deadline of a job that comes now. */
static int64_t quote(struct play *play, const struct submission *job)
{
    struct quote quote;
    struct error error;
    quotes_t *quotes = quotes_of(&play->inputs, play->engine, &play->decision, job->number, &error);

    assert_non_null(quotes);
    quotes_set_moments(quotes, play->now_s, play->now_s);
    if (quotes_find(quotes, job, 0, &quote, &error) < 0)
        fail_msg("%s", error.text);
    quotes_destroy(&quotes);
    assert_true(quote.promised);
    return quote.deadline_s;
}

/* When the only job ends. */
static int64_t run_to_end(struct play *play)
{
    struct happenings happenings;
    struct error error;

    while (play->decision.retired_count == 0) {
        happenings = world_start_jobs(play->world, &play->decision);
        if (happenings.count > 0)
            step(play, happenings.items, happenings.count);
        play->now_s = world_next_s(play->world, play->engine, &play->decision);
        assert_true(play->now_s != NEVER_S);
        if (world_go_on(play->world, play->engine, &play->decision, play->now_s, &happenings,
                        &error) < 0)
            fail_msg("%s", error.text);
        step(play, happenings.items, happenings.count);
    }
    return play->decision.retired[0].job->end_s;
}

/* A job that comes now, with a row of its own. */
static struct submission *pick_job(struct play *play, rng_t *rng)
{
    const throughput_table_t *table = tables_for_engine(tables_a100());
    const size_t slot = ++play->number % COUNT(play->jobs);
    struct submission *job = &play->jobs[slot];
    struct throughput_row *row = &play->rows[slot];

    *row = *throughput_row_at(table, rng_below(rng, throughput_count(table)));
    throughput_limit(row, 0, play->gpus_max);
    play->levels[slot].value = LEVEL_VALUE_FULL;
    *job = (struct submission){.id = "job",
                               .number = play->number,
                               .throughput = row,
                               .model = row->model,
                               .batch_size = row->batch_size,
                               .gpus_requested = row->gpus[0],
                               .submit_s = play->now_s,
                               .duration_s = 40000 + (int64_t)rng_below(rng, 40000),
                               .levels = &play->levels[slot],
                               .level_count = 1};
    job->iterations = 1 + (int64_t)((double)job->duration_s * row->iters_per_s[0]);
    return job;
}

/* Whether a job that comes next ends by the deadline that it is quoted, and promised. */
static bool ends_in_time(struct play *play, rng_t *rng)
{
    struct submission *job;
    struct occurrence comes = {.kind = OCCURRENCE_SUBMITTED};

    play->now_s += 100;
    comes.submission = job = pick_job(play, rng);
    job->deadline_s = quote(play, job);
    play->levels[job->number % COUNT(play->jobs)].deadline_s = job->deadline_s;
    step(play, &comes, 1);
    assert_int_equal(play->decision.decided_count, 1);
    assert_int_equal(play->decision.decided[0].verdict.kind, VERDICT_PROMISED);
    return run_to_end(play) <= job->deadline_s;
}

/* The share in per cent of `jobs` jobs, which may use so many GPUs each. */
static double coverage(double confidence, double speed_error, int gpus_max, long jobs)
{
    const struct world_setting world = {.seed = (int64_t)test_seed() + (int64_t)speed_error,
                                        .speed_error = speed_error,
                                        .overhead_factor = 1};
    rng_t rng = rng_new(test_seed(), "coverage");
    struct play play;
    long covered = 0;

    open_play(&play, &world, confidence, gpus_max);
    step(&play, NULL, 0);
    for (long i = 0; i < jobs; i++)
        covered += ends_in_time(&play, &rng);
    close_play(&play);
    return 100 * (double)covered / (double)jobs;
}

/* Three points, and three standard deviations of a draw of so many jobs. */
static double tolerance(double confidence, long jobs)
{
    return 3 + 3 * sqrt(confidence * (100 - confidence) / (double)jobs);
}

static double measure(double confidence, double speed_error, int gpus_max, long jobs)
{
    const double share = coverage(confidence, speed_error, gpus_max, jobs);

    printf("speeds wrong by up to %g %%, on %d GPUs at most: %.2f %% of %ld jobs end by their "
           "deadlines of %g %%\n",
           speed_error, gpus_max, share, jobs, confidence);
    return share;
}

static const double confidences[] = {50, 95, 99};

TEST(as_many_deadlines_hold_as_their_confidence_says)
{
    static const double errors[] = {10, 20, 50};
    const long jobs = test_times(JOBS);

    for (size_t i = 0; i < COUNT(confidences) * COUNT(errors); i++) {
        const double confidence = confidences[i % COUNT(confidences)];
        const double share = measure(confidence, errors[i / COUNT(confidences)], 1, jobs);

        if (fabs(share - confidence) > tolerance(confidence, jobs))
            fail_msg("%.2f %% of %ld jobs end by their deadlines of %g %%", share, jobs,
                     confidence);
    }
}

TEST(more_hold_where_jobs_may_grow)
{
    const long jobs = test_times(JOBS) / 3;

    for (size_t i = 0; i < COUNT(confidences); i++)
        assert_true(measure(confidences[i], 20, 8, jobs) >
                    confidences[i] - tolerance(confidences[i], jobs));
}

int main(void)
{
    return tests_run(tables_set_up, tables_tear_down);
}
