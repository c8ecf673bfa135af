/* rubato_ends_test.c - nodes that are known to leave: no promise stands on one after its end,
 * whatever jobs come, and no promise is broken or withdrawn for an end that was known. So it is
 * with nodes that are reserved for a time, once or again and again, and are back after it, whether
 * the returns are known or not.
 *
 * RUBATO_SEED chooses the first seed, RUBATO_TIMES how many there are. */
#include "common/rng.h"
#include "scheduler/engine/engine.h"
#include "scheduler/policies/promising.h"
#include "tests/engine/decision_watch.h"
#include "tests/support/seed.h"
#include "tests/support/tables.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS      150
#define JOBS_MAX   100
#define NODES_MAX  32
#define STEPS_MAX  100000
#define EVENTS_MAX (JOBS_MAX + NODES_MAX)
#define TIMES_MAX  4 /* at which a node is out of use */

static char at_work[64]; /* which run it is */

/* ---- what is drawn ---- */

/* How the engine hears of returns: when nodes are back, beforehand, or both. */
enum returns { RETURNS_TOLD, RETURNS_KNOWN, RETURNS_BOTH };

struct play {
    struct engine_setting setting;
    struct promising options;
    struct submission jobs[JOBS_MAX];
    struct job_level levels[JOBS_MAX];
    char ids[JOBS_MAX][16];
    size_t job_count;
    struct absence {
        int64_t from_s; /* rising; NEVER_S after the last */
        int64_t to_s;   /* NEVER_S: the node does not come back */
    } absences[NODES_MAX][TIMES_MAX + 1];
    enum returns returns;
    struct stays again[NODES_MAX]; /* what was told last */
};

/* The first absence of a node that is not over. */
static const struct absence *absence_at(const struct play *play, int node, int64_t at_s)
{
    const struct absence *absence = play->absences[node];

    while (absence->from_s != NEVER_S && absence->to_s <= at_s)
        absence++;
    return absence;
}

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
                               .duration_s = (int64_t)ceil(rng_log_uniform(rng, 60, 20000)),
                               .gpus_requested = row->gpus[column],
                               .deadline_s = DEADLINE_NONE_S,
                               .best_effort = test_pick(rng, 8) == 0};
    job->iterations = (int64_t)ceil((double)job->duration_s * row->iters_per_s[column]);
    if (job->best_effort)
        return;
    job->deadline_s =
        submit_s + (int64_t)ceil((double)job->duration_s * tightness * (0.5 + rng_unit(rng)));
    job->promise_or_decline = test_pick(rng, 4) == 0;
    play->levels[i] = (struct job_level){job->deadline_s, LEVEL_VALUE_FULL};
    job->levels = &play->levels[i];
    job->level_count = 1;
}

static void pick_jobs(rng_t *rng, struct play *play)
{
    const double load = rng_log_uniform(rng, 0.3, 10);
    const double tightness = rng_log_uniform(rng, 0.5, 10);
    const double gap_s = 18000 / (load * cluster_spec_gpus(&play->setting.cluster));
    double at_s = 0;

    play->job_count = 1 + (size_t)test_pick(rng, JOBS_MAX);
    for (size_t i = 0; i < play->job_count; i++) {
        at_s += -gap_s * log(1 - rng_unit(rng));
        pick_job(rng, play, i, (int64_t)at_s, tightness);
    }
}

/* A node leaves for good, unless it `returns`, or is reserved once or again and again. */
static void pick_absences(rng_t *rng, struct absence absences[], int64_t from_s, bool returns)
{
    const int64_t long_s = 1 + (int64_t)rng_log_uniform(rng, 1, 20000);
    const int64_t every_s = long_s + 1 + (int64_t)rng_log_uniform(rng, 1, 40000);
    const int times = !returns && test_pick(rng, 2) == 0 ? 0 : 1 + test_pick(rng, TIMES_MAX);

    for (int i = 0; i < times; i++)
        absences[i] = (struct absence){from_s + i * every_s, from_s + i * every_s + long_s};
    if (times == 0)
        absences[0] = (struct absence){from_s, NEVER_S};
}

/* When nodes are out of use: some leave together, and at least one node stays, or is known to come
 * back. */
static void pick_ends(rng_t *rng, struct play *play)
{
    const int nodes = cluster_spec_nodes(&play->setting.cluster);
    const int stays = test_pick(rng, nodes);
    const bool all_leave = play->returns != RETURNS_TOLD && test_pick(rng, 3) == 0;
    const int64_t last_s = play->jobs[play->job_count - 1].submit_s + 1000;
    struct absence absences[TIMES_MAX + 1];

    for (int i = 0; i < nodes; i++) {
        for (int k = 0; k <= TIMES_MAX; k++)
            play->absences[i][k] = (struct absence){NEVER_S, NEVER_S};
        if (i == 0 || test_pick(rng, 3) > 0) {
            memcpy(absences, play->absences[i], sizeof(absences));
            pick_absences(rng, absences, 1 + (int64_t)rng_below(rng, (uint64_t)(2 * last_s)),
                          all_leave);
        }
        if (i == stays ? all_leave : all_leave || test_pick(rng, 3) > 0)
            memcpy(play->absences[i], absences, sizeof(absences));
    }
}

