/* rubato_burst_test.c - few arrivals, many at once, or jobs that are cancelled or declined are no
 * evidence that GPU time is scarce: a quiet cluster promises to them all that its plan can keep.
 *
 * RUBATO_SEED chooses the first seed, RUBATO_TIMES how many there are. */
#include "common/rng.h"
#include "scheduler/engine/engine.h"
#include "scheduler/policies/promising.h"
#include "tests/support/seed.h"
#include "tests/support/tables.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS    2000
#define JOBS_MAX 32

/* More than a start costs, with a restart of all. */
#define START_S 200

/* More work than any confidence below has a job pay for before one was seen. */
#define MARGIN 1.12

/* ---- what is drawn ---- */

struct play {
    struct engine_setting setting;
    struct promising options;
    struct submission jobs[JOBS_MAX];
    struct job_level levels[JOBS_MAX];
    char ids[JOBS_MAX][16];
    int64_t leaves_s[JOBS_MAX]; /* when the user cancels the job; 0: never */
    size_t count;
};

static void open_play(rng_t *rng, struct play *play)
{
    static const int nodes[] = {1, 2, 3, 5, 8, 16};
    static const int slots[] = {0, 1, 30, 60, 120, 180, 240, 300};
    static const double confidences[] = {0, 0, 95, 99};

    *play =
        (struct play){.setting = {.policy = policy_find("rubato"),
                                  .placement = placement_find("best-fit"),
                                  .cluster = CLUSTER_OF(1, nodes[test_pick(rng, COUNT(nodes))], 8),
                                  .gpu_type = "A100",
                                  .slot_s = slots[test_pick(rng, COUNT(slots))],
                                  .restart_threshold = 0},
                      .options = {.node_loss_s = 700,
                                  .confidence = confidences[test_pick(rng, COUNT(confidences))]}};
}

static double margin_of(const struct play *play)
{
    return play->options.confidence > 0 ? MARGIN : 1;
}

/* The next job of `play`: `seconds` on the GPUs of the column. */
static struct submission *add_job(rng_t *rng, struct play *play, int column, double seconds,
                                  int64_t submit_s)
{
    const throughput_table_t *table = tables_for_engine(tables_a100());
    const struct throughput_row *row;
    const size_t i = play->count++;
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
                               .promise_or_decline = test_pick(rng, 4) == 0};
    return job;
}

static void set_deadline(struct play *play, struct submission *job, int64_t deadline_s)
{
    struct job_level *level = &play->levels[job->number];

    job->deadline_s = deadline_s;
    *level = (struct job_level){deadline_s, LEVEL_VALUE_FULL};
    job->levels = level;
    job->level_count = 1;
}

/* ---- a run ---- */

struct outcome {
    int promised;    /* of the jobs from some number on, when they arrive */
    int jobs_denied; /* a promise for the sake of jobs to come */
};

static void judge(const struct decision *decision, size_t first, struct outcome *outcome)
{
    for (size_t i = 0; i < decision->decided_count; i++) {
        const struct verdict *verdict = &decision->decided[i].verdict;

        outcome->promised += decision->decided[i].job->submission->number >= first &&
                             verdict->kind == VERDICT_PROMISED;
        outcome->jobs_denied += verdict->reason == REASON_JOBS_TO_COME;
    }
}

/* Cancels the jobs that leave at `now_s`. */
static size_t cancel(const struct play *play, int64_t now_s, struct occurrence told[])
{
    size_t count = 0;

    for (size_t i = 0; i < play->count; i++)
        if (play->leaves_s[i] == now_s)
            told[count++] = (struct occurrence){
                .kind = OCCURRENCE_CANCELLED, .row = UINT32_MAX, .job = play->jobs[i].number};
    return count;
}

static int64_t next_leave_s(const struct play *play, int64_t now_s)
{
    int64_t next_s = NEVER_S;

    for (size_t i = 0; i < play->count; i++)
        if (play->leaves_s[i] > now_s && play->leaves_s[i] < next_s)
            next_s = play->leaves_s[i];
    return next_s;
}

/* What the jobs of `play` are told, and those from number `first` on promised. */
static struct outcome run(const struct play *play, size_t first)
{
    struct engine_setting setting = play->setting;
    struct occurrence told[JOBS_MAX + 1];
    struct decision decision = {.next_s = NEVER_S};
    struct outcome outcome = {0};
    struct error error;
    engine_t *engine;
    int64_t now_s = play->jobs[0].submit_s;
    size_t count = play->count;

