/* occurrence_property_test.c - whatever happens and whenever, what must hold of every decision
 * holds under every policy, every job ends once there is peace, and another engine that is told the
 * same decides the same; so does one that is written and read back now and then, and one that sets
 * jobs aside as long as all goes as planned.
 *
 * RUBATO_SEED chooses the first seed, RUBATO_TIMES how many there are; each is for all policies, or
 * for RUBATO_POLICY. */
#include "common/log.h"
#include "common/rng.h"
#include "scheduler/policies/promising.h"
#include "scheduler/reference/leasing.h"
#include "scheduler/reference/quirks.h"
#include "scheduler/snapshot/engine_archive.h"
#include "tests/engine/exchanged_engines.h"
#include "tests/engine/occurrence_log.h"
#include "tests/engine/scripted_cluster.h"
#include "tests/support/seed.h"
#include "tests/support/tables.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS     200
#define JOBS_MAX  40
#define STEPS_MAX 60000 /* to the end of a run: far more than any has rounds */

static const struct cluster_spec clusters[] = {
    CLUSTER_OF(1, 2, 4), CLUSTER_OF(1, 4, 2), CLUSTER_OF(1, 4, 4), CLUSTER_OF(1, 1, 8),
    CLUSTER_OF(1, 8, 1), CLUSTER_OF(2, 2, 4), CLUSTER_OF(1, 3, 8), CLUSTER_OF(2, 4, 2),
    CLUSTER_OF(1, 4, 3), CLUSTER_OF(1, 2, 6),
};

static tables_t *tables;

FIXTURE(set_up)
{
    (void)log_to_file("/dev/null");
    tables = tables_new("A100");
    return 0;
}

FIXTURE(tear_down)
{
    tables_destroy(&tables);
    return 0;
}

/* A run, and the room for it. */
struct play {
    struct variant variant;
    struct leasing leasing;
    struct promising promising;
    struct engine_setting setting;
    struct mischief mischief;
    struct submission jobs[JOBS_MAX];
    struct job_level levels[JOBS_MAX][3];
    char ids[JOBS_MAX][24];
    struct parent parents[JOBS_MAX][2];
    size_t job_count;
    size_t first_count; /* so many are announced at first */
    int64_t begin_s;
};

static char at_work[64]; /* which run it is */

/* How often something happens: never, seldom or often. */
static double pick_rate(rng_t *rng, double often)
{
    return test_pick(rng, 3) == 0 ? 0 : often * rng_unit(rng) * rng_unit(rng);
}

static struct mischief pick_mischief(rng_t *rng)
{
    return (struct mischief){.node_leaves = pick_rate(rng, 0.5),
                             .node_drains = pick_rate(rng, 0.3),
                             .node_joins = 0.1 + pick_rate(rng, 0.5),
                             .node_blinks = pick_rate(rng, 0.3),
                             .node_stays = pick_rate(rng, 0.3),
                             .node_shrinks = pick_rate(rng, 0.3),
                             .job_slows = pick_rate(rng, 0.3),
                             .job_lags = pick_rate(rng, 0.1),
                             .job_loses = pick_rate(rng, 0.3),
                             .job_fails = pick_rate(rng, 0.05),
                             .job_leaves = pick_rate(rng, 0.2),
                             .job_comes = 0.02 + pick_rate(rng, 0.8),
                             .pays = pick_rate(rng, 0.5),
                             .unheard = pick_rate(rng, 0.2),
                             .stray = pick_rate(rng, 0.3),
                             .as_expected = pick_rate(rng, 1),
                             .timer = pick_rate(rng, 0.3),
                             .early = 0.01 + pick_rate(rng, 1),
                             .again = pick_rate(rng, 0.5),
                             .late = pick_rate(rng, 0.3),
                             .nodes_left = test_pick(rng, 4) > 0,
                             .steps = 1 + test_pick(rng, 150)};
}

