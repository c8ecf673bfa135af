/* rubato_easier_chains_test.c - chains of jobs under rubato, drawn at random, up to four deep, on
 * an idle cluster and a loaded one: a job that is refused its deadline changes no verdict on other
 * children of its parent; a later deadline, or one step more of a soft one, has nothing refused
 * that was promised; and no promise is broken or withdrawn.
 *
 * RUBATO_SEED chooses the first seed, RUBATO_TIMES how many there are. */
#include "common/rng.h"
#include "scheduler/engine/engine.h"
#include "scheduler/policies/promising.h"
#include "tests/support/seed.h"
#include "tests/support/tables.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SEEDS      200
#define JOBS_MAX   40
#define CHAIN_MAX  9
#define DEPTH_MAX  4
#define PARENTS_OF 2
#define LEVELS_OF  4
#define STEPS_MAX  20000

struct play {
    struct engine_setting setting;
    struct promising options;
    struct submission jobs[JOBS_MAX];
    struct job_level levels[JOBS_MAX][LEVELS_OF];
    struct parent parents[JOBS_MAX][PARENTS_OF];
    char ids[JOBS_MAX][16];
    int64_t work_s[JOBS_MAX]; /* of the longest path to it */
    int depth[JOBS_MAX];
    size_t first; /* of the chain; the jobs before load the cluster */
    size_t count;
};

/* The outcomes of the jobs of a play. */
struct outcome {
    bool is_decided[JOBS_MAX];
    struct verdict verdicts[JOBS_MAX]; /* at arrival */
    int64_t stands_s[JOBS_MAX];        /* the promise that stands */
};

/* How many comparisons there were. */
struct counts {
    long promised;
    long easier;
    long later; /* of jobs that came after the one that is easier */
    long refused;
    long siblings;
};

static char at_work[64]; /* which run it is */

/* ---- what is drawn ---- */

static size_t pick_job(rng_t *rng, struct play *play, int64_t submit_s)
{
    const throughput_table_t *table = tables_for_engine(tables_a100());
    const struct throughput_row *row;
    const size_t i = play->count++;

    do /* one model has no rates beyond 8 GPUs */
        row = throughput_row_at(table, rng_below(rng, throughput_count(table)));
    while (!strcmp(row->model, "resnet50_cifar10"));
    (void)snprintf(play->ids[i], sizeof(play->ids[i]), "job-%zu", i);
    play->jobs[i] = (struct submission){.throughput = row,
                                        .number = i,
                                        .model = row->model,
                                        .batch_size = row->batch_size,
                                        .submit_s = submit_s,
                                        .duration_s = (int64_t)rng_log_uniform(rng, 60, 20000),
                                        .gpus_requested = row->gpus[0],
                                        .deadline_s = DEADLINE_NONE_S,
                                        .best_effort = true};
    play->jobs[i].iterations =
        (int64_t)ceil((double)play->jobs[i].duration_s * row->iters_per_s[0]);
    play->work_s[i] = play->jobs[i].duration_s;
    play->depth[i] = 1;
    return i;
}

/* Adds a last step to the deadline of job `i`. */
static void add_step(struct play *play, size_t i, int64_t deadline_s)
{
    struct submission *job = &play->jobs[i];
    const size_t k = job->level_count++;

    play->levels[i][k] = (struct job_level){deadline_s, LEVEL_VALUE_FULL / (int64_t)(k + 1)};
    job->deadline_s = play->levels[i][0].deadline_s;
    job->best_effort = false;
}

static void pick_deadline(rng_t *rng, struct play *play, size_t i)
{
    int64_t at_s = play->jobs[i].submit_s;
    const int steps = test_pick(rng, 3) == 0 ? 2 + test_pick(rng, LEVELS_OF - 2) : 1;

    for (int k = 0; k < steps; k++) {
        at_s += 1 + (int64_t)((double)play->work_s[i] * rng_log_uniform(rng, 0.1, 3));
        add_step(play, i, at_s);
    }
}

static void add_parent(struct play *play, size_t child, size_t parent)
{
    const int64_t work_s = play->work_s[parent] + play->jobs[child].duration_s;

    play->parents[child][play->jobs[child].parent_count++] = (struct parent){.number = parent};
    if (play->work_s[child] < work_s)
        play->work_s[child] = work_s;
    if (play->depth[child] <= play->depth[parent])
        play->depth[child] = play->depth[parent] + 1;
}

static size_t pick_parent(rng_t *rng, const struct play *play)
{
    size_t parent;

    do
        parent = play->first + (size_t)test_pick(rng, (int)(play->count - play->first));
    while (play->depth[parent] == DEPTH_MAX);
    return parent;
}