    setting.options = &play->options;
    engine = engine_new(&setting, &error);
    for (size_t i = 0; i < count; i++)
        told[i] = (struct occurrence){.kind = OCCURRENCE_SUBMITTED, .submission = &play->jobs[i]};
    if (!engine)
        fail_msg("%s", error.text);
    while (now_s != NEVER_S) {
        int64_t leave_s;

        if (engine_step(engine, now_s, told, count, &decision, &error) < 0)
            fail_msg("%s", error.text);
        judge(&decision, first, &outcome);
        leave_s = next_leave_s(play, now_s);
        now_s = decision.next_s < leave_s ? decision.next_s : leave_s;
        count = cancel(play, now_s, told);
        told[count++] = (struct occurrence){.kind = OCCURRENCE_EXPECTED};
    }
    engine_destroy(&engine);
    return outcome;
}

/* ---- jobs of one second ---- */

/* Each ends in time on the GPUs of its column, and the cluster has these for all of them. */
static void draw_burst(rng_t *rng, struct play *play)
{
    int free_gpus;

    open_play(rng, play);
    free_gpus = cluster_spec_gpus(&play->setting.cluster);
    while (play->count < JOBS_MAX && free_gpus > 0) {
        const int column = test_pick(rng, 4);
        const double seconds = ceil(rng_log_uniform(rng, 60, 40000));
        struct submission *job;

        if ((1 << column) > free_gpus)
            break;
        job = add_job(rng, play, column, seconds, 100);
        free_gpus -= job->gpus_requested;
        set_deadline(play, job,
                     100 + (int64_t)(seconds * margin_of(play) * (1.05 + rng_unit(rng))) + START_S +
                         2 * play->setting.slot_s);
    }
}

TEST(jobs_of_a_second_that_all_fit_are_all_promised)
{
    const uint64_t first = test_seed();
    const long seeds = test_times(SEEDS);

    for (long i = 0; i < seeds; i++) {
        rng_t rng = rng_new(first + (uint64_t)i, "burst");
        struct play play;
        int promised;

        draw_burst(&rng, &play);
        promised = run(&play, 0).promised;
        if (promised < (int)play.count)
            fail_msg("seed %" PRIu64 ": %d of %zu jobs are promised", first + (uint64_t)i, promised,
                     play.count);
    }
}

/* Jobs of any deadlines, which need more GPUs than there are: a plan alone decides on them. */
static void draw_crowd(rng_t *rng, struct play *play)
{
    const double tightness = rng_log_uniform(rng, 0.5, 10);

    open_play(rng, play);
    for (size_t i = 2 + (size_t)test_pick(rng, JOBS_MAX - 2); i > 0; i--) {
        const double seconds = ceil(rng_log_uniform(rng, 60, 40000));
        struct submission *job = add_job(rng, play, test_pick(rng, 4), seconds, 100);

        set_deadline(play, job, 100 + (int64_t)(seconds * tightness * (0.5 + rng_unit(rng))));
    }
}

TEST(jobs_of_a_second_are_denied_nothing_for_jobs_to_come)
{
    const uint64_t first = test_seed();
    const long seeds = test_times(SEEDS);
    int promised = 0;

    for (long i = 0; i < seeds; i++) {
        rng_t rng = rng_new(first + (uint64_t)i, "crowd");
        struct play play;
        struct outcome outcome;

        draw_crowd(&rng, &play);
        outcome = run(&play, 0);
        promised += outcome.promised;
        if (outcome.jobs_denied > 0)
            fail_msg("seed %" PRIu64 ": %d of %zu jobs make room for jobs to come",
                     first + (uint64_t)i, outcome.jobs_denied, play.count);
    }
    assert_true(promised > seeds);
}

/* ---- jobs that came before ---- */

/* Small jobs, which need less than a tenth of the GPU time of the window of the job that comes
 * next, their starts included. Returns the time when all of them have ended. */
static int64_t draw_small_jobs(rng_t *rng, struct play *play, double window_s)
{
    const int gpus = cluster_spec_gpus(&play->setting.cluster);
    const double gpu_s = 0.09 * gpus * window_s;
    const int count = 1 + test_pick(rng, (int)fmin(JOBS_MAX - 2, gpu_s / START_S));
    const int64_t gap_s = (int64_t)rng_log_uniform(rng, 1, 1000);
    int64_t ended_s = 0;

    for (int i = 0; i < count; i++) {
        const double seconds = ceil(rng_unit(rng) * fmax(1, gpu_s / count - START_S));
        struct submission *job = add_job(rng, play, 0, seconds, 100 + i * gap_s);

        set_deadline(play, job, job->submit_s + (int64_t)(3 * seconds) + INT64_C(3) * START_S);
        ended_s += (int64_t)seconds + START_S + play->setting.slot_s;
    }
    return 100 + count * gap_s + ended_s;
}

