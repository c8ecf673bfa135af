/* pools_test.c - rounds on a cluster of several pools with nodes that drain and depart: which job
 * goes where, at what price, when the engine wakes, and what a policy sees of it. */
#include "scheduler/engine/engine.h"
#include "scheduler/plan/plan.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#define JOBS   8
#define SLOT_S 60

static struct cluster_spec mixed = {.pools = {{.switches = 1,
                                               .nodes_per_switch = 2,
                                               .gpus_per_node = 4,
                                               .gpu_type = "A100",
                                               .name = "A100"},
                                              {.switches = 1,
                                               .nodes_per_switch = 2,
                                               .gpus_per_node = 2,
                                               .gpu_type = "T4",
                                               .name = "T4"}},
                                    .pool_count = 2};
static struct cluster_spec plain = CLUSTER_OF(1, 3, 4);

/* The second pool does half as much, and has no rate for 4 GPUs; a model of its own is there. */
static const struct throughput_row fast = {
    .model = "m", .batch_size = 8, .level_count = 3, .gpus = {1, 2, 4}, .iters_per_s = {1, 2, 4}};
static const struct throughput_row slow = {
    .model = "m", .batch_size = 8, .level_count = 3, .gpus = {1, 2, 4}, .iters_per_s = {0.5, 1, 0}};
static const struct pool_rows on_both = {.of = {&fast, &slow}};
static const struct pool_rows on_second = {.of = {NULL, &slow}};

static engine_t *engine;
static struct submission submissions[JOBS];
static size_t submitted;
static struct decision decision;
static struct error error;

static engine_t *try_open(const char *policy, const struct cluster_spec *cluster)
{
    const struct engine_setting setting = {.policy = policy_find(policy),
                                           .placement = placement_find("best-fit"),
                                           .cluster = *cluster,
                                           .cluster_name = "some.csv",
                                           .gpu_type = "A100",
                                           .slot_s = SLOT_S,
                                           .lists_holdings = true};

    return engine_new(&setting, &error);
}

static void start(const char *policy, const struct cluster_spec *cluster)
{
    engine_destroy(&engine);
    submitted = 0;
    engine = try_open(policy, cluster);
    if (!engine)
        fail_msg("%s", error.text);
}

FIXTURE(close_engine)
{
    engine_destroy(&engine);
    return 0;
}

static void step(int64_t now_s, const struct occurrence occurrences[], size_t count)
{
    if (engine_step(engine, now_s, occurrences, count, &decision, &error) < 0)
        fail_msg("%s", error.text);
}

/* A job of `gpus` GPUs and so many iterations, now. */
static struct occurrence job_of(int gpus, int64_t iterations, const struct pool_rows *rows)
{
    struct submission *submission = &submissions[submitted];

    *submission = (struct submission){.id = "job",
                                      .number = submitted++,
                                      .throughput = rows && !rows->of[0] ? &slow : &fast,
                                      .pool_rows = rows,
                                      .model = "m",
                                      .deadline_s = DEADLINE_NONE_S,
                                      .iterations = iterations,
                                      .batch_size = 8,
                                      .gpus_requested = gpus,
                                      .duration_s = -1,
                                      .best_effort = true};
    return (struct occurrence){.kind = OCCURRENCE_SUBMITTED, .submission = submission};
}

static struct occurrence node(enum occurrence_kind kind, int position, int64_t until_s)
{
    return (struct occurrence){.kind = kind, .node = position, .until_s = until_s};
}

/* All goes as expected up to `now_s`, when `more` happens too; NULL for nothing. */
static void go_on(int64_t now_s, const struct occurrence *more)
{
    struct occurrence all[JOBS + 1];
    struct occurrence *expected;
    const long count = engine_expect(engine, now_s, &expected, &error);

    assert_in_range(count, 0, JOBS);
    if (count > 0)
        memcpy(all, expected, (size_t)count * sizeof(*all));
    if (more)
        all[count] = *more;
    step(now_s, all, (size_t)count + (more != NULL));
}

