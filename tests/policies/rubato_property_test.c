/* rubato_property_test.c - whatever jobs come, no promise of rubato is broken, also where its
 * safety test fails at random; and it ends more jobs in time than the clean rules of the reference.
 *
 * RUBATO_SEED chooses the first seed, RUBATO_TIMES how many there are. */
#include "common/rng.h"
#include "scheduler/engine/engine.h"
#include "scheduler/policies/rubato.h"
#include "scheduler/reference/quirks.h"
#include "tests/engine/decision_watch.h"
#include "tests/support/seed.h"
#include "tests/support/tables.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS     150
#define JOBS_MAX  150
#define NODES_MAX 32

static char at_work[64]; /* which run it is */

/* ---- what is drawn ---- */

struct play {
    struct engine_setting setting;
    struct promising options;
    struct submission jobs[JOBS_MAX];
    struct job_level levels[JOBS_MAX];
    struct throughput_row rows[JOBS_MAX]; /* of jobs that want so many GPUs at least */
    char ids[JOBS_MAX][16];
    size_t job_count;
    bool has_trouble;     /* jobs are cancelled, there are rounds without need, nodes are lost */
    bool is_ruthless;     /* a job may lose more nodes than its promise survives */
    bool away[NODES_MAX]; /* nodes that are not there at the moment */
    int away_count;
    int hits[JOBS_MAX];   /* nodes lost on which the job stood, since it is promised */
    bool stood[JOBS_MAX]; /* the promise of the job stood after the last round */
    int64_t
        idle_until_s[JOBS_MAX]; /* a job waits for what a lost node held of it, and then starts */
    int start_s[JOBS_MAX];
};

static const struct throughput_row *pick_row(rng_t *rng)
{
    const throughput_table_t *table = tables_for_engine(tables_a100());
    const struct throughput_row *row;

    do /* one model has no rates beyond 8 GPUs */
        row = throughput_row_at(table, rng_below(rng, throughput_count(table)));
    while (!strcmp(row->model, "resnet50_cifar10"));
    return row;
}

static void pick_job(rng_t *rng, struct play *play, size_t i, int64_t submit_s, double tightness)
{
    const struct throughput_row *row = pick_row(rng);
    const int column = test_pick(rng, 4);
    struct submission *job = &play->jobs[i];

    (void)snprintf(play->ids[i], sizeof(play->ids[i]), "job-%zu", i);
    *job = (struct submission){.id = play->ids[i],
                               .number = i,
                               .throughput = row,
                               .model = row->model,
                               .batch_size = row->batch_size,
                               .submit_s = submit_s,
                               .duration_s = (int64_t)ceil(rng_log_uniform(rng, 60, 40000)),
                               .gpus_requested = row->gpus[column],
                               .deadline_s = DEADLINE_NONE_S,
                               .best_effort = test_pick(rng, 8) == 0};
    job->iterations = (int64_t)ceil((double)job->duration_s * row->iters_per_s[column]);
    if (job->best_effort)
        return;
    job->deadline_s =
        submit_s + (int64_t)ceil((double)job->duration_s * tightness * (0.5 + rng_unit(rng)));
    job->promise_or_decline = test_pick(rng, 4) == 0;
    play->levels[i] =
        (struct job_level){job->deadline_s, (1 + (int64_t)test_pick(rng, 20)) * LEVEL_VALUE_FULL};
    job->levels = &play->levels[i];
    job->level_count = 1;
}

/* A job takes some 6,000 s on about 3 GPUs. */
static void pick_jobs(rng_t *rng, struct play *play)
{
    const double load = rng_log_uniform(rng, 0.3, 10);
    const double tightness = rng_log_uniform(rng, 0.3, 10);
    const double gap_s = 18000 / (load * cluster_spec_gpus(&play->setting.cluster));
    double at_s = 0;

    play->job_count = 1 + (size_t)test_pick(rng, JOBS_MAX);
    for (size_t i = 0; i < play->job_count; i++) {
        at_s += -gap_s * log(1 - rng_unit(rng));
        pick_job(rng, play, i, (int64_t)at_s, tightness);
    }
}