/* A job that is asked for after all small ones have ended. */
TEST(few_gpu_seconds_that_came_deny_nothing)
{
    const uint64_t first = test_seed();
    const long seeds = test_times(SEEDS);
    int promised = 0;

    for (long i = 0; i < seeds; i++) {
        rng_t rng = rng_new(first + (uint64_t)i, "few");
        const double window_s = ceil(rng_log_uniform(&rng, 1000, 40000));
        struct play play;
        struct play alone;
        struct submission *asked;
        int64_t at_s;

        open_play(&rng, &play);
        alone = play;
        at_s = draw_small_jobs(&rng, &play, window_s);
        asked =
            add_job(&rng, &play, test_pick(&rng, 4), window_s * (0.5 + 0.6 * rng_unit(&rng)), at_s);
        set_deadline(&play, asked, asked->submit_s + (int64_t)window_s);
        alone.count = 1;
        alone.jobs[0] = *asked;
        alone.jobs[0].number = 0;
        if (run(&alone, 0).promised == 0)
            continue;
        promised++;
        if (run(&play, asked->number).promised == 0)
            fail_msg("seed %" PRIu64 ": %zu small jobs deny a promise", first + (uint64_t)i,
                     play.count - 1);
    }
    assert_true(promised > seeds / 4);
}

/* A job that is asked for at any time meanwhile, when the GPUs of all small ones and its own are
 * there at once. */
TEST(few_gpu_seconds_that_run_deny_nothing)
{
    const uint64_t first = test_seed();
    const long seeds = test_times(SEEDS);

    for (long i = 0; i < seeds; i++) {
        rng_t rng = rng_new(first + (uint64_t)i, "beside");
        const double window_s = ceil(rng_log_uniform(&rng, 1000, 40000));
        struct play play;
        struct submission *asked;
        int gpus;
        int64_t last_s;

        open_play(&rng, &play);
        gpus = cluster_spec_gpus(&play.setting.cluster);
        (void)draw_small_jobs(&rng, &play, window_s);
        if ((int)play.count > gpus - 8)
            play.count = (size_t)(gpus > 8 ? gpus - 8 : 1);
        last_s = play.jobs[play.count - 1].submit_s;
        asked = add_job(&rng, &play, test_pick(&rng, gpus > 8 ? 4 : 3),
                        (window_s - START_S - 2 * (double)play.setting.slot_s) / 1.05 / MARGIN,
                        last_s + test_pick(&rng, (int)window_s));
        set_deadline(&play, asked, asked->submit_s + (int64_t)window_s);
        if (run(&play, asked->number).promised == 0)
            fail_msg("seed %" PRIu64 ": %zu small jobs deny a promise", first + (uint64_t)i,
                     play.count - 1);
    }
}

/* ---- jobs that come one after another ---- */

/* Whether `play` has room for all its jobs: each is worth so many times more than the one before
 * that no job to come is cheaper. */
static bool all_fit(const struct play *play, int64_t times)
{
    struct play rising = *play;
    int64_t worth = 1;

    rising.options.objective = PROMISE_VALUE;
    for (size_t i = 0; i < play->count; i++, worth *= times) {
        rising.levels[i].value = worth;
        rising.jobs[i].levels = &rising.levels[i];
        rising.jobs[i].promise_or_decline = false;
    }
    return run(&rising, 0).promised == (int)play->count;
}

/* Plays of `draw` that have room for all their jobs promise all of them, but for one in `except`.
 */
static void check_flows(const char *name, void (*draw)(rng_t *rng, struct play *play),
                        int64_t times, int except)
{
    const uint64_t first = test_seed();
    const long seeds = test_times(SEEDS);
    int fit = 0;
    int short_of = 0;

    for (long i = 0; i < seeds; i++) {
        rng_t rng = rng_new(first + (uint64_t)i, name);
        struct play play;
        int promised;

        open_play(&rng, &play);
        draw(&rng, &play);
        if (!all_fit(&play, times))
            continue;
        fit++;
        promised = run(&play, 0).promised;
        if (promised < (int)play.count && (int64_t)++short_of * except > seeds)
            fail_msg("seed %" PRIu64 ": %d of %zu jobs are promised", first + (uint64_t)i, promised,
                     play.count);
    }
    assert_true(fit > seeds / 2);
}

static int64_t draw_gap(rng_t *rng, double window_s)
{
    return (int64_t)ceil(rng_log_uniform(rng, 1, window_s));
}