static void pick_levels(rng_t *rng, struct play *play, size_t i)
{
    struct submission *job = &play->jobs[i];

    job->deadline_s =
        job->submit_s + (int64_t)((double)job->duration_s * rng_log_uniform(rng, 0.6, 8));
    job->levels = play->levels[i];
    job->level_count = test_pick(rng, 4) == 0 ? 2 : 1;
    play->levels[i][0] = (struct job_level){job->deadline_s, LEVEL_VALUE_FULL};
    play->levels[i][1] = (struct job_level){job->deadline_s + 1 + test_pick(rng, 5000), 4};
}

/* Jobs arrive within an hour or so, some before the run begins and few far ahead, whenever they are
 * announced. */
static int64_t pick_arrival(rng_t *rng, const struct play *play)
{
    const int64_t span_s = 40 * play->setting.slot_s;
    const int64_t at_s = play->begin_s - span_s / 10 + (int64_t)rng_below(rng, (uint64_t)span_s);

    if (test_pick(rng, 20) == 0)
        return at_s + (int64_t)rng_below(rng, 1000000);
    return at_s > 0 ? at_s : 0;
}

static const struct throughput_row *pick_row(rng_t *rng)
{
    const throughput_table_t *table = tables_for_engine(tables);
    const struct throughput_row *row;

    do /* one model has no rates beyond 8 GPUs */
        row = throughput_row_at(table, rng_below(rng, throughput_count(table)));
    while (!strcmp(row->model, "resnet50_cifar10"));
    return row;
}

static const struct job_share shares[] = {{"bob", 0.1, 3600}, {"@ml", 0.2, 7200}, {"sue", 1, 60}};

static void pick_job(rng_t *rng, struct play *play, size_t i, uint64_t number)
{
    const struct throughput_row *row = pick_row(rng);
    const int gpus = cluster_spec_gpus(&play->setting.cluster);
    struct submission *job = &play->jobs[i];
    int size = 1 << test_pick(rng, 5);

    while (size > gpus)
        size /= 2;
    (void)snprintf(play->ids[i], sizeof(play->ids[i]), "job-%zu", i);
    *job = (struct submission){
        .id = play->ids[i],
        .number = number,
        .throughput = row,
        .model = row->model,
        .batch_size = row->batch_size,
        .submit_s = pick_arrival(rng, play),
        .duration_s = (int64_t)ceil(rng_log_uniform(rng, 10, 30 * (double)play->setting.slot_s)),
        .gpus_requested = size,
        .deadline_s = DEADLINE_NONE_S,
        .best_effort = test_pick(rng, 6) == 0};
    job->iterations =
        (int64_t)ceil((double)job->duration_s * row->iters_per_s[0] * rng_log_uniform(rng, 0.5, 4));
    if (!job->best_effort)
        pick_levels(rng, play, i);
    job->shares = shares + i % 2;
    job->share_count = i % 3;
}

/* Of jobs that are told of together, some wait for others. */
static void pick_parents(rng_t *rng, struct play *play)
{
    for (size_t i = 1; i < play->first_count; i++) {
        struct submission *job = &play->jobs[i];

        if (test_pick(rng, 4) > 0)
            continue;
        job->parents = play->parents[i];
        job->parent_count = i > 1 ? 1 + (size_t)test_pick(rng, 2) : 1;
        for (size_t k = 0; k < job->parent_count; k++) {
            const struct submission *parent = &play->jobs[k == 0 ? 0 : i - 1];

            play->parents[i][k] = (struct parent){
                .number = parent->number, .id = parent->id, .any = test_pick(rng, 2) == 0};
        }
    }
}

static void pick_jobs(rng_t *rng, struct play *play)
{
    uint64_t number = test_pick(rng, 2) == 0 ? 0 : rng_below(rng, UINT64_C(1) << 60);

    play->job_count = 1 + (size_t)test_pick(rng, JOBS_MAX);
    play->first_count = (size_t)test_pick(rng, (int)play->job_count + 1);
    for (size_t i = 0; i < play->job_count; i++) {
        pick_job(rng, play, i, number);
        number += 1 + rng_below(rng, 3);
    }
}

