/* rubato_share_test.c - no more is promised ahead to a user than the user's share, at any time; a
 * denial names a time from which on the same job is within the share; and a share that is never
 * reached decides nothing.
 *
 * RUBATO_SEED chooses the first seed, RUBATO_TIMES how many there are. */
#include "common/processes.h"
#include "common/rng.h"
#include "scheduler/engine/engine.h"
#include "scheduler/planner/shares.h"
#include "scheduler/policies/promising.h"
#include "tests/support/seed.h"
#include "tests/support/tables.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS    400
#define JOBS_MAX 80

static char at_work[64]; /* which run it is */

/* ---- what is drawn ---- */

struct play {
    struct engine_setting setting;
    struct submission jobs[JOBS_MAX + 1];
    struct job_level levels[JOBS_MAX + 1];
    char ids[JOBS_MAX + 1][16];
    size_t count;
    struct job_share share; /* of bob, whose jobs want a promise or nothing */
};

static void pick_job(rng_t *rng, struct play *play, size_t i, int64_t submit_s, double tightness)
{
    const throughput_table_t *table = tables_for_engine(tables_a100());
    const int column = test_pick(rng, 3);
    const double seconds = ceil(rng_log_uniform(rng, 60, 20000));
    const bool is_bob = test_pick(rng, 2) == 0;
    const struct throughput_row *row;
    struct submission *job = &play->jobs[i];

    do
        row = throughput_row_at(table, rng_below(rng, throughput_count(table)));
    while (row->level_count <= column);
    (void)snprintf(play->ids[i], sizeof(play->ids[i]), "job-%zu", i);
    *job = (struct submission){.id = play->ids[i],
                               .number = i,
                               .throughput = row,
                               .model = row->model,
                               .batch_size = row->batch_size,
                               .submit_s = submit_s,
                               .duration_s = -1,
                               .iterations = 1 + (int64_t)(seconds * row->iters_per_s[column]),
                               .gpus_requested = row->gpus[column],
                               .promise_or_decline = is_bob || test_pick(rng, 4) == 0,
                               .shares = is_bob ? &play->share : NULL,
                               .share_count = is_bob};
    job->deadline_s = submit_s + 200 + (int64_t)ceil(seconds * tightness * (0.5 + rng_unit(rng)));
    play->levels[i] = (struct job_level){job->deadline_s, LEVEL_VALUE_FULL};
    job->levels = &play->levels[i];
    job->level_count = 1;
}

static void pick_play(rng_t *rng, struct play *play)
{
    static const int nodes[] = {1, 2, 4, 8};
    static const int slots[] = {0, 1, 60, 240};
    const double tightness = rng_log_uniform(rng, 1, 10);
    double at_s = 0;
    double gap_s;

    *play = (struct play){.count = 1 + (size_t)test_pick(rng, JOBS_MAX),
                          .share = {.name = "bob",
                                    .of = rng_log_uniform(rng, 0.03, 1),
                                    .horizon_s = (int64_t)rng_log_uniform(rng, 1000, 40000)}};
    play->setting =
        (struct engine_setting){.policy = policy_find("rubato"),
                                .placement = placement_find("best-fit"),
                                .cluster = CLUSTER_OF(1, nodes[test_pick(rng, COUNT(nodes))], 8),
                                .gpu_type = "A100",
                                .slot_s = slots[test_pick(rng, COUNT(slots))],
                                .restart_threshold = test_pick(rng, 2) == 0 ? 0 : 100};
    gap_s = 8000 / (rng_log_uniform(rng, 0.2, 3) * cluster_spec_gpus(&play->setting.cluster));
    for (size_t i = 0; i < play->count; i++) {
        at_s += -gap_s * log(1 - rng_unit(rng));
        pick_job(rng, play, i, (int64_t)at_s, tightness);
    }
}

/* ---- a run, whose jobs come one by one ---- */

struct run {
    const struct play *play;
    engine_t *engine;
    struct decision decision;
    enum verdict_kind told[JOBS_MAX];
    int promised[2]; /* of others, of bob's */
    int denied;      /* bob's, for the share */
    int named;       /* of these, with a time, at which the job came again */
    int accepted;    /* and was promised then */
};

/* GPU-seconds that are promised ahead to bob never exceed what may be. */
static void check_share(const struct run *run)
{
    const struct job_share *share = &run->play->share;
    const double may =
        share->of * (double)share->horizon_s * cluster_spec_gpus(&run->play->setting.cluster);
    double is = 0;

    for (size_t i = 0; i < run->decision.live_count; i++)
        if (run->decision.live[i]->submission->share_count > 0 &&
            run->decision.live[i]->promise.state == PROMISE_STANDS)
            is += shares_need(run->decision.live[i]);
    if (is > may * (1 + 1e-9))
        fail_msg("%s: at %" PRId64 " s %g GPU-seconds are promised ahead, and %g may be", at_work,
                 run->decision.now_s, is, may);
}

static void step(struct run *run, int64_t at_s, const struct occurrence *more)
{
    struct occurrence told[2] = {{.kind = OCCURRENCE_EXPECTED}};
    struct error error;

    if (more)
        told[1] = *more;
    if (at_s == run->decision.now_s)
        told[0].kind = OCCURRENCE_TIMER;
    if (engine_step(run->engine, at_s, told, more ? 2 : 1, &run->decision, &error) < 0)
        fail_msg("%s: %s", at_work, error.text);
    check_share(run);
}

static const struct verdict *verdict_of(const struct run *run, uint64_t number)
{
    for (size_t i = 0; i < run->decision.decided_count; i++)
        if (run->decision.decided[i].job->submission->number == number)
            return &run->decision.decided[i].verdict;
    return NULL;
}

