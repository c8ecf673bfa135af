/* rubato_chains_test.c - pipelines under rubato, drawn at random: no job starts before its parents
 * have ended, a pipeline that is promised ends by its deadline as long as nothing fails, its jobs
 * are promised together or not at all, and those that wait for a job that failed end with a cause
 * that names it.
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

#define SEEDS      150
#define JOBS_MAX   80
#define PARENTS_OF 3
#define STEPS_MAX  20000
#define UNPROMISED (-1)
#define STAGES_MAX 5

struct play {
    struct engine_setting setting;
    struct promising options;
    struct submission jobs[JOBS_MAX];
    struct job_level levels[JOBS_MAX];
    struct parent parents[JOBS_MAX][PARENTS_OF];
    char ids[JOBS_MAX][16];
    size_t count;
    bool has_faults;
    bool over[JOBS_MAX];
    bool done[JOBS_MAX];
    int64_t promised_s[JOBS_MAX];
};

static char at_work[64]; /* which run it is */

/* ---- what is drawn ---- */

static void add_parent(struct play *play, size_t child, size_t parent, bool any)
{
    struct submission *job = &play->jobs[child];

    play->parents[child][job->parent_count++] =
        (struct parent){.number = parent, .id = play->ids[parent], .any = any};
    job->parents = play->parents[child];
}

static void pick_job(rng_t *rng, struct play *play, int64_t submit_s)
{
    const throughput_table_t *table = tables_for_engine(tables_a100());
    const struct throughput_row *row;
    const size_t i = play->count++;

    do /* one model has no rates beyond 8 GPUs */
        row = throughput_row_at(table, rng_below(rng, throughput_count(table)));
    while (!strcmp(row->model, "resnet50_cifar10"));
    (void)snprintf(play->ids[i], sizeof(play->ids[i]), "job-%zu", i);
    play->jobs[i] = (struct submission){.id = play->ids[i],
                                        .number = i,
                                        .throughput = row,
                                        .model = row->model,
                                        .batch_size = row->batch_size,
                                        .submit_s = submit_s,
                                        .duration_s = (int64_t)rng_log_uniform(rng, 60, 20000),
                                        .gpus_requested = row->gpus[0],
                                        .deadline_s = DEADLINE_NONE_S,
                                        .best_effort = true};
    play->jobs[i].iterations =
        (int64_t)ceil((double)play->jobs[i].duration_s * row->iters_per_s[0]);
    play->promised_s[i] = UNPROMISED;
}

static void set_deadline(rng_t *rng, struct play *play, size_t i, double work_s)
{
    struct submission *job = &play->jobs[i];

    job->deadline_s = job->submit_s + (int64_t)(work_s * rng_log_uniform(rng, 0.2, 4));
    job->best_effort = false;
    play->levels[i] = (struct job_level){job->deadline_s, LEVEL_VALUE_FULL};
    job->levels = &play->levels[i];
    job->level_count = 1;
}

/* Jobs of one submission, or each a while after the one before; the last has the deadline. */
static int64_t pick_pipeline(rng_t *rng, struct play *play, int64_t at_s)
{
    const size_t first = play->count;
    const size_t stages = 1 + (size_t)test_pick(rng, STAGES_MAX);
    const bool at_once = test_pick(rng, 3) > 0;
    double work_s = 0;

    for (size_t i = first; i < first + stages && i < JOBS_MAX; i++) {
        at_s += at_once ? 0 : test_pick(rng, 500);
        pick_job(rng, play, at_s);
        work_s += (double)play->jobs[i].duration_s;
        for (size_t parent = first; parent < i; parent++)
            if ((parent + 1 == i || test_pick(rng, 4) == 0) &&
                play->jobs[i].parent_count < PARENTS_OF)
                add_parent(play, i, parent, test_pick(rng, 4) == 0);
        if (test_pick(rng, 8) == 0)
            set_deadline(rng, play, i, work_s);
    }
    set_deadline(rng, play, play->count - 1, work_s);
    return at_s;
}

static void pick_play(rng_t *rng, struct play *play)
{
    static const int slots[] = {0, 1, 30, 60, 240};
    static const int restarts[] = {0, 2, 7, 100};
    static const struct cluster_spec clusters[] = {CLUSTER_OF(1, 1, 8), CLUSTER_OF(1, 2, 4),
                                                   CLUSTER_OF(1, 4, 8)};
    const double gap_s = rng_log_uniform(rng, 10, 20000);
    const size_t count = 1 + (size_t)test_pick(rng, JOBS_MAX - STAGES_MAX);
    int64_t at_s = 0;

    *play = (struct play){.options = PROMISING_DEFAULT, .has_faults = test_pick(rng, 3) == 0};
    play->options.fails_each = (uint64_t)(test_pick(rng, 3) == 0 ? 3 : 0);
    play->setting =
        (struct engine_setting){.policy = policy_find("rubato"),
                                .placement = placement_find("best-fit"),
                                .cluster = clusters[test_pick(rng, COUNT(clusters))],
                                .gpu_type = "A100",
                                .slot_s = slots[test_pick(rng, COUNT(slots))],
                                .restart_threshold = restarts[test_pick(rng, COUNT(restarts))],
                                .options = &play->options,
                                .lists_holdings = true};
    while (play->count < count)
        at_s = pick_pipeline(rng, play, at_s + (int64_t)(-gap_s * log(1 - rng_unit(rng))));
}