static void pick_play(rng_t *rng, const struct cluster_spec clusters[], int count,
                      struct play *play)
{
    static const int slots[] = {0, 1, 30, 60, 120, 240, 300};
    static const int restarts[] = {0, 1, 2, 7, 100, 100, 100};
    static const uint64_t fails[] = {0, 0, 0, 2, 3, 10};

    *play = (struct play){.options = {.objective = (enum promise_objective)test_pick(rng, 3),
                                      .node_loss_s = 700,
                                      .fails_each = fails[test_pick(rng, COUNT(fails))]}};
    play->setting =
        (struct engine_setting){.placement = placement_find("best-fit"),
                                .cluster = clusters[test_pick(rng, count)],
                                .gpu_type = "A100",
                                .slot_s = slots[test_pick(rng, COUNT(slots))],
                                .restart_threshold = restarts[test_pick(rng, COUNT(restarts))],
                                .lists_holdings = true};
    pick_jobs(rng, play);
}

/* ---- a run ---- */

struct outcome {
    int promised;
    int on_time;
    int kept;
    int innocents; /* promises withdrawn or broken, though their jobs lost no more than they may */
    int overhit;   /* the same of jobs that lost more */
};

/* Notes what is promised, and looks whether it is kept if it `must` be. */
static void judge(const struct decision *decision, bool must, bool promised[],
                  struct outcome *outcome)
{
    for (size_t i = 0; i < decision->decided_count; i++)
        if (verdict_promises(&decision->decided[i].verdict)) {
            promised[decision->decided[i].job->submission->number] = true;
            outcome->promised++;
        } else if (must && decision->decided[i].job->submission->promise_or_decline &&
                   decision->decided[i].verdict.kind != VERDICT_DECLINED) {
            fail_msg("%s: %s runs without the promise that it wants", at_work,
                     decision->decided[i].job->submission->id);
        }
    for (size_t i = 0; i < decision->live_count; i++) {
        const struct job *job = decision->live[i];

        if (must && promised[job->submission->number] && job->promise.state != PROMISE_STANDS)
            fail_msg("%s: the promise of %s does not stand any more", at_work, job->submission->id);
    }
    for (size_t i = 0; i < decision->retired_count; i++) {
        const struct job *job = decision->retired[i].job;
        const struct submission *submission = job->submission;
        const bool on_time =
            !submission->best_effort && job_ended_s(job) <= (double)submission->deadline_s;

        outcome->on_time += on_time;
        if (must && promised[submission->number] && !on_time)
            fail_msg("%s: %s was promised %" PRId64 " s, and ended at %g s", at_work,
                     submission->id, submission->deadline_s, job_ended_s(job));
    }
}

/* A promise stands until its job loses more nodes than it survives, whatever others lose. Hits
 * count from the promise on. */
static void judge_losses(struct play *play, const struct decision *decision,
                         struct outcome *outcome)
{
    for (size_t i = 0; i < decision->live_count + decision->retired_count; i++) {
        const struct job *job = i < decision->live_count
                                    ? decision->live[i]
                                    : decision->retired[i - decision->live_count].job;
        const uint64_t number = job->submission->number;
        const enum promise_state state = job->promise.state;
        const bool stands = state == PROMISE_STANDS;

        if (play->stood[number] && (state == PROMISE_WITHDRAWN || state == PROMISE_BROKEN)) {
            const bool is_innocent = play->hits[number] <= play->options.spare_nodes;

            if (is_innocent)
                print_error("%s: the promise of %s, which lost %d nodes, is gone at %" PRId64
                            " s\n",
                            at_work, job->submission->id, play->hits[number], decision->now_s);
            *(is_innocent ? &outcome->innocents : &outcome->overhit) += 1;
        }
        if (stands && !play->stood[number])
            play->hits[number] = 0;
        play->stood[number] = stands;
        outcome->kept += state == PROMISE_KEPT;
    }
}

/* ---- nodes that are lost ---- */

/* What happens in a step: what every job does, or that and one thing more. */
struct happening {
    struct occurrence items[JOBS_MAX + 1];
    size_t count;
    int64_t at_s;
};

/* What stood on the node loses up to so many seconds: work that it did, and, if the node is gone,
 * then it waits. */