static const struct job *job(uint64_t number)
{
    const struct job *found = engine_job(engine, number);

    assert_non_null(found);
    return found;
}

static void check_stands(uint64_t number, int first_rank, int gpus)
{
    int ranks[16];

    assert_int_equal(job_gpus(job(number)), gpus);
    assert_int_equal(cluster_ranks(decision.cluster, job(number), ranks), gpus);
    for (int i = 0; i < gpus; i++)
        assert_int_equal(ranks[i], first_rank + i);
}

static void check_waits(uint64_t number)
{
    assert_int_equal(job_gpus(job(number)), 0);
}

/* ---- pools ---- */

#define READY(name) TEST_WITH(name, NULL, close_engine)

READY(a_policy_of_one_type_refuses_a_mixed_cluster)
{
    static const char *const policies[] = {"ef",      "ef-accessctrl", "edf",    "edf-accessctrl",
                                           "gandiva", "dlas-gpu",      "themis", "chronus"};
    struct cluster_spec twice = mixed;
    char expected[200];

    for (size_t i = 0; i < COUNT(policies); i++) {
        assert_null(try_open(policies[i], &mixed));
        (void)snprintf(expected, sizeof(expected),
                       "policy %s knows one GPU type only, but some.csv has A100 and T4",
                       policies[i]);
        assert_string_equal(error.text, expected);
    }
    strcpy(twice.pools[1].gpu_type, "A100");
    assert_null(try_open("ef", &twice));
    assert_string_equal(error.text,
                        "policy ef knows one pool only, but some.csv has 2 pools of A100");
}

READY(a_job_goes_to_the_first_pool_with_room_and_a_rate)
{
    const char *const policies[] = {"fifo", "fifo-first-fit", "srtf"};

    for (size_t i = 0; i < COUNT(policies); i++) {
        start(policies[i], &mixed);
        step(0,
             (struct occurrence[]){job_of(4, 10000, &on_both), job_of(2, 10001, &on_second),
                                   job_of(4, 10002, &on_both), job_of(2, 10003, &on_both)},
             4);
        check_stands(0, 0, 4);
        check_stands(1, 8, 2);
        check_stands(2, 4, 4);
        check_stands(3, 10, 2); /* the first pool is full */
        assert_int_equal(job(3)->grant.pool, 1);
        assert_true(engine_rate(engine, job(3)) == 1);
        assert_true(engine_rate(engine, job(0)) == 4);
        assert_int_equal(decision.holding_count, 4);
    }
}

READY(a_job_stays_in_its_pool_while_another_has_room)
{
    start("fifo", &mixed);
    step(0,
         (struct occurrence[]){job_of(4, 400, &on_both), job_of(4, 4000, &on_both),
                               job_of(2, 4000, &on_both)},
         3);
    check_stands(2, 8, 2);
    while (engine_job(engine, 0))
        go_on(decision.next_s, NULL);
    check_stands(2, 8, 2);
    assert_int_equal(job(2)->grant.pool, 1);
}

READY(a_job_without_a_rate_in_any_pool_is_refused)
{
    const struct occurrence large = job_of(4, 100, &on_second);

    start("fifo", &mixed);
    assert_int_equal(engine_step(engine, 0, &large, 1, &decision, &error), -1);
    assert_string_equal(error.text,
                        "job job: model m, batch size 8: no pool has a throughput table "
                        "with a rate for the 4 GPUs that it asks for");
}

READY(a_job_larger_than_each_pool_is_declined)
{
    static const struct throughput_row wide = {
        .model = "m", .batch_size = 16, .level_count = 1, .gpus = {16}, .iters_per_s = {16}};
    static const struct pool_rows rows = {.of = {&wide, NULL}};
    struct occurrence larger;

    start("fifo", &mixed);
    larger = job_of(16, 100, &rows);
    step(0, &larger, 1);
    assert_int_equal(decision.decided_count, 1);
    assert_int_equal(decision.decided[0].verdict.reason, REASON_TOO_LARGE);
}