/* ---- what is looked at ---- */

static void check_starts(const struct play *play, const struct decision *decision)
{
    for (size_t i = 0; i < decision->holding_count; i++) {
        const struct submission *job = decision->holdings[i].job->submission;

        for (size_t k = 0; k < job->parent_count; k++)
            if (!play->done[job->parents[k].number] &&
                !(job->parents[k].any && play->over[job->parents[k].number]))
                fail_msg("%s starts at %" PRId64 " before %s has ended", job->id, decision->now_s,
                         job->parents[k].id);
    }
}

static void check_orphan(const struct play *play, const struct disturbance *orphan)
{
    const struct submission *job = orphan->job->submission;
    const struct parent *parent = &job->parents[orphan->job->lost_parent - 1];

    if (!play->over[parent->number] || play->done[parent->number] || parent->any)
        fail_msg("%s ends for %s, which did its work", job->id, parent->id);
    if (!strstr(orphan->cause, parent->id))
        fail_msg("%s ends without the name of %s: %s", job->id, parent->id, orphan->cause);
}

static void note(struct play *play, const struct decision *decision)
{
    for (size_t i = 0; i < decision->retired_count; i++) {
        const struct job *job = decision->retired[i].job;

        play->over[job->number] = play->done[job->number] = true;
        if (play->promised_s[job->number] != UNPROMISED && !play->has_faults &&
            job->end_s > play->promised_s[job->number])
            fail_msg("%s ends at %" PRId64 ", promised %" PRId64, job->submission->id, job->end_s,
                     play->promised_s[job->number]);
    }
    for (size_t i = 0; i < decision->decided_count; i++)
        if (verdict_promises(&decision->decided[i].verdict))
            play->promised_s[decision->decided[i].job->number] =
                decision->decided[i].verdict.promised_s;
    for (size_t i = 0; i < decision->disturbance_count; i++)
        if (decision->disturbances[i].kind == DISTURBANCE_ORPHANED) {
            check_orphan(play, &decision->disturbances[i]);
            play->over[decision->disturbances[i].job->number] = true;
        } else if (decision->disturbances[i].kind == DISTURBANCE_SLIPS && !play->has_faults) {
            fail_msg("the promise of %s is withdrawn: %s",
                     decision->disturbances[i].job->submission->id,
                     decision->disturbances[i].cause);
        }
    check_starts(play, decision);
}

/* ---- a run ---- */

/* A job that is there, of which nothing else is heard; NULL for none. */
static struct occurrence pick_fault(rng_t *rng, struct play *play, const struct decision *decision)
{
    static const enum occurrence_kind kinds[] = {OCCURRENCE_FAILED, OCCURRENCE_CANCELLED};
    const struct job *job = decision->live[rng_below(rng, decision->live_count)];

    play->over[job->number] = true;
    return (struct occurrence){
        .kind = kinds[test_pick(rng, 2)], .row = UINT32_MAX, .job = job->number};
}

static void run_play(rng_t *rng, struct play *play, long *promised)
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
    while (decision.next_s != NEVER_S) {
        const bool fails = play->has_faults && decision.live_count > 0 && test_pick(rng, 20) == 0;

        told[0] = (struct occurrence){.kind = OCCURRENCE_EXPECTED};
        if (fails)
            told[1] = pick_fault(rng, play, &decision);
        if (engine_step(engine, decision.next_s, told, fails ? 2 : 1, &decision, &error) < 0)
            fail_msg("%s", error.text);
        note(play, &decision);
        if (++steps > STEPS_MAX)
            fail_msg("%d steps, and no end", steps);
    }
    assert_int_equal(engine_status(engine).settled, play->count);
    for (size_t i = 0; i < play->count; i++)
        *promised += play->promised_s[i] != UNPROMISED && play->jobs[i].parent_count > 0;
    engine_destroy(&engine);
}

TEST(pipelines_are_promised_whole_and_kept)
{
    const uint64_t seed = test_seed();
    const long seeds = test_times(SEEDS);
    long promised = 0;

    for (long i = 0; i < seeds; i++) {
        static struct play play;
        rng_t rng = rng_new(seed + (uint64_t)i, "rubato chains");

        (void)snprintf(at_work, sizeof(at_work), "seed %" PRIu64, seed + (uint64_t)i);
        pick_play(&rng, &play);
        run_play(&rng, &play, &promised);
    }
    print_message("%ld pipelines promised\n", promised);
    assert_true(promised > seeds);
    at_work[0] = '\0';
}

int main(void)
{
    const int failed = tests_run(tables_set_up, tables_tear_down);

    if (failed)
        (void)fprintf(stderr, "it was %s\n", at_work);
    return failed;
}