static void lose_work(rng_t *rng, const engine_t *engine, struct play *play,
                      const cluster_t *cluster, const struct occurrence *gone, int64_t now_s,
                      struct occurrence *progress)
{
    const struct job *job = engine_job(engine, progress->job);
    const double most_s = (double)play->options.node_loss_s;
    const double lost_s = fmin(most_s * rng_unit(rng) * 1.2, most_s);
    const double shares[] = {0, rng_unit(rng), 1};
    const double work_s =
        lost_s * (gone->kind == OCCURRENCE_NODE_GONE ? shares[test_pick(rng, 3)] : 1);

    if (!cluster_stands_on(cluster, job, gone->node) || progress->progress.done)
        return;
    play->idle_until_s[job->submission->number] = now_s + (int64_t)(lost_s - work_s);
    play->start_s[job->submission->number] = 0;
    progress->progress.iterations -= work_s * job->grant.rate;
    progress->progress.iterations = fmax(
        progress->progress.iterations, job->iterations_left - (double)job->submission->iterations);
    progress->progress.iterations_done = false;
    progress->deviates = true;
    progress->pace = 1;
}

/* The job begins when it has waited, and starts then. */
static void wait_idly(const engine_t *engine, struct play *play, int64_t from_s, int64_t to_s,
                      struct occurrence *progress)
{
    const struct job *job = engine_job(engine, progress->job);
    const uint64_t number = job->submission->number;
    int64_t begins_s;
    int64_t worked_s;

    if (play->idle_until_s[number] <= from_s - play->start_s[number])
        return;
    if (job->overhead_s > play->start_s[number])
        play->start_s[number] = job->overhead_s;
    begins_s = play->idle_until_s[number] + play->start_s[number];
    worked_s = to_s > begins_s ? to_s - begins_s : 0;
    if (worked_s >= progress->progress.worked_s)
        return;
    progress->progress =
        (struct progress){.iterations = (double)worked_s * job->grant.rate, .worked_s = worked_s};
    progress->deviates = true;
    progress->cause = "it waits";
    progress->pace = worked_s > 0 ? 0.5 : 0;
}

static bool is_hit_by(const struct job *job, const struct decision *decision, int node)
{
    return job->promise.state == PROMISE_STANDS && job_holds(job) &&
           cluster_stands_on(decision->cluster, job, node);
}

/* Not so many at a time that a promise need not survive it, nor the same job so often. */
static bool may_lose(const struct play *play, const struct decision *decision, int node)
{
    if (play->away_count >= play->options.spare_nodes)
        return false;
    if (play->is_ruthless)
        return true;
    for (size_t i = 0; i < decision->live_count; i++)
        if (is_hit_by(decision->live[i], decision, node) &&
            play->hits[decision->live[i]->submission->number] >= play->options.spare_nodes)
            return false;
    return true;
}

static void note_hits(struct play *play, const struct decision *decision, int node)
{
    for (size_t i = 0; i < decision->live_count; i++)
        play->hits[decision->live[i]->submission->number] +=
            is_hit_by(decision->live[i], decision, node);
}

static struct occurrence change_node(struct play *play, const struct decision *decision, int node)
{
    play->away[node] = !play->away[node];
    play->away_count += play->away[node] ? 1 : -1;
    if (play->away[node])
        note_hits(play, decision, node);
    return (struct occurrence){.kind = play->away[node] ? OCCURRENCE_NODE_GONE : OCCURRENCE_NODE_UP,
                               .node = node};
}

static struct occurrence pick_trouble(rng_t *rng, struct play *play,
                                      const struct decision *decision)
{
    const int node = test_pick(rng, cluster_spec_nodes(&play->setting.cluster));

    if (!play->is_ruthless && decision->live_count > 0 && test_pick(rng, 3) == 0)
        return (struct occurrence){
            .kind = OCCURRENCE_CANCELLED,
            .job = decision->live[test_pick(rng, (int)decision->live_count)]->submission->number};
    if (play->away[node])
        return change_node(play, decision, node);
    if (!may_lose(play, decision, node))
        return (struct occurrence){.kind = OCCURRENCE_TIMER};
    if (test_pick(rng, 3) > 0)
        return change_node(play, decision, node);
    note_hits(play, decision, node); /* only what runs there fails */
    return (struct occurrence){.kind = OCCURRENCE_TIMER, .node = node, .deviates = true};
}