static void pick_leasing(rng_t *rng, struct play *play)
{
    static const int64_t leases_s[] = {240, 240, 120, 60, 20};
    struct error error;

    play->leasing = (struct leasing)LEASING_DEFAULT;
    play->leasing.lease_s = leases_s[test_pick(rng, COUNT(leases_s))];
    play->leasing.admission_s = play->leasing.lease_s * (1 + test_pick(rng, 2));
    play->leasing.check_s = test_pick(rng, 3) == 0 ? play->leasing.lease_s / 4 : 0;
    if (leasing_settle(&play->leasing, play->setting.slot_s, &error) < 0)
        fail_msg("%s", error.text);
    play->setting.options = &play->leasing;
}

static void pick_promising(rng_t *rng, struct play *play)
{
    play->promising = (struct promising)PROMISING_DEFAULT;
    play->promising.spare_nodes = test_pick(rng, 3);
    play->promising.node_loss_s = test_pick(rng, 600);
    play->promising.fails_each = (uint64_t)test_pick(rng, 10);
    play->promising.confidence = test_pick(rng, 2) * 95;
    play->setting.options = &play->promising;
}

/* The rules of the reference, the clean ones, or some of these. */
static void pick_rules(rng_t *rng, const char *policy, struct play *play)
{
    const int kind = test_pick(rng, 3);
    char rules[400] = "";
    struct error error;

    for (size_t i = 0; quirk_at(i) && kind == 0; i++) {
        const size_t used = strlen(rules);

        if (quirk_at(i)->clean && quirk_is_of(quirk_at(i), policy) && test_pick(rng, 2) == 0)
            (void)snprintf(rules + used, sizeof(rules) - used, "%s%s", used > 0 ? "," : "",
                           quirk_at(i)->tag);
    }
    if (!*rules)
        (void)snprintf(rules, sizeof(rules), kind == 1 ? RULES_CLEAN : RULES_REFERENCE);
    if (policy_with_rules(policy_find(policy), rules, &play->variant, &error) < 0)
        fail_msg("%s", error.text);
}

/* Whether the cluster can be planned with, and placed on, without the artifact's odd cases. */
static bool is_plain(const struct play *play)
{
    const int gpus = cluster_spec_gpus(&play->setting.cluster);
    const int per_node = play->setting.cluster.pools[0].gpus_per_node;

    if ((gpus & (gpus - 1)) != 0 && play->variant.policy.gpus_max != policy_gpus_requested)
        return false;
    return (per_node & (per_node - 1)) == 0 || !play->setting.placement->place;
}

static void pick_placement(rng_t *rng, struct play *play)
{
    const char *own = play->variant.policy.placement;

    play->setting.placement = placement_find(own ? own : "best-fit");
    if (!play->setting.placement->by_policy && test_pick(rng, 4) == 0)
        play->setting.placement = placement_find("best-fit");
    do
        play->setting.cluster = clusters[test_pick(rng, COUNT(clusters))];
    while (!is_plain(play));
}

/* All jobs are announced at first, and go as planned for a while. */
static void begin_calmly(rng_t *rng, struct play *play)
{
    play->first_count = play->job_count;
    play->mischief.calm_steps = 1 + test_pick(rng, 60);
    play->mischief.steps += play->mischief.calm_steps;
}

static void pick_play(rng_t *rng, const char *policy, struct play *play)
{
    static const int slots[] = {30, 60, 240};

    *play = (struct play){.mischief = pick_mischief(rng), .begin_s = test_pick(rng, 100000)};
    play->setting = (struct engine_setting){
        .policy = &play->variant.policy,
        .gpu_type = "A100",
        .lists_holdings = true,
        .slot_s = slots[test_pick(rng, COUNT(slots))],
        .restart_threshold = test_pick(rng, 2) == 0 ? 0 : 10 + test_pick(rng, 20)};
    pick_rules(rng, policy, play);
    pick_placement(rng, play);
    if (play->variant.policy.reads_no_tables)
        pick_leasing(rng, play);
    if (play->variant.policy.keeps_plan && test_pick(rng, 2) == 0)
        pick_promising(rng, play);
    if (play->variant.policy.options && !play->setting.options)
        play->setting.options = play->variant.policy.options->usual;
    pick_jobs(rng, play);
    if (test_pick(rng, 3) == 0)
        begin_calmly(rng, play);
    if (test_pick(rng, 3) == 0)
        pick_parents(rng, play);
}