/* The job comes; what it is told. */
static struct verdict submit(struct run *run, const struct submission *job)
{
    const struct verdict *verdict;

    while (run->decision.next_s < job->submit_s)
        step(run, run->decision.next_s, NULL);
    step(run, job->submit_s, &(struct occurrence){.kind = OCCURRENCE_SUBMITTED, .submission = job});
    while (!(verdict = verdict_of(run, job->number)))
        step(run, run->decision.next_s, NULL);
    return *verdict;
}

/* A job that was denied comes again at the time that was named. */
struct again {
    struct run *run;
    const struct submission *job;
    int64_t at_s;
};

struct answer {
    bool promised;
    bool is_share; /* is why it is not */
};

static void come_again(void *argument, void *result)
{
    const struct again *again = argument;
    struct answer *answer = result;
    struct submission job = *again->job;
    struct job_level level = job.levels[0];
    struct verdict verdict;

    job.number = JOBS_MAX + 1;
    job.deadline_s += again->at_s - job.submit_s;
    job.submit_s = again->at_s;
    level.deadline_s = job.deadline_s;
    job.levels = &level;
    verdict = submit(again->run, &job);
    answer->promised = verdict_promises(&verdict);
    answer->is_share = verdict.reason == REASON_PROMISE_SHARE;
}

static void try_again(struct run *run, const struct submission *job, int64_t free_s)
{
    struct again again = {run, job, free_s > run->decision.now_s ? free_s : run->decision.now_s};
    struct answer answer;
    struct error error;

    assert_true(free_s > job->submit_s);
    if (processes_try(come_again, &again, &answer, sizeof(answer), &error) < 0)
        fail_msg("%s: %s", at_work, error.text);
    if (answer.is_share)
        fail_msg("%s: %s, denied at %" PRId64 " s, is denied for the share at %" PRId64 " s, too",
                 at_work, job->id, job->submit_s, free_s);
    run->named++;
    run->accepted += answer.promised;
}

static void judge(struct run *run, const struct submission *job, const struct verdict *verdict)
{
    const struct share_seen *seen = &verdict->share;

    run->promised[job->shares != NULL] += verdict_promises(verdict);
    assert_int_equal(seen->of != NULL, verdict->reason == REASON_PROMISE_SHARE);
    if (!seen->of)
        return;
    assert_ptr_equal(seen->of, &run->play->share);
    assert_int_equal(verdict->kind, VERDICT_DECLINED);
    assert_true(seen->is + seen->more > seen->may);
    assert_int_equal(seen->free_s == DEADLINE_NONE_S, seen->more > seen->may);
    run->denied++;
    if (run->denied % 4 == 1 && seen->free_s != DEADLINE_NONE_S)
        try_again(run, job, seen->free_s);
}

static struct run run_of(const struct play *play)
{
    struct run run = {.play = play, .decision = {.next_s = NEVER_S, .now_s = -1}};
    struct error error;

    run.engine = engine_new(&play->setting, &error);
    if (!run.engine)
        fail_msg("%s: %s", at_work, error.text);
    for (size_t i = 0; i < play->count; i++) {
        const struct verdict verdict = submit(&run, &play->jobs[i]);

        run.told[i] = verdict.kind;
        judge(&run, &play->jobs[i], &verdict);
    }
    while (run.decision.next_s != NEVER_S)
        step(&run, run.decision.next_s, NULL);
    engine_destroy(&run.engine);
    return run;
}

/* ---- the tests ---- */

static void open_play(struct play *play, uint64_t seed)
{
    rng_t rng = rng_new(seed, "shares");

    (void)snprintf(at_work, sizeof(at_work), "seed %" PRIu64, seed);
    pick_play(&rng, play);
}

static void unlimit(struct play *play)
{
    for (size_t i = 0; i < play->count; i++)
        play->jobs[i].share_count = 0;
}

TEST(no_more_is_promised_than_a_share_and_the_named_time_is_true)
{
    const uint64_t first = test_seed();
    const long seeds = test_times(SEEDS);
    struct run all = {0};
    int unlimited = 0; /* promised to others where bob has no limit */

    for (long i = 0; i < seeds; i++) {
        static struct play play;
        struct run run;

        open_play(&play, first + (uint64_t)i);
        run = run_of(&play);
        all.promised[0] += run.promised[0];
        all.promised[1] += run.promised[1];
        all.denied += run.denied;
        all.named += run.named;
        all.accepted += run.accepted;
        unlimit(&play);
        unlimited += run_of(&play).promised[0];
    }
    print_message("promised: %d of others, %d without a limit; %d of bob, %d denied, %d of %d "
                  "promised at the time that was named\n",
                  all.promised[0], unlimited, all.promised[1], all.denied, all.accepted, all.named);
    assert_true(all.denied > 2 * seeds);
    assert_true(all.promised[0] >= unlimited);
    assert_true(2 * all.accepted > all.named);
}

TEST(a_share_that_is_never_reached_decides_nothing)
{
    const uint64_t first = test_seed();
    const long seeds = test_times(SEEDS);

    for (long i = 0; i < seeds; i++) {
        static struct play play;
        struct run limited;
        struct run free;

        open_play(&play, first + (uint64_t)i);
        play.share.of = 1;
        play.share.horizon_s = 1000000000;
        limited = run_of(&play);
        unlimit(&play);
        free = run_of(&play);
        assert_int_equal(limited.denied, 0);
        if (memcmp(limited.told, free.told, sizeof(free.told)) != 0)
            fail_msg("%s: a share that is never reached changes what is promised", at_work);
    }
}

int main(void)
{
    return tests_run(tables_set_up, tables_tear_down);
}