static void list_progress(engine_t *engine, struct play *play, const struct decision *decision,
                          struct happening *happening)
{
    struct occurrence *progress;
    struct error error;
    const long count = engine_expect(engine, happening->at_s, &progress, &error);

    assert_true(count >= 0);
    happening->count = (size_t)count;
    for (size_t i = 0; i < happening->count; i++) {
        happening->items[i] = progress[i];
        wait_idly(engine, play, decision->now_s, happening->at_s, &happening->items[i]);
    }
}

/* Before the next round is due. */
static void bring_trouble(rng_t *rng, engine_t *engine, struct play *play,
                          const struct decision *decision, struct happening *happening)
{
    const struct occurrence trouble = pick_trouble(rng, play, decision);
    const int64_t last_s = decision->now_s + 3000;
    const int64_t until_s = decision->next_s < last_s ? decision->next_s : last_s;

    happening->at_s =
        decision->now_s + (int64_t)rng_below(rng, (uint64_t)(until_s - decision->now_s) + 1);
    list_progress(engine, play, decision, happening);
    if (trouble.kind == OCCURRENCE_NODE_GONE || trouble.deviates)
        for (size_t i = 0; i < happening->count; i++)
            lose_work(rng, engine, play, decision->cluster, &trouble, happening->at_s,
                      &happening->items[i]);
    happening->items[happening->count++] = trouble;
}

static void happen(rng_t *rng, engine_t *engine, struct play *play, const struct decision *decision,
                   struct happening *happening)
{
    happening->at_s = decision->next_s;
    list_progress(engine, play, decision, happening);
    if (play->has_trouble && test_pick(rng, 3) == 0)
        bring_trouble(rng, engine, play, decision, happening);
}

static struct outcome run(struct play *play, const struct policy *policy, bool watched)
{
    struct happening *happening = xcalloc(1, sizeof(*happening));
    rng_t rng = rng_new(play->job_count, "losses");
    struct engine_setting setting = play->setting;
    struct occurrence announced[JOBS_MAX];
    bool promised[JOBS_MAX] = {false};
    struct outcome outcome = {0};
    decision_watch_t *watch;
    struct decision decision = {.next_s = NEVER_S};
    struct error error;
    engine_t *engine;

    setting.policy = policy;
    setting.options = watched ? &play->options : NULL;
    if (policy->placement)
        setting.placement = placement_find(policy->placement);
    engine = engine_new(&setting, &error);
    watch = decision_watch_new(&setting);
    for (size_t i = 0; i < play->job_count; i++)
        announced[i] =
            (struct occurrence){.kind = OCCURRENCE_SUBMITTED, .submission = &play->jobs[i]};
    if (!engine || engine_step(engine, play->jobs[0].submit_s, announced, play->job_count,
                               &decision, &error) < 0)
        fail_msg("%s: %s", at_work, error.text);
    decision_watch_hear(watch, announced, play->job_count);
    for (;;) {
        if (watched)
            decision_watch_check(watch, engine, &decision);
        judge(&decision, watched && !play->is_ruthless, promised, &outcome);
        if (watched)
            judge_losses(play, &decision, &outcome);
        if (decision.next_s == NEVER_S)
            break;
        happen(&rng, engine, play, &decision, happening);
        if (engine_step(engine, happening->at_s, happening->items, happening->count, &decision,
                        &error) < 0)
            fail_msg("%s: %s", at_work, error.text);
        decision_watch_hear(watch, happening->items, happening->count);
    }
    if (watched)
        decision_watch_check_end(watch);
    decision_watch_destroy(&watch);
    engine_destroy(&engine);
    free(happening);
    return outcome;
}

/* ---- the tests ---- */