/* ---- what a policy sees, and may not do ---- */

static struct view seen;
static struct departure seen_departure;

static int look(const struct view *view, plan_t *plan, struct error *why)
{
    (void)why;
    plan_reset(plan, view);
    seen = *view;
    if (view->pools[1].departure_count > 0)
        seen_departure = view->pools[1].departures[0];
    return 0;
}

static int give_too_much(const struct view *view, plan_t *plan, struct error *why)
{
    (void)why;
    plan_reset(plan, view);
    for (size_t i = 0; i < view->job_count; i++)
        plan_allocate_in(plan, view, i, 1, 2);
    return 0;
}

static void start_own(int (*allocate)(const struct view *view, plan_t *plan, struct error *why))
{
    static struct policy own;
    const struct engine_setting setting = {.policy = &own,
                                           .placement = placement_find("best-fit"),
                                           .cluster = mixed,
                                           .gpu_type = "A100",
                                           .slot_s = SLOT_S};

    own = *policy_find("fifo");
    own.name = "own";
    own.allocate = allocate;
    submitted = 0;
    engine = engine_new(&setting, &error);
    assert_non_null(engine);
}

READY(a_view_shows_pools_and_how_long_their_gpus_are_there)
{
    start_own(look);
    step(0,
         (struct occurrence[]){job_of(1, 100, &on_both), node(OCCURRENCE_NODE_UP, 3, 900),
                               node(OCCURRENCE_NODE_GONE, 0, 0)},
         3);
    assert_int_equal(seen.pool_count, 2);
    assert_int_equal(seen.gpu_count, 8);
    assert_string_equal(seen.pools[0].name, "A100");
    assert_int_equal(seen.pools[0].gpus_up, 4);
    assert_int_equal(seen.pools[0].departure_count, 0);
    assert_string_equal(seen.pools[1].gpu_type, "T4");
    assert_int_equal(seen.pools[1].gpus_up, 4);
    assert_int_equal(seen.pools[1].departure_count, 1);
    assert_int_equal(seen_departure.at_s, 900);
    assert_int_equal(seen_departure.gpus, 2);
}

READY(a_policy_that_gives_out_more_than_a_pool_has_is_told)
{
    const struct occurrence jobs[] = {job_of(2, 100, &on_both), job_of(2, 100, &on_both),
                                      job_of(2, 100, &on_both)};

    start_own(give_too_much);
    assert_int_equal(engine_step(engine, 0, jobs, COUNT(jobs), &decision, &error), -1);
    assert_string_equal(error.text, "policy own gave out 6 of 4 GPUs of pool T4 in round 1");
}

/* ---- nodes that drain or depart ---- */

static const struct disturbance *find_disturbance(enum disturbance_kind kind)
{
    for (size_t i = 0; i < decision.disturbance_count; i++)
        if (decision.disturbances[i].kind == kind)
            return &decision.disturbances[i];
    fail_msg("no such disturbance");
    return NULL;
}