/* What came up over all runs. */
struct tally {
    struct mischief_tally sum;
    long runs;
    long exchanged;
    size_t aside; /* steps of which jobs were set aside */
    long aborted; /* where the artifact aborts, too: nothing had gone otherwise than planned */
};

static void add(struct tally *tally, const struct mischief_tally *more)
{
    struct mischief_tally *sum = &tally->sum;

    sum->steps += more->steps;
    sum->left += more->left;
    sum->joined += more->joined;
    sum->slowed += more->slowed;
    sum->lagged += more->lagged;
    sum->lost += more->lost;
    sum->failed += more->failed;
    sum->cancelled += more->cancelled;
    sum->paid += more->paid;
    sum->same_time += more->same_time;
    sum->late += more->late;
    sum->past += more->past;
    sum->ahead += more->ahead;
}

static engine_t *new_engine(const struct play *play)
{
    struct error error;
    engine_t *engine = engine_new(&play->setting, &error);

    if (!engine)
        fail_msg("%s", error.text);
    return engine;
}

/* Where the artifact aborts an engine does so, too, as long as all went as planned. */
static void check_abort(const engine_t *engine, const struct error *error)
{
    if (engine_status(engine).disturbed ||
        (!strstr(error->text, "artifact") && !strstr(error->text, "throughput table has no")))
        fail_msg("%s", error->text);
}

/* ---- what another version had jobs hold ---- */

#define GPUS_MAX 64

struct held_before {
    struct taken_over items[JOBS_MAX];
    int ranks[JOBS_MAX][GPUS_MAX];
    size_t count;
    const struct job *last[JOBS_MAX]; /* jobs that held GPUs by the decision before */
    size_t last_count;
    struct release released[JOBS_MAX];
    long taken_over;
};

static void remember(struct held_before *self, const struct decision *decision)
{
    self->count = 0;
    for (size_t i = 0; i < decision->holding_count; i++) {
        const struct job *job = decision->holdings[i].job;
        int *ranks = self->ranks[self->count];

        assert_true(job_gpus(job) <= GPUS_MAX);
        self->items[self->count++] = (struct taken_over){
            job->submission->number, ranks, cluster_ranks(decision->cluster, job, ranks)};
    }
}

/* Jobs that hold GPUs hold those that they held before; no other job holds any. */
static void check_taken_over(const struct held_before *self, const struct decision *decision,
                             size_t taken)
{
    int ranks[GPUS_MAX];

    assert_int_equal(decision->holding_count, taken);
    for (size_t i = 0; i < decision->holding_count; i++) {
        const struct job *job = decision->holdings[i].job;
        const int count = cluster_ranks(decision->cluster, job, ranks);
        size_t k = 0;

        while (k < self->count && self->items[k].job != job->submission->number)
            k++;
        assert_true(k < self->count);
        assert_int_equal(count, self->items[k].count);
        assert_memory_equal(ranks, self->items[k].ranks, (size_t)count * sizeof(*ranks));
    }
}

static bool holds(const struct decision *decision, const struct job *job)
{
    for (size_t i = 0; i < decision->holding_count; i++)
        if (decision->holdings[i].job == job)
            return true;
    return false;
}

/* Why the decision of the step itself releases `job`. */
static enum freed_why why_released(const struct decision *decision, const struct job *job)
{
    for (size_t i = 0; i < decision->released_count; i++)
        if (decision->released[i].job == job)
            return decision->released[i].why;
    return FREED_PAUSED;
}