/* Also on clusters that are no power of two. */
TEST(no_promise_is_broken)
{
    static const struct cluster_spec clusters[] = {
        CLUSTER_OF(1, 4, 8),  CLUSTER_OF(1, 16, 8), CLUSTER_OF(2, 2, 4), CLUSTER_OF(1, 1, 1),
        CLUSTER_OF(1, 3, 8),  CLUSTER_OF(1, 5, 4),  CLUSTER_OF(1, 4, 3), CLUSTER_OF(3, 2, 6),
        CLUSTER_OF(1, 8, 16), CLUSTER_OF(3, 5, 8),  CLUSTER_OF(1, 32, 8)};
    const uint64_t first = test_seed();
    const long seeds = test_times(SEEDS);
    int promised = 0;

    for (long i = 0; i < seeds; i++) {
        rng_t rng = rng_new(first + (uint64_t)i, "promises");
        struct play *play = xcalloc(1, sizeof(*play));

        (void)snprintf(at_work, sizeof(at_work), "seed %" PRIu64, first + (uint64_t)i);
        pick_play(&rng, clusters, COUNT(clusters), play);
        promised += run(play, policy_find("rubato"), true).promised;
        free(play);
    }
    assert_true(promised > 10 * seeds);
}

/* Some jobs run on 2 to 16 GPUs at least, so that one may be lent GPUs of nodes in reserve beside
 * others. */
static void ask_for_more(rng_t *rng, struct play *play)
{
    for (size_t i = 0; i < play->job_count; i++) {
        struct throughput_row *row = &play->rows[i];

        *row = *play->jobs[i].throughput;
        throughput_limit(row, 1 << test_pick(rng, 5), 0);
        if (row->level_count > 0)
            play->jobs[i].throughput = row;
    }
}

/* As many nodes are lost as a promise is to survive at a time, and of each job, at any time and
 * with work of all that stood on them. They come back. Jobs are cancelled at any time. */
TEST(no_promise_is_broken_by_troubles_that_it_is_to_survive)
{
    static const struct cluster_spec clusters[] = {CLUSTER_OF(1, 4, 8), CLUSTER_OF(1, 16, 8),
                                                   CLUSTER_OF(2, 2, 4), CLUSTER_OF(1, 5, 4),
                                                   CLUSTER_OF(1, 6, 3), CLUSTER_OF(1, 32, 8)};
    const uint64_t first = test_seed();
    const long seeds = test_times(SEEDS);
    int promised = 0;

    for (long i = 0; i < seeds; i++) {
        rng_t rng = rng_new(first + (uint64_t)i, "losses");
        rng_t least = rng_new(first + (uint64_t)i, "least GPUs");
        struct play *play = xcalloc(1, sizeof(*play));

        (void)snprintf(at_work, sizeof(at_work), "losses, seed %" PRIu64, first + (uint64_t)i);
        pick_play(&rng, clusters, COUNT(clusters), play);
        play->has_trouble = true;
        play->options.spare_nodes = test_pick(&rng, 4);
        play->options.node_loss_s = test_pick(&rng, 1000);
        play->options.confidence = i % 3 == 0 ? 95 : 0;
        if (i % 2 == 0)
            ask_for_more(&least, play);
        promised += run(play, policy_find("rubato"), true).promised;
        free(play);
    }
    assert_true(promised > 5 * seeds);
}

/* Nodes are lost as above, but a job may lose any number of them one after the other. */
TEST(a_job_that_loses_too_many_nodes_costs_no_other_its_promise)
{
    static const struct cluster_spec clusters[] = {CLUSTER_OF(1, 4, 8), CLUSTER_OF(2, 2, 4),
                                                   CLUSTER_OF(1, 5, 4), CLUSTER_OF(1, 6, 3),
                                                   CLUSTER_OF(2, 5, 3), CLUSTER_OF(1, 16, 8)};
    const uint64_t first = test_seed();
    const long seeds = test_times(SEEDS);
    struct outcome all = {0};

    for (long i = 0; i < seeds; i++) {
        rng_t rng = rng_new(first + (uint64_t)i, "too many losses");
        struct play *play = xcalloc(1, sizeof(*play));
        struct outcome outcome;

        (void)snprintf(at_work, sizeof(at_work), "too many losses, seed %" PRIu64,
                       first + (uint64_t)i);
        pick_play(&rng, clusters, COUNT(clusters), play);
        play->has_trouble = play->is_ruthless = true;
        play->options.spare_nodes = 1 + test_pick(&rng, 2);
        play->options.node_loss_s = 100 + test_pick(&rng, 900);
        outcome = run(play, policy_find("rubato"), true);
        all.kept += outcome.kept;
        all.innocents += outcome.innocents;
        all.overhit += outcome.overhit;
        free(play);
    }
    print_message("kept: %d, lost: %d, and %d of jobs that lost too many nodes\n", all.kept,
                  all.innocents, all.overhit);
    assert_int_equal(all.innocents, 0);
    assert_true(all.overhit > seeds / 20);
}