READY(a_draining_node_moves_its_jobs_with_their_progress_for_a_price)
{
    struct occurrence drains = node(OCCURRENCE_NODE_DRAINING, 0, NEVER_S);
    double left;

    start("fifo", &plain);
    step(0, (struct occurrence[]){job_of(4, 100000, NULL), job_of(2, 100000, NULL)}, 2);
    check_stands(0, 0, 4);
    go_on(600, NULL);
    left = job(0)->iterations_left;
    assert_int_equal(job(0)->overhead_s, 0);
    go_on(660, &drains);
    check_stands(0, 8, 4);
    check_stands(1, 4, 2); /* stays, and pays nothing */
    assert_true(job(0)->iterations_left == left - 60 * 4);
    assert_true(job(0)->overhead_s > 0);
    assert_int_equal(job(1)->overhead_s, 0);
    assert_int_equal(decision.released_count, 0);
    assert_int_equal(find_disturbance(DISTURBANCE_NODE_DRAINING)->node, 0);
    drains.kind = OCCURRENCE_NODE_GONE; /* as announced */
    go_on(720, &drains);
    check_stands(0, 8, 4);
    assert_int_equal(find_disturbance(DISTURBANCE_NODE_DOWN)->node, 0);
    drains.kind = OCCURRENCE_NODE_UP;
    go_on(780, &drains);
    assert_int_equal(find_disturbance(DISTURBANCE_NODE_UP)->node, 0);
    check_stands(0, 8, 4);
}

READY(a_job_without_room_elsewhere_waits_and_goes_on)
{
    struct occurrence drains = node(OCCURRENCE_NODE_DRAINING, 1, 0);
    struct occurrence comes = node(OCCURRENCE_NODE_UP, 1, 0);
    double left;

    start("fifo", &plain);
    step(0,
         (struct occurrence[]){job_of(4, 100000, NULL), job_of(4, 100000, NULL),
                               job_of(4, 100000, NULL)},
         3);
    go_on(600, &drains);
    check_stands(0, 0, 4);
    check_waits(1);
    check_stands(2, 8, 4);
    left = job(1)->iterations_left;
    go_on(900, &comes);
    check_stands(1, 4, 4);
    assert_true(job(1)->iterations_left == left);
}

READY(the_engine_wakes_itself_when_a_node_departs)
{
    start("fifo", &plain);
    step(0, (struct occurrence[]){job_of(4, 100000, NULL), node(OCCURRENCE_NODE_UP, 0, 1234)}, 2);
    check_stands(0, 0, 4); /* up until then */
    assert_int_equal(decision.next_s, 1234);
    go_on(1234, NULL);
    check_stands(0, 4, 4);
    assert_true(job(0)->overhead_s > 0);
    assert_int_equal(cluster_node_state(decision.cluster, 0), NODE_DRAINING);
    assert_int_equal(find_disturbance(DISTURBANCE_NODE_DRAINING)->node, 0);
    assert_true(decision.next_s > 1300);
}

READY(a_departure_can_be_put_off_and_is_seen_late)
{
    struct occurrence stays = node(OCCURRENCE_NODE_UP, 0, 2000);

    start("fifo", &plain);
    step(0, (struct occurrence[]){job_of(4, 100000, NULL), node(OCCURRENCE_NODE_UP, 0, 1000)}, 2);
    go_on(900, &stays);
    assert_int_equal(decision.disturbance_count, 0);
    assert_int_equal(decision.next_s, 2000);
    go_on(2500, NULL);
    check_stands(0, 4, 4);
}

READY(a_departure_wakes_no_engine_without_jobs)
{
    start("fifo", &plain);
    step(0, (struct occurrence[]){job_of(4, 40, NULL), node(OCCURRENCE_NODE_UP, 2, 5000)}, 2);
    while (decision.live_count > 0)
        go_on(decision.next_s, NULL);
    assert_true(decision.next_s == NEVER_S);
}

/* While all nodes of a pool are gone, jobs of both are told and planned. */
READY(a_pool_may_be_gone_as_a_whole)
{
    struct occurrence comes = node(OCCURRENCE_NODE_UP, 1, 0);

    start("fifo-first-fit", &mixed);
    step(0,
         (struct occurrence[]){node(OCCURRENCE_NODE_GONE, 0, 0), node(OCCURRENCE_NODE_GONE, 1, 0),
                               job_of(2, 100000, &on_both)},
         3);
    check_stands(0, 8, 2);
    go_on(600, &(struct occurrence){.kind = OCCURRENCE_TIMER});
    go_on(660, &comes);
    check_stands(0, 8, 2);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