static void pick_play(rng_t *rng, struct play *play)
{
    static const struct cluster_spec clusters[] = {
        CLUSTER_OF(1, 4, 8), CLUSTER_OF(1, 16, 8), CLUSTER_OF(2, 2, 4), CLUSTER_OF(1, 2, 1),
        CLUSTER_OF(1, 3, 8), CLUSTER_OF(1, 5, 4),  CLUSTER_OF(1, 4, 3), CLUSTER_OF(1, 8, 4),
        CLUSTER_OF(1, 2, 8), CLUSTER_OF(1, 12, 2), CLUSTER_OF(1, 32, 8)};
    static const int slots[] = {0, 1, 30, 60, 120, 240, 300};
    static const int restarts[] = {0, 1, 2, 7, 100, 100, 100};
    static const uint64_t fails[] = {0, 0, 0, 2, 3, 10};

    *play = (struct play){.options = {.objective = (enum promise_objective)test_pick(rng, 3),
                                      .node_loss_s = 700,
                                      .confidence = test_pick(rng, 4) == 0 ? 95 : 0,
                                      .fails_each = fails[test_pick(rng, COUNT(fails))]}};
    play->setting =
        (struct engine_setting){.policy = policy_find("rubato"),
                                .placement = placement_find("best-fit"),
                                .cluster = clusters[test_pick(rng, COUNT(clusters))],
                                .gpu_type = "A100",
                                .slot_s = slots[test_pick(rng, COUNT(slots))],
                                .restart_threshold = restarts[test_pick(rng, COUNT(restarts))],
                                .lists_holdings = true};
    pick_jobs(rng, play);
    play->returns = (enum returns)test_pick(rng, 3);
    pick_ends(rng, play);
}

/* ---- a run ---- */

struct outcome {
    int promised;
    int on_time;
    int ended;   /* of the nodes */
    int back;    /* of the nodes */
    int outlive; /* jobs that are told that nodes end */
};

static void judge(const struct play *play, const struct decision *decision, bool promised[],
                  struct outcome *outcome)
{
    for (size_t i = 0; i < decision->decided_count; i++) {
        const struct verdict *verdict = &decision->decided[i].verdict;

        if (verdict_promises(verdict))
            promised[decision->decided[i].job->submission->number] = true;
        outcome->promised += verdict_promises(verdict);
        outcome->outlive += verdict->reason == REASON_NODES_END;
        if ((verdict->reason == REASON_NODES_END) != (verdict->known_until_s > 0))
            fail_msg("%s: a verdict does not say until when nodes are known", at_work);
    }
    for (size_t i = 0; i < decision->live_count; i++) {
        const struct job *job = decision->live[i];

        if (promised[job->submission->number] && job->promise.state != PROMISE_STANDS)
            fail_msg("%s: the promise of %s does not stand any more at %" PRId64, at_work,
                     job->submission->id, decision->now_s);
        for (int node = 0; job_holds(job) && node < cluster_spec_nodes(&play->setting.cluster);
             node++)
            if (absence_at(play, node, decision->now_s)->from_s <= decision->now_s &&
                cluster_stands_on(decision->cluster, job, node))
                fail_msg("%s: %s stands on node %d while that is out of use", at_work,
                         job->submission->id, node);
    }
    for (size_t i = 0; i < decision->retired_count; i++) {
        const struct job *job = decision->retired[i].job;
        const struct submission *submission = job->submission;
        const bool on_time =
            !submission->best_effort && job_ended_s(job) <= (double)submission->deadline_s;

        outcome->on_time += on_time;
        if (promised[submission->number] && !on_time)
            fail_msg("%s: %s was promised %" PRId64 " s, and ended at %g s", at_work,
                     submission->id, submission->deadline_s, job_ended_s(job));
    }
    for (size_t i = 0; i < decision->disturbance_count; i++) {
        outcome->ended += decision->disturbances[i].kind == DISTURBANCE_NODE_DRAINING;
        outcome->back += decision->disturbances[i].kind == DISTURBANCE_NODE_UP;
    }
}

/* A node is there until its next absence, and may be known to be there again. */
static struct occurrence stay(struct play *play, int node, int64_t at_s)
{
    const struct absence *absence = absence_at(play, node, at_s);
    struct stays *again = &play->again[node];
    struct stays stays = stays_whole(at_s, NEVER_S);

