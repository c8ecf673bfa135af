/* rubato_quotes_test.c - quotes that are held under rubato, drawn at random: a quote that is
 * promised is a promised job at whatever moment up to its end it is taken, and is done in time, as
 * is every other promised job; it holds no GPU before; a quote that is not taken lapses, and
 * nothing is told of it any more. A promised job that gets a later deadline is promised that one.
 * Now and then another engine goes on, which reads the archive of the one before.
 *
 * RUBATO_SEED chooses the first seed, RUBATO_TIMES how many there are. */
#include "common/rng.h"
#include "scheduler/engine/engine.h"
#include "scheduler/policies/promising.h"
#include "scheduler/snapshot/engine_archive.h"
#include "tests/support/seed.h"
#include "tests/support/tables.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS     1500
#define JOBS_MAX  80
#define STEPS_MAX 20000
#define NEVER     INT64_MAX

/* The ends of a quote: it is taken, given back, or lapses; and a job whose deadline is eased. */
enum fate { A_JOB, TAKEN, GIVEN_BACK, LAPSES, EASED };

struct play {
    struct engine_setting setting;
    struct promising options;
    struct submission jobs[JOBS_MAX];
    struct job_level levels[JOBS_MAX];
    struct submission taken[JOBS_MAX]; /* the jobs that quotes and eased jobs become */
    struct job_level taken_levels[JOBS_MAX];
    char ids[JOBS_MAX][16];
    enum fate fates[JOBS_MAX];
    int64_t fated_s[JOBS_MAX]; /* when */
    int64_t promised_s[JOBS_MAX];
    bool took[JOBS_MAX];
    bool over[JOBS_MAX];
    size_t count;
    long held; /* quotes that were promised, and those of them that were taken */
    long given;
    long eased;
};

static char at_work[64]; /* which run it is */

/* ---- what is drawn ---- */

static void pick_job(rng_t *rng, struct play *play, size_t i, int64_t submit_s)
{
    const throughput_table_t *table = tables_for_engine(tables_a100());
    const double seconds = ceil(rng_log_uniform(rng, 60, 20000));
    const struct throughput_row *row;
    struct submission *job = &play->jobs[i];

    do /* one model has no rates beyond 8 GPUs */
        row = throughput_row_at(table, rng_below(rng, throughput_count(table)));
    while (!strcmp(row->model, "resnet50_cifar10"));
    (void)snprintf(play->ids[i], sizeof(play->ids[i]), "job-%zu", i);
    *job = (struct submission){.id = play->ids[i],
                               .number = i,
                               .throughput = row,
                               .model = row->model,
                               .batch_size = row->batch_size,
                               .submit_s = submit_s,
                               .duration_s = -1,
                               .iterations = 1 + (int64_t)(seconds * row->iters_per_s[0]),
                               .gpus_requested = row->gpus[0],
                               .best_effort = test_pick(rng, 5) == 0,
                               .deadline_s = DEADLINE_NONE_S};
    if (!job->best_effort)
        job->deadline_s = submit_s + (int64_t)(seconds * rng_log_uniform(rng, 0.3, 6));
    play->levels[i] = (struct job_level){job->deadline_s, LEVEL_VALUE_FULL};
    job->levels = &play->levels[i];
    job->level_count = job->best_effort ? 0 : 1;
}

/* The job that a quote becomes: the same, or with less work, or a later deadline. */
static void pick_taken(rng_t *rng, struct play *play, size_t i)
{
    struct submission *taken = &play->taken[i];

    *taken = play->jobs[i];
    taken->quoted_until_s = 0;
    taken->promise_or_decline = false;
    if (test_pick(rng, 3) == 0)
        taken->iterations -= (int64_t)rng_below(rng, (uint64_t)taken->iterations);
    if (test_pick(rng, 3) == 0)
        taken->deadline_s += test_pick(rng, 1000);
    play->taken_levels[i] = (struct job_level){taken->deadline_s, LEVEL_VALUE_FULL};
    taken->levels = &play->taken_levels[i];
}

static void pick_eased(rng_t *rng, struct play *play, size_t i)
{
    const struct submission *job = &play->jobs[i];
    struct submission *eased = &play->taken[i];

    *eased = *job;
    eased->deadline_s += test_pick(rng, 3) == 0 ? test_pick(rng, 3) : test_pick(rng, 10000);
    play->taken_levels[i] = (struct job_level){eased->deadline_s, LEVEL_VALUE_FULL};
    eased->levels = &play->taken_levels[i];
    play->fates[i] = EASED;
    play->fated_s[i] =
        job->submit_s + 1 + test_pick(rng, (int)(job->deadline_s - job->submit_s) + 1);
}

static void make_quote(rng_t *rng, struct play *play, size_t i)
{
    static const enum fate fates[] = {TAKEN, TAKEN, GIVEN_BACK, LAPSES};
    struct submission *job = &play->jobs[i];
    const int64_t hold_s = 1 + (int64_t)rng_log_uniform(rng, 1, 3000);

    job->quoted_until_s = job->submit_s + hold_s;
    job->promise_or_decline = true;
    job->deadline_s += hold_s;
    play->levels[i].deadline_s = job->deadline_s;
    play->fates[i] = fates[test_pick(rng, COUNT(fates))];
    play->fated_s[i] = job->quoted_until_s;
    if (play->fates[i] != LAPSES && test_pick(rng, 3) > 0)
        play->fated_s[i] = job->submit_s + 1 + test_pick(rng, (int)hold_s);
    pick_taken(rng, play, i);
}