/* A job alone with a node in reserve, which loses `lost_s` of its work at 600 s though all nodes
 * stay. Whether it is promised the deadline; the promise must be kept. */
static bool loses_work(int64_t deadline_s, int64_t lost_s)
{
    struct play play = {.options = {.spare_nodes = 1, .node_loss_s = 500}};
    struct occurrence events[2] = {{.kind = OCCURRENCE_SUBMITTED, .submission = &play.jobs[0]}};
    struct occurrence *progress;
    struct decision decision;
    struct error error;
    engine_t *engine;
    bool promised;

    play.setting = (struct engine_setting){.policy = policy_find("rubato"),
                                           .placement = placement_find("best-fit"),
                                           .cluster = CLUSTER_OF(1, 2, 8),
                                           .gpu_type = "A100",
                                           .slot_s = 60,
                                           .options = &play.options};
    play.levels[0] = (struct job_level){deadline_s, LEVEL_VALUE_FULL};
    play.jobs[0] =
        (struct submission){.id = "alone",
                            .throughput = throughput_row_at(tables_for_engine(tables_a100()), 0),
                            .model = "alone",
                            .iterations = 20000,
                            .deadline_s = deadline_s,
                            .gpus_requested = 1,
                            .levels = play.levels,
                            .level_count = 1};
    engine = engine_new(&play.setting, &error);
    assert_int_equal(engine_step(engine, 0, events, 1, &decision, &error), 0);
    promised = verdict_promises(&decision.decided[0].verdict);
    assert_int_equal(engine_expect(engine, 600, &progress, &error), 1);
    progress->progress.iterations -= (double)lost_s * engine_rate(engine, decision.live[0]);
    progress->deviates = true;
    assert_int_equal(engine_step(engine, 600, progress, 1, &decision, &error), 0);
    if (promised)
        assert_int_equal(decision.live[0]->promise.state, PROMISE_STANDS);
    engine_destroy(&engine);
    return promised;
}

TEST(what_a_promise_has_in_reserve_is_spent_before_it_is_withdrawn)
{
    int64_t deadline_s = 600;

    while (!loses_work(deadline_s, 0))
        deadline_s++;
    (void)loses_work(deadline_s, 500);
}

/* Three jobs on a node each, with another in reserve. At 100 s the node of the first and the spare
 * one are gone: on the two that are left all three end in time, but not with what the courses of
 * two of them keep for another loss. */