    for (const struct absence *next = absence; next->from_s != NEVER_S; next++)
        stays_leave_out(&stays, next->from_s, next->to_s);
    *again = stays_after_first(&stays);
    return (struct occurrence){.kind = OCCURRENCE_NODE_UP,
                               .node = node,
                               .until_s = absence->from_s,
                               .again = play->returns == RETURNS_TOLD ? NULL : again};
}

static size_t announce(struct play *play, struct occurrence events[])
{
    size_t count = 0;

    for (int i = 0; i < cluster_spec_nodes(&play->setting.cluster); i++)
        if (play->absences[i][0].from_s != NEVER_S)
            events[count++] = stay(play, i, 0);
    for (size_t i = 0; i < play->job_count; i++)
        events[count++] =
            (struct occurrence){.kind = OCCURRENCE_SUBMITTED, .submission = &play->jobs[i]};
    return count;
}

/* When nodes are told to be back next after `at_s`. */
static int64_t next_return_s(const struct play *play, int64_t at_s)
{
    int64_t next_s = NEVER_S;

    for (int i = 0;
         play->returns != RETURNS_KNOWN && i < cluster_spec_nodes(&play->setting.cluster); i++) {
        const int64_t to_s = absence_at(play, i, at_s)->to_s;

        next_s = to_s < next_s ? to_s : next_s;
    }
    return next_s;
}

/* The occurrences at `at_s`: the expected progress, and the nodes that are back. */
static size_t go_on(struct play *play, int64_t at_s, struct occurrence events[])
{
    size_t count = 0;

    events[count++] = (struct occurrence){.kind = OCCURRENCE_EXPECTED};
    for (int i = 0;
         play->returns != RETURNS_KNOWN && i < cluster_spec_nodes(&play->setting.cluster); i++)
        if (absence_at(play, i, at_s - 1)->to_s == at_s)
            events[count++] = stay(play, i, at_s);
    return count;
}

static struct outcome run(struct play *play)
{
    struct engine_setting setting = play->setting;
    struct occurrence *events = xcalloc(EVENTS_MAX, sizeof(*events));
    bool promised[JOBS_MAX] = {false};
    struct outcome outcome = {0};
    decision_watch_t *watch;
    struct decision decision = {.next_s = NEVER_S};
    struct error error;
    engine_t *engine;
    int64_t back_s;
    size_t count;
    int steps = 0;

    setting.options = &play->options;
    engine = engine_new(&setting, &error);
    watch = decision_watch_new(&setting);
    count = announce(play, events);
    if (!engine || engine_step(engine, 0, events, count, &decision, &error) < 0)
        fail_msg("%s: %s", at_work, error.text);
    decision_watch_hear(watch, events, count);
    for (;; steps++) {
        decision_watch_check(watch, engine, &decision);
        judge(play, &decision, promised, &outcome);
        if (decision.next_s == NEVER_S)
            break;
        if (steps == STEPS_MAX)
            fail_msg("%s: the run does not end", at_work);
        back_s = next_return_s(play, decision.now_s);
        back_s = back_s < decision.next_s ? back_s : decision.next_s;
        count = go_on(play, back_s, events);
        if (engine_step(engine, back_s, events, count, &decision, &error) < 0)
            fail_msg("%s: %s", at_work, error.text);
        decision_watch_hear(watch, events, count);
    }
    decision_watch_check_end(watch);
    decision_watch_destroy(&watch);
    engine_destroy(&engine);
    free(events);
    return outcome;
}

TEST(no_promise_is_broken_or_withdrawn_for_an_end_that_is_known)
{
    const uint64_t first = test_seed();
    const long seeds = test_times(SEEDS);
    struct outcome all = {0};
    int jobs = 0;

    for (long i = 0; i < seeds; i++) {
        rng_t rng = rng_new(first + (uint64_t)i, "ends");
        struct play *play = xcalloc(1, sizeof(*play));
        struct outcome outcome;

        (void)snprintf(at_work, sizeof(at_work), "seed %" PRIu64, first + (uint64_t)i);
        pick_play(&rng, play);
        outcome = run(play);
        jobs += (int)play->job_count;
        all.promised += outcome.promised;
        all.on_time += outcome.on_time;
        all.ended += outcome.ended;
        all.back += outcome.back;
        all.outlive += outcome.outlive;
        free(play);
    }
    print_message(
        "%d jobs, promised %d, on time %d, told of ends %d, nodes that left %d, back %d\n", jobs,
        all.promised, all.on_time, all.outlive, all.ended, all.back);
    assert_true(all.promised > 5 * seeds);
    assert_true(all.ended > seeds);
    assert_true(all.back > seeds);
    assert_true(all.outlive > seeds / 10);
}

/* ---- a node that leaves at 1,000 s ---- */

/* The verdict on a job that takes `duration_s` on 8 GPUs, and where it is promised whether it ends
 * in time; the node is there `again` after its end. */