/* Prices of two of these jobs are less than so many times apart. */
#define PRICES_APART 500

/* Few jobs of any need, a gap apart. */
static void draw_few(rng_t *rng, struct play *play)
{
    const double window_s = ceil(rng_log_uniform(rng, 1000, 40000));
    const int64_t gap_s = draw_gap(rng, window_s);
    const int count = 2 + test_pick(rng, 5);

    for (int i = 0; i < count; i++) {
        struct submission *job = add_job(rng, play, test_pick(rng, 4),
                                         window_s * (0.02 + 0.9 * rng_unit(rng)), 100 + i * gap_s);

        set_deadline(play, job,
                     job->submit_s +
                         (int64_t)(window_s * margin_of(play) * (0.8 + 0.4 * rng_unit(rng))) +
                         START_S + 2 * play->setting.slot_s);
    }
}

TEST(few_jobs_that_all_fit_are_all_promised_at_any_gap)
{
    check_flows("flow", draw_few, PRICES_APART, INT_MAX);
}

/* Many jobs, each like the first, a gap apart. Where one finds room by an earlier deadline only, by
 * which it needs more GPUs, the others are cheaper: such a play may fall short. */
static void draw_alike(rng_t *rng, struct play *play)
{
    const double window_s = ceil(rng_log_uniform(rng, 1000, 40000));
    const int64_t gap_s = draw_gap(rng, window_s);
    const int count = 2 + test_pick(rng, JOBS_MAX - 2);
    const int64_t due_s =
        (int64_t)(window_s * margin_of(play)) + START_S + 4 * play->setting.slot_s;

    (void)add_job(rng, play, 0, window_s * (0.02 + 0.7 * rng_unit(rng)), 100);
    set_deadline(play, &play->jobs[0], 100 + due_s);
    for (int i = 1; i < count; i++) {
        struct submission *job = add_job(rng, play, 0, 1, 100 + i * gap_s);
        const struct submission own = *job;

        *job = play->jobs[0];
        job->id = own.id;
        job->number = own.number;
        job->submit_s = own.submit_s;
        job->promise_or_decline = own.promise_or_decline;
        set_deadline(play, job, job->submit_s + due_s);
    }
}

TEST(jobs_alike_that_all_fit_are_all_promised_at_any_gap)
{
    check_flows("alike", draw_alike, 3, 200);
}

/* ---- jobs that leave ---- */

/* Jobs of any size that are cancelled seconds after they came, while they still start, or declined
 * at once. Returns when the last of them has left. */
static int64_t draw_leavers(rng_t *rng, struct play *play, double window_s)
{
    const double gap_s = rng_log_uniform(rng, 1, window_s / 4);
    int64_t submit_s = 100;
    int64_t left_s = 100;

    for (int i = 2 + test_pick(rng, JOBS_MAX - 3); i > 0; i--) {
        const double seconds = window_s * (0.1 + 0.8 * rng_unit(rng));
        struct submission *job = add_job(rng, play, test_pick(rng, 4), seconds, submit_s);
        int64_t *leaves_s = &play->leaves_s[job->number];

        set_deadline(play, job, submit_s + (int64_t)window_s + START_S);
        *leaves_s = submit_s + play->setting.slot_s + 1 + test_pick(rng, 5);
        left_s = *leaves_s > left_s ? *leaves_s : left_s;
        submit_s += (int64_t)ceil(gap_s * rng_unit(rng));
    }
    return left_s;
}

TEST(jobs_that_leave_deny_nothing)
{
    const uint64_t first = test_seed();
    const long seeds = test_times(SEEDS);

    for (long i = 0; i < seeds; i++) {
        rng_t rng = rng_new(first + (uint64_t)i, "leave");
        const double window_s = ceil(rng_log_uniform(&rng, 4000, 40000));
        struct play play;
        struct submission *asked;
        int64_t left_s;

        open_play(&rng, &play);
        left_s = draw_leavers(&rng, &play, window_s);
        asked = add_job(&rng, &play, test_pick(&rng, 4),
                        (window_s - START_S - 2 * (double)play.setting.slot_s) / 1.05 / MARGIN,
                        left_s + test_pick(&rng, (int)window_s));
        set_deadline(&play, asked, asked->submit_s + (int64_t)window_s);
        if (run(&play, asked->number).promised == 0)
            fail_msg("seed %" PRIu64 ": %zu jobs that left deny a promise", first + (uint64_t)i,
                     play.count - 1);
    }
}

int main(void)
{
    return tests_run(tables_set_up, tables_tear_down);
}