/* The jobs that held GPUs by the decision before are held on or released. */
static void amend(struct held_before *self, const struct decision *stands,
                  struct decision *decision)
{
    size_t count = 0;

    for (size_t i = 0; i < self->last_count; i++)
        if (!holds(stands, self->last[i]))
            self->released[count++] =
                (struct release){self->last[i], why_released(decision, self->last[i])};
    decision->holdings = stands->holdings;
    decision->holding_count = stands->holding_count;
    decision->released = self->released;
    decision->released_count = count;
}

static void note_last(struct held_before *self, const struct decision *decision)
{
    self->last_count = decision->holding_count;
    for (size_t i = 0; i < decision->holding_count; i++)
        self->last[i] = decision->holdings[i].job;
}

static void take_over(struct held_before *self, const struct policy *policy, engine_t *engine,
                      struct decision *decision)
{
    struct decision stands;
    size_t taken;

    if (policy->stages.place) /* which is not told */
        return;
    taken = engine_take_over(engine, self->items, self->count);
    engine_stands(engine, &stands);
    check_taken_over(self, &stands, taken);
    amend(self, &stands, decision);
    self->taken_over += (long)taken;
}

/* ---- runs ---- */

/* Returns whether it came to its end. */
static bool run_play(const struct play *play, scripted_cluster_t *cluster, occurrence_log_t *log)
{
    engine_t *engine = new_engine(play);
    struct happening next =
        scripted_cluster_begin(cluster, engine, play->begin_s, play->first_count);
    struct decision decision;
    struct error error;
    int more;
    long steps = 0;

    do {
        occurrence_log_hear(log, next.now_s, next.items, next.count);
        more = engine_step(engine, next.now_s, next.items, next.count, &decision, &error);
        if (more < 0)
            break;
        occurrence_log_decide(log, &decision);
        more = scripted_cluster_next(cluster, engine, &decision, &next, &error);
        if (++steps > STEPS_MAX)
            fail_msg("%s: %" PRIu64 " steps, and %zu jobs are left at %" PRId64 " s",
                     play->variant.policy.name, (uint64_t)steps, decision.live_count,
                     decision.now_s);
    } while (more > 0);
    if (more < 0)
        check_abort(engine, &error);
    engine_destroy(&engine);
    return more == 0;
}

static size_t check_set_aside(const struct play *play, const occurrence_log_t *log)
{
    struct engine_setting setting = play->setting;
    struct error error;
    engine_t *engine;
    size_t aside;

    setting.sets_aside = true;
    engine = engine_new(&setting, &error);
    assert_non_null(engine);
    aside = occurrence_log_check(log, engine);
    engine_destroy(&engine);
    return aside;
}

static void run_seed(uint64_t seed, const char *policy, struct tally *tally)
{
    static struct play play;
    rng_t rng = rng_new(seed, policy);
    scripted_cluster_t *cluster;
    occurrence_log_t *log = occurrence_log_new();
    engine_t *other;
    struct mischief_tally came_up;

    (void)snprintf(at_work, sizeof(at_work), "seed %" PRIu64 " under %s", seed, policy);
    pick_play(&rng, policy, &play);
    cluster = scripted_cluster_new(&play.mischief, &rng);
    scripted_cluster_open(cluster, &play.setting);
    scripted_cluster_offer(cluster, play.jobs, play.job_count);
    tally->aborted += !run_play(&play, cluster, log);
    other = new_engine(&play);
    (void)occurrence_log_check(log, other);
    if (play.variant.policy.stages.gather)
        tally->aside += check_set_aside(&play, log);
    if (engine_has_archive(other)) {
        exchanged_engines_check(
            &(struct exchanged_engines){&play.setting, play.jobs, play.job_count, &rng}, log,
            other);
        tally->exchanged++;
    }
    engine_destroy(&other);
    came_up = scripted_cluster_tally(cluster);
    add(tally, &came_up);
    tally->runs++;
    scripted_cluster_destroy(&cluster);
    occurrence_log_destroy(&log);
}