static struct verdict ask_of(const struct stays *again, int64_t duration_s, int64_t deadline_s,
                             bool promise_or_decline)
{
    const struct throughput_row *row = throughput_row_at(tables_for_engine(tables_a100()), 0);
    const struct engine_setting setting = {.policy = policy_find("rubato"),
                                           .placement = placement_find("best-fit"),
                                           .cluster = CLUSTER_OF(1, 1, 8),
                                           .gpu_type = "A100",
                                           .slot_s = 60};
    struct job_level level = {deadline_s, LEVEL_VALUE_FULL};
    const struct submission job = {.id = "job",
                                   .throughput = row,
                                   .model = row->model,
                                   .batch_size = row->batch_size,
                                   .iterations =
                                       (int64_t)((double)duration_s * row->iters_per_s[3]),
                                   .gpus_requested = 8,
                                   .deadline_s = deadline_s,
                                   .promise_or_decline = promise_or_decline,
                                   .levels = &level,
                                   .level_count = 1};
    const struct occurrence events[] = {
        {.kind = OCCURRENCE_NODE_UP, .node = 0, .until_s = 1000, .again = again},
        {.kind = OCCURRENCE_SUBMITTED, .submission = &job},
    };
    struct decision decision;
    struct error error;
    engine_t *engine = engine_new(&setting, &error);
    struct verdict verdict;

    assert_non_null(engine);
    assert_int_equal(row->gpus[3], 8);
    assert_int_equal(engine_step(engine, 0, events, COUNT(events), &decision, &error), 0);
    assert_int_equal(decision.decided_count, 1);
    verdict = decision.decided[0].verdict;
    while (verdict_promises(&verdict) && decision.retired_count == 0) {
        const struct occurrence expected = {.kind = OCCURRENCE_EXPECTED};

        assert_true(decision.next_s <= deadline_s);
        assert_int_equal(engine_step(engine, decision.next_s, &expected, 1, &decision, &error), 0);
        for (size_t i = 0; i < decision.live_count; i++)
            assert_int_equal(decision.live[i]->promise.state, PROMISE_STANDS);
    }
    engine_destroy(&engine);
    return verdict;
}

static struct verdict ask(int64_t duration_s, int64_t deadline_s, bool promise_or_decline)
{
    const struct stays never = {.count = 0};

    return ask_of(&never, duration_s, deadline_s, promise_or_decline);
}

TEST(a_job_that_would_outlive_its_nodes_is_promised_nothing_and_told_why)
{
    struct verdict verdict = ask(4000, 6000, false);

    assert_int_equal(verdict.kind, VERDICT_BEST_EFFORT);
    assert_int_equal(verdict.reason, REASON_NODES_END);
    assert_int_equal(verdict.known_until_s, 1000);
    verdict = ask(4000, 6000, true);
    assert_int_equal(verdict.kind, VERDICT_DECLINED);
    assert_int_equal(verdict.reason, REASON_NODES_END);
    assert_int_equal(verdict.known_until_s, 1000);
}

TEST(a_job_that_ends_before_its_nodes_is_promised_a_later_deadline)
{
    const struct verdict verdict = ask(500, 6000, false);

    assert_int_equal(verdict.kind, VERDICT_PROMISED);
    assert_int_equal(verdict.known_until_s, 0);
}

TEST(a_job_is_promised_the_time_before_and_after_a_reservation)
{
    const struct stays again = stays_whole(2000, NEVER_S);
    struct verdict verdict = ask_of(&again, 4000, 6000, false);

    assert_int_equal(verdict.kind, VERDICT_PROMISED);
    verdict = ask_of(&again, 4000, 4500, false);
    assert_int_equal(verdict.kind, VERDICT_BEST_EFFORT);
    assert_int_equal(verdict.reason, REASON_NODES_END);
    assert_int_equal(verdict.known_until_s, 1000);
}

/* 1,000 s before the first of these times, and 23 hours between each two. */
TEST(a_job_is_promised_the_time_between_reservations_of_each_day)
{
    const int64_t hour_s = 3600;
    struct stays stays = stays_whole(0, NEVER_S);
    struct stays again;

    for (int64_t day = 0; day < 4; day++)
        stays_leave_out(&stays, 1000 + 24 * day * hour_s, 1000 + (24 * day + 1) * hour_s);
    again = stays_after_first(&stays);
    assert_int_equal(again.count, 4);
    assert_int_equal(ask_of(&again, 60 * hour_s, 65 * hour_s, false).kind, VERDICT_PROMISED);
    assert_int_equal(ask_of(&again, 60 * hour_s, 62 * hour_s, false).kind, VERDICT_BEST_EFFORT);
}

int main(void)
{
    return tests_run(tables_set_up, tables_tear_down);
}