static void pick_play(rng_t *rng, struct play *play)
{
    static const int slots[] = {0, 0, 1, 30, 60, 240};
    static const int restarts[] = {0, 2, 7, 100};
    static const double confidences[] = {0, 0, 95, 99};
    static const struct cluster_spec clusters[] = {CLUSTER_OF(1, 1, 8), CLUSTER_OF(1, 2, 4),
                                                   CLUSTER_OF(1, 4, 8)};
    const double gap_s = rng_log_uniform(rng, 5, 20000);
    int64_t at_s = 0;

    *play =
        (struct play){.options = PROMISING_DEFAULT, .count = 1 + (size_t)test_pick(rng, JOBS_MAX)};
    play->options.fails_each = (uint64_t)(test_pick(rng, 3) == 0 ? 3 : 0);
    play->options.confidence = confidences[test_pick(rng, COUNT(confidences))];
    play->setting =
        (struct engine_setting){.policy = policy_find("rubato"),
                                .placement = placement_find("best-fit"),
                                .cluster = clusters[test_pick(rng, COUNT(clusters))],
                                .gpu_type = "A100",
                                .slot_s = slots[test_pick(rng, COUNT(slots))],
                                .restart_threshold = restarts[test_pick(rng, COUNT(restarts))],
                                .options = &play->options,
                                .lists_holdings = true};
    for (size_t i = 0; i < play->count; i++) {
        at_s += (int64_t)(-gap_s * log(1 - rng_unit(rng)));
        pick_job(rng, play, i, at_s);
        play->promised_s[i] = DEADLINE_NONE_S;
        play->fated_s[i] = NEVER;
        if (!play->jobs[i].best_effort && test_pick(rng, 2) == 0)
            make_quote(rng, play, i);
        else if (!play->jobs[i].best_effort && test_pick(rng, 2) == 0)
            pick_eased(rng, play, i);
    }
}

/* ---- what is looked at ---- */

static void check_holdings(const struct decision *decision)
{
    for (size_t i = 0; i < decision->holding_count; i++)
        if (submission_is_quote(decision->holdings[i].job->submission))
            fail_msg("quote %s holds GPUs at %" PRId64, decision->holdings[i].job->submission->id,
                     decision->now_s);
}

static void note_decided(struct play *play, const struct decided *decided)
{
    const struct submission *job = decided->job->submission;
    const bool promises = verdict_promises(&decided->verdict);

    if (submission_is_quote(job)) {
        play->over[job->number] = !promises;
        play->held += promises;
    } else if (job == &play->taken[job->number]) {
        if (!promises || decided->verdict.promised_s != job->deadline_s)
            fail_msg("%s is taken or eased, and promised %" PRId64 ", not %" PRId64, job->id,
                     promises ? decided->verdict.promised_s : -1, job->deadline_s);
        play->given += play->fates[job->number] == TAKEN;
        play->eased += play->fates[job->number] == EASED;
    }
    if (promises)
        play->promised_s[job->number] = decided->verdict.promised_s;
}

static void note_disturbance(struct play *play, const struct disturbance *disturbance,
                             int64_t now_s)
{
    const struct submission *job = disturbance->job->submission;

    if (disturbance->kind == DISTURBANCE_SLIPS)
        fail_msg("the promise of %s is withdrawn: %s", job->id, disturbance->cause);
    if (disturbance->kind != DISTURBANCE_LAPSED)
        return;
    if (play->fates[job->number] != LAPSES || now_s < job->quoted_until_s)
        fail_msg("quote %s, until %" PRId64 ", lapses at %" PRId64, job->id, job->quoted_until_s,
                 now_s);
    play->over[job->number] = true;
}

static void note(struct play *play, const struct decision *decision)
{
    for (size_t i = 0; i < decision->decided_count; i++)
        note_decided(play, &decision->decided[i]);
    for (size_t i = 0; i < decision->retired_count; i++) {
        const struct job *job = decision->retired[i].job;

        if (job->end_s > play->promised_s[job->number])
            fail_msg("%s ends at %" PRId64 ", promised %" PRId64, job->submission->id, job->end_s,
                     play->promised_s[job->number]);
        play->over[job->number] = true;
    }
    for (size_t i = 0; i < decision->disturbance_count; i++)
        note_disturbance(play, &decision->disturbances[i], decision->now_s);
    check_holdings(decision);
}

/* ---- a run ---- */

/* When the next quote is taken or given back. */
static int64_t next_fate_s(const struct play *play)
{
    int64_t next_s = NEVER;

    for (size_t i = 0; i < play->count; i++)
        if (play->fates[i] != LAPSES && play->fated_s[i] < next_s)
            next_s = play->fated_s[i];
    return next_s;
}