TEST(what_courses_keep_is_spent_before_a_promise_where_too_many_nodes_are_gone)
{
    struct play play = {.options = {.spare_nodes = 1, .node_loss_s = 3000}};
    const struct throughput_row *any = throughput_row_at(tables_for_engine(tables_a100()), 0);
    struct occurrence told[3] = {{.kind = OCCURRENCE_SUBMITTED}};
    struct decision decision;
    struct error error;
    engine_t *engine;
    int first = 0;

    play.setting = (struct engine_setting){.policy = policy_find("rubato"),
                                           .placement = placement_find("best-fit"),
                                           .cluster = CLUSTER_OF(1, 4, 8),
                                           .gpu_type = "A100",
                                           .slot_s = 60,
                                           .options = &play.options};
    for (size_t i = 0; i < 3; i++) {
        play.rows[i] = *any;
        throughput_limit(&play.rows[i], 8, 8);
        assert_int_equal(play.rows[i].level_count, 1);
        play.levels[i] = (struct job_level){5600, LEVEL_VALUE_FULL};
        play.jobs[i] =
            (struct submission){.id = "wide",
                                .number = i,
                                .throughput = &play.rows[i],
                                .model = "wide",
                                .batch_size = 64,
                                .iterations = (int64_t)(2000 * play.rows[i].iters_per_s[0]),
                                .deadline_s = 5600,
                                .gpus_requested = 8,
                                .levels = &play.levels[i],
                                .level_count = 1};
        told[i] = (struct occurrence){.kind = OCCURRENCE_SUBMITTED, .submission = &play.jobs[i]};
    }
    engine = engine_new(&play.setting, &error);
    assert_int_equal(engine_step(engine, 0, told, 3, &decision, &error), 0);
    assert_int_equal(decision.decided_count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_true(verdict_promises(&decision.decided[i].verdict));
    while (!cluster_stands_on(decision.cluster, decision.live[0], first))
        first++;
    told[0] = (struct occurrence){.kind = OCCURRENCE_EXPECTED};
    told[1] = (struct occurrence){.kind = OCCURRENCE_NODE_GONE, .node = first};
    told[2] = (struct occurrence){.kind = OCCURRENCE_NODE_GONE, .node = 3};
    for (size_t i = 0; i < 3; i++)
        assert_false(cluster_stands_on(decision.cluster, decision.live[i], 3));
    assert_int_equal(engine_step(engine, 100, told, 3, &decision, &error), 0);
    told[0] = (struct occurrence){.kind = OCCURRENCE_EXPECTED};
    while (decision.next_s != NEVER_S) {
        assert_int_equal(engine_step(engine, decision.next_s, told, 1, &decision, &error), 0);
        for (size_t i = 0; i < decision.live_count; i++)
            assert_int_equal(decision.live[i]->promise.state, PROMISE_STANDS);
        for (size_t i = 0; i < decision.retired_count; i++)
            assert_int_equal(decision.retired[i].job->promise.state, PROMISE_KEPT);
    }
    engine_destroy(&engine);
}

/* How many more jobs ended in time than under another policy, in hundredths of jobs beyond 1 %, and
 * the squares of this for each play. */
struct lead {
    double sum;
    double squares;
    int own;
    int other;
};

static void note_lead(struct lead *lead, int own, int other)
{
    const double beyond = 100 * own - 101 * other;

    lead->sum += beyond;
    lead->squares += beyond * beyond;
    lead->own += own;
    lead->other += other;
}

/* On clusters that the reference knows: more, and by 1 % unless chance has it, within three
 * standard errors of the plays that were drawn. */
TEST(more_jobs_end_in_time_than_under_any_other)
{
    static const struct cluster_spec clusters[] = {CLUSTER_OF(1, 4, 8), CLUSTER_OF(1, 8, 8),
                                                   CLUSTER_OF(1, 16, 8), CLUSTER_OF(1, 32, 8)};
    static const char *const names[] = {"ef", "ef-accessctrl", "edf-accessctrl"};
    const uint64_t first = test_seed();
    const long seeds = test_times(SEEDS);
    struct variant variants[COUNT(names)];
    struct lead leads[COUNT(names)] = {{0}};
    struct error error;

    for (size_t k = 0; k < COUNT(names); k++)
        if (policy_with_rules(policy_find(names[k]), RULES_CLEAN, &variants[k], &error) < 0)
            fail_msg("%s", error.text);
    for (long i = 0; i < seeds; i++) {
        rng_t rng = rng_new(first + (uint64_t)i, "on time");
        struct play *play = xcalloc(1, sizeof(*play));
        int own;

        (void)snprintf(at_work, sizeof(at_work), "seed %" PRIu64, first + (uint64_t)i);
        pick_play(&rng, clusters, COUNT(clusters), play);
        play->setting.slot_s = play->setting.slot_s < 30 ? 60 : play->setting.slot_s;
        play->setting.restart_threshold = 100;
        play->options.fails_each = 0;
        play->options.objective = PROMISE_JOBS;
        for (size_t j = 0; j < play->job_count; j++)
            play->jobs[j].promise_or_decline = false;
        own = run(play, policy_find("rubato"), true).on_time;
        for (size_t k = 0; k < COUNT(names); k++)
            note_lead(&leads[k], own, run(play, &variants[k].policy, false).on_time);
        free(play);
    }
    for (size_t k = 0; k < COUNT(names); k++) {
        print_message("on time: %d, %s %d\n", leads[k].own, names[k], leads[k].other);
        assert_true(leads[k].own > leads[k].other);
        assert_true(leads[k].sum + 3 * sqrt(leads[k].squares) > 0);
    }
}

int main(void)
{
    return tests_run(tables_set_up, tables_tear_down);
}