/* All at once, or each some time after the one before. */
static void pick_chain(rng_t *rng, struct play *play, int64_t at_s)
{
    const size_t count = 2 + (size_t)test_pick(rng, CHAIN_MAX - 2);
    const int64_t gap_s = test_pick(rng, 2) * (play->setting.slot_s + 1 + test_pick(rng, 100));

    play->first = play->count;
    for (size_t k = 0; k < count; k++) {
        const size_t parent = k > 0 ? pick_parent(rng, play) : 0;
        const size_t other = k > 1 ? pick_parent(rng, play) : 0;
        const size_t i = pick_job(rng, play, at_s + (int64_t)k * gap_s);

        if (k > 0)
            add_parent(play, i, parent);
        if (k > 1 && other != parent && test_pick(rng, 5) == 0)
            add_parent(play, i, other);
        if (test_pick(rng, 4) > 0)
            pick_deadline(rng, play, i);
    }
}

static void pick_play(rng_t *rng, struct play *play)
{
    static const int slots[] = {0, 1, 30, 60, 240};
    static const struct cluster_spec clusters[] = {CLUSTER_OF(1, 1, 8), CLUSTER_OF(1, 2, 4),
                                                   CLUSTER_OF(1, 4, 8)};
    const size_t load =
        (size_t)test_pick(rng, 2) * (1 + (size_t)test_pick(rng, JOBS_MAX - CHAIN_MAX - 1));
    int64_t at_s = 0;

    *play = (struct play){.options = PROMISING_DEFAULT};
    play->setting = (struct engine_setting){.policy = policy_find("rubato"),
                                            .placement = placement_find("best-fit"),
                                            .cluster = clusters[test_pick(rng, COUNT(clusters))],
                                            .gpu_type = "A100",
                                            .slot_s = slots[test_pick(rng, COUNT(slots))]};
    while (play->count < load) {
        const size_t i = pick_job(rng, play, at_s += test_pick(rng, 1000));

        if (test_pick(rng, 5) > 0)
            pick_deadline(rng, play, i);
    }
    pick_chain(rng, play, at_s + 1000);
}

/* The data that the jobs of a play point to lie in the play itself, which may be a copy. */
static void settle(struct play *play)
{
    play->setting.options = &play->options;
    for (size_t i = 0; i < play->count; i++) {
        play->jobs[i].id = play->ids[i];
        play->jobs[i].levels = play->levels[i];
        play->jobs[i].parents = play->parents[i];
        for (size_t k = 0; k < play->jobs[i].parent_count; k++)
            play->parents[i][k].id = play->ids[play->parents[i][k].number];
    }
}

/* ---- a run ---- */

static void note(struct outcome *outcome, const struct decision *decision)
{
    for (size_t i = 0; i < decision->decided_count; i++) {
        const uint64_t job = decision->decided[i].job->number;
        const struct verdict *verdict = &decision->decided[i].verdict;

        if (!outcome->is_decided[job])
            outcome->verdicts[job] = *verdict;
        outcome->is_decided[job] = true;
        if (verdict_promises(verdict))
            outcome->stands_s[job] = verdict->promised_s;
    }
    for (size_t i = 0; i < decision->disturbance_count; i++)
        fail_msg("%s: %s", decision->disturbances[i].job->submission->id,
                 decision->disturbances[i].cause);
    for (size_t i = 0; i < decision->retired_count; i++) {
        const struct job *job = decision->retired[i].job;

        if (job->end_s > outcome->stands_s[job->number])
            fail_msg("%s ends at %" PRId64 ", promised %" PRId64, job->submission->id, job->end_s,
                     outcome->stands_s[job->number]);
    }
}

static void step(engine_t *engine, int64_t now_s, const struct occurrence told[], size_t count,
                 struct decision *decision, struct outcome *outcome)
{
    struct error error;

    if (engine_step(engine, now_s, told, count, decision, &error) < 0)
        fail_msg("%s", error.text);
    note(outcome, decision);
}

/* Up to the last verdict, or to the end. */
static void run(struct play *play, bool to_the_end, struct outcome *outcome)
{
    static const struct occurrence as_expected = {.kind = OCCURRENCE_EXPECTED};
    const int64_t last_s = play->jobs[play->count - 1].submit_s + play->setting.slot_s + 1;
    struct occurrence told[JOBS_MAX];
    struct decision decision;
    struct error error;
    engine_t *engine;
    int steps = 0;

    settle(play);
    engine = engine_new(&play->setting, &error);
    assert_non_null(engine);
    *outcome = (struct outcome){{false}, {{0}}, {0}};
    for (size_t i = 0; i < play->count; i++) {
        told[i] = (struct occurrence){.kind = OCCURRENCE_SUBMITTED, .submission = &play->jobs[i]};
        outcome->stands_s[i] = INT64_MAX;
    }
    step(engine, 0, told, play->count, &decision, outcome);
    while (decision.next_s != NEVER_S && (to_the_end || decision.next_s <= last_s)) {
        step(engine, decision.next_s, &as_expected, 1, &decision, outcome);
        if (++steps > STEPS_MAX)
            fail_msg("%d steps, and no end", steps);
    }
    engine_destroy(&engine);
}