static void postpone(struct play *play, size_t i, int64_t now_s)
{
    if (now_s < play->jobs[i].quoted_until_s)
        play->fated_s[i] = now_s + 1;
    else
        play->fates[i] = LAPSES;
}

/* What is told at `now_s`, the quotes that are over left out. */
static size_t meet_fates(struct play *play, int64_t now_s, struct occurrence *told)
{
    size_t count = 0;

    for (size_t i = 0; i < play->count; i++) {
        if (play->fates[i] == LAPSES || play->fated_s[i] != now_s)
            continue;
        play->fated_s[i] = NEVER;
        if (play->over[i])
            continue;
        if (play->fates[i] == EASED) {
            play->took[i] = play->promised_s[i] != DEADLINE_NONE_S;
            if (play->took[i])
                told[count++] =
                    (struct occurrence){.kind = OCCURRENCE_EASED, .submission = &play->taken[i]};
            continue;
        }
        if (play->promised_s[i] == DEADLINE_NONE_S) { /* the quote has no verdict yet */
            postpone(play, i, now_s);
            continue;
        }
        play->took[i] = play->fates[i] == TAKEN;
        if (play->took[i])
            told[count++] =
                (struct occurrence){.kind = OCCURRENCE_TAKEN, .submission = &play->taken[i]};
        else
            told[count++] = (struct occurrence){
                .kind = OCCURRENCE_CANCELLED, .row = UINT32_MAX, .job = play->jobs[i].number};
        play->over[i] = play->fates[i] == GIVEN_BACK;
    }
    return count;
}

/* The next moment at which something is due, and what is told then. */
static void step_on(struct play *play, engine_t *engine, struct decision *decision)
{
    struct occurrence told[JOBS_MAX + 1];
    const int64_t fate_s = next_fate_s(play);
    const int64_t now_s = fate_s < decision->next_s ? fate_s : decision->next_s;
    size_t count = meet_fates(play, now_s, told);
    struct error error;

    told[count++] = (struct occurrence){.kind = OCCURRENCE_EXPECTED};
    if (engine_step(engine, now_s, told, count, decision, &error) < 0)
        fail_msg("%s", error.text);
    note(play, decision);
}

static const struct submission *find_job(const void *owner, uint64_t number)
{
    const struct play *play = owner;

    return play->took[number] ? &play->taken[number] : &play->jobs[number];
}

/* Another engine goes on, which reads what this one writes. */
static void exchange(struct play *play, engine_t **engine, struct decision *decision)
{
    struct archive writing = archive_writing();
    struct archive reading;
    struct error error;

    engine_archive(*engine, &writing, NULL, NULL);
    engine_destroy(engine);
    *engine = engine_new(&play->setting, &error);
    assert_non_null(*engine);
    reading = archive_reading(writing.bytes, strlen(writing.bytes));
    engine_archive(*engine, &reading, find_job, play);
    assert_true(archive_is_over(&reading));
    engine_stands(*engine, decision);
    free(writing.bytes);
}

static void run_play(rng_t *rng, struct play *play)
{
    struct occurrence told[JOBS_MAX];
    struct decision decision;
    struct error error;
    engine_t *engine = engine_new(&play->setting, &error);
    int steps = 0;

    assert_non_null(engine);
    for (size_t i = 0; i < play->count; i++)
        told[i] = (struct occurrence){.kind = OCCURRENCE_SUBMITTED, .submission = &play->jobs[i]};
    if (engine_step(engine, 0, told, play->count, &decision, &error) < 0)
        fail_msg("%s", error.text);
    note(play, &decision);
    while (decision.next_s != NEVER_S || next_fate_s(play) != NEVER) {
        step_on(play, engine, &decision);
        if (test_pick(rng, 20) == 0)
            exchange(play, &engine, &decision);
        if (++steps > STEPS_MAX)
            fail_msg("%d steps, and no end", steps);
    }
    assert_int_equal(engine_status(engine).settled, play->count);
    for (size_t i = 0; i < play->count; i++)
        assert_true(play->over[i]);
    engine_destroy(&engine);
}

TEST(quotes_that_are_held_are_promised_when_they_are_taken)
{
    const uint64_t seed = test_seed();
    const long seeds = test_times(SEEDS);
    long held = 0;
    long given = 0;
    long eased = 0;

    for (long i = 0; i < seeds; i++) {
        static struct play play;
        rng_t rng = rng_new(seed + (uint64_t)i, "rubato quotes");

        (void)snprintf(at_work, sizeof(at_work), "seed %" PRIu64, seed + (uint64_t)i);
        pick_play(&rng, &play);
        run_play(&rng, &play);
        held += play.held;
        given += play.given;
        eased += play.eased;
    }
    print_message("%ld quotes held, %ld of them taken, %ld jobs eased\n", held, given, eased);
    assert_true(given > seeds && eased > seeds);
    at_work[0] = '\0';
}

int main(void)
{
    const int failed = tests_run(tables_set_up, tables_tear_down);

    if (failed)
        (void)fprintf(stderr, "it was %s\n", at_work);
    return failed;
}