/* Now and then jobs hold what they held some steps before. */
static long run_with_take_overs(const struct play *play, scripted_cluster_t *cluster, rng_t *rng)
{
    static struct held_before before;
    engine_t *engine = new_engine(play);
    struct happening next =
        scripted_cluster_begin(cluster, engine, play->begin_s, play->first_count);
    struct decision decision;
    struct error error;
    int more = 1;

    before.count = before.last_count = 0;
    before.taken_over = 0;
    for (long steps = 0; more > 0; steps++) {
        assert_true(steps < STEPS_MAX);
        if (engine_step(engine, next.now_s, next.items, next.count, &decision, &error) < 0)
            fail_msg("%s", error.text);
        if (test_pick(rng, 6) == 0)
            take_over(&before, &play->variant.policy, engine, &decision);
        else if (test_pick(rng, 4) == 0)
            remember(&before, &decision);
        note_last(&before, &decision);
        more = scripted_cluster_next(cluster, engine, &decision, &next, &error);
    }
    if (more < 0)
        fail_msg("%s", error.text);
    engine_destroy(&engine);
    return before.taken_over;
}

TEST(jobs_go_on_with_what_another_version_had_given_them)
{
    static const char *const policies[] = {"rubato", "fifo", "srtf", "lsf", "fifo-first-fit"};
    static struct play play;
    const uint64_t first = test_seed();
    const long times = test_times(60);
    long taken_over = 0;

    for (long i = 0; i < times * (long)COUNT(policies); i++) {
        const char *policy = policies[i % (long)COUNT(policies)];
        const uint64_t seed = first + (uint64_t)(i / (long)COUNT(policies));
        rng_t rng = rng_new(seed, policy);
        scripted_cluster_t *cluster;

        (void)snprintf(at_work, sizeof(at_work), "take-overs, seed %" PRIu64 " under %s", seed,
                       policy);
        pick_play(&rng, policy, &play);
        cluster = scripted_cluster_new(&play.mischief, &rng);
        scripted_cluster_open(cluster, &play.setting);
        scripted_cluster_offer(cluster, play.jobs, play.job_count);
        taken_over += run_with_take_overs(&play, cluster, &rng);
        scripted_cluster_destroy(&cluster);
    }
    print_message("%ld times a job held what it had held before\n", taken_over);
    assert_true(taken_over > times);
}

TEST(whatever_happens_decisions_hold)
{
    const uint64_t seed = test_seed();
    const long seeds = test_times(SEEDS);
    const char *only = getenv("RUBATO_POLICY");
    struct tally tally = {0};

    for (long i = 0; i < seeds; i++)
        for (const char *const *name = policy_names(); *name; name++)
            if (!strcmp(policy_find(*name)->name, *name) && /* no alias */
                (!only || !strcmp(only, *name)))
                run_seed(seed + (uint64_t)i, *name, &tally);
    printf(
        "%ld runs of %ld steps, %ld of them at the time of the last and %ld late; nodes left %ld "
        "times and joined %ld; jobs were slow %ld, for good %ld, lost work %ld, failed %ld, were "
        "cancelled %ld, paid %ld; %ld came too late, %ld far ahead; %ld runs ended as the "
        "artifact does; %ld were written and read back; in %zu steps jobs were set aside\n",
        tally.runs, tally.sum.steps, tally.sum.same_time, tally.sum.late, tally.sum.left,
        tally.sum.joined, tally.sum.slowed, tally.sum.lagged, tally.sum.lost, tally.sum.failed,
        tally.sum.cancelled, tally.sum.paid, tally.sum.past, tally.sum.ahead, tally.aborted,
        tally.exchanged, tally.aside);
    assert_true(tally.aborted * 10 < tally.runs);
    assert_true(tally.exchanged > 0);
    assert_true(tally.aside > 0 || tally.runs < 1000);
}

int main(void)
{
    const int failures = tests_run(set_up, tear_down);

    if (failures > 0)
        printf("it was %s\n", at_work);
    return failures;
}