/* ---- what is compared ---- */

static bool is_after(const struct play *play, size_t job, size_t other)
{
    if (job == other)
        return true;
    for (size_t k = 0; k < play->jobs[job].parent_count; k++)
        if (is_after(play, play->parents[job][k].number, other))
            return true;
    return false;
}

static bool loses(const struct outcome *before, const struct outcome *after, size_t job)
{
    return verdict_promises(&before->verdicts[job]) && !verdict_promises(&after->verdicts[job]);
}

/* Adds a step, or moves all steps to later times. False if the job has no deadline. */
static bool ease(rng_t *rng, struct play *play, size_t i)
{
    struct submission *job = &play->jobs[i];
    const int64_t more_s = 1 + (int64_t)rng_log_uniform(rng, 1, 30000);
    const size_t levels = job->level_count;

    if (levels == 0)
        return false;
    if (levels < LEVELS_OF && test_pick(rng, 3) == 0) {
        add_step(play, i, play->levels[i][levels - 1].deadline_s + more_s);
        return true;
    }
    for (size_t k = 0; k < levels; k++)
        play->levels[i][k].deadline_s += more_s;
    job->deadline_s += more_s;
    return true;
}

/* The job itself is never refused. Jobs that come after it find another state than before: its
 * parent may hold fewer GPUs, as it has more time, or the forecast is another. */
static void try_easier(rng_t *rng, const struct play *play, const struct outcome *before,
                       struct counts *counts)
{
    static struct play other;
    static struct outcome after;
    const size_t i = play->first + (size_t)test_pick(rng, (int)(play->count - play->first));

    other = *play;
    if (!ease(rng, &other, i))
        return;
    run(&other, false, &after);
    counts->easier += verdict_promises(&before->verdicts[i]);
    if (loses(before, &after, i))
        fail_msg("%s, promised, has an easier deadline and is refused it", play->ids[i]);
    for (size_t k = i + 1; k < play->count; k++) {
        if (!is_after(play, k, i))
            continue;
        counts->later += verdict_promises(&before->verdicts[k]);
        counts->refused += loses(before, &after, k);
    }
}

/* A child more comes with another job of the chain. Where it is refused its deadline, others are
 * promised what they are if it has none; but as an arrival it counts for the forecast of a loaded
 * cluster. */
static void try_sibling(rng_t *rng, const struct play *play, struct counts *counts)
{
    static struct play with;
    static struct play without;
    static struct outcome refused;
    static struct outcome other;
    const size_t at =
        play->first + 1 + (size_t)test_pick(rng, (int)(play->count - play->first - 1));
    size_t sibling;

    if (play->count == JOBS_MAX)
        return;
    without = *play;
    sibling = pick_job(rng, &without, play->jobs[at].submit_s);
    add_parent(&without, sibling, play->parents[at][0].number);
    with = without;
    add_step(&with, sibling,
             with.jobs[sibling].submit_s + 1 +
                 (int64_t)((double)with.work_s[sibling] * rng_log_uniform(rng, 0.01, 0.3)));
    run(&with, false, &refused);
    run(&without, false, &other);
    if (verdict_promises(&refused.verdicts[sibling]))
        return;
    counts->siblings++;
    for (size_t k = play->first; k < play->count; k++)
        if (play->first == 0
                ? refused.verdicts[k].promised_s != other.verdicts[k].promised_s
                : loses(&other, &refused, k) && refused.verdicts[k].reason != REASON_JOBS_TO_COME)
            fail_msg("%s is refused beside a child that is", play->ids[k]);
}

TEST(an_easier_chain_is_never_refused)
{
    const uint64_t seed = test_seed();
    const long seeds = test_times(SEEDS);
    struct counts counts = {0};

    for (long i = 0; i < seeds; i++) {
        static struct play play;
        static struct outcome outcome;
        rng_t rng = rng_new(seed + (uint64_t)i, "rubato easier chains");

        (void)snprintf(at_work, sizeof(at_work), "seed %" PRIu64, seed + (uint64_t)i);
        pick_play(&rng, &play);
        run(&play, true, &outcome);
        for (size_t k = play.first; k < play.count; k++)
            counts.promised += verdict_promises(&outcome.verdicts[k]);
        for (int k = 0; k < 4; k++)
            try_easier(&rng, &play, &outcome, &counts);
        try_sibling(&rng, &play, &counts);
    }
    print_message("%ld promised; %ld easier; %ld of %ld after them refused; %ld siblings\n",
                  counts.promised, counts.easier, counts.refused, counts.later, counts.siblings);
    assert_true(counts.promised > seeds && counts.easier > seeds && counts.siblings > seeds / 2);
    assert_true(counts.refused <= 2 + counts.later / 50);
    at_work[0] = '\0';
}

int main(void)
{
    const int failed = tests_run(tables_set_up, tables_tear_down);

    if (failed)
        (void)fprintf(stderr, "it was %s\n", at_work);
    return failed;
}
