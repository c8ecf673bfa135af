/* failures_test.c - which nodes that are gone count as failures, and for how long nodes were there;
 * and how a job is exposed to their losses. */
#include "scheduler/engine/engine.h"
#include "scheduler/policies/promising.h"
#include "scheduler/snapshot/engine_archive.h"
#include "tests/support/tables.h"
#include "tests/support/test.h"

#define NODES 4

static const struct promising options = {.spare_nodes = 1, .node_loss_s = 300};
static struct engine_setting setting;
static engine_t *engine;
static struct decision decision;
static struct error error;

FIXTURE(open_engine)
{
    setting = (struct engine_setting){.policy = policy_find("rubato"),
                                      .placement = placement_find("best-fit"),
                                      .cluster = CLUSTER_OF(1, NODES, 8),
                                      .gpu_type = "A100",
                                      .options = &options};
    engine = engine_new(&setting, &error);
    return engine ? 0 : -1;
}

FIXTURE(close_engine)
{
    engine_destroy(&engine);
    return 0;
}

static void tell(int64_t now_s, enum occurrence_kind kind, int first, int last)
{
    struct occurrence told[1 + NODES] = {{.kind = OCCURRENCE_EXPECTED}};
    size_t count = 1;

    for (int node = first; node <= last; node++)
        told[count++] = (struct occurrence){.kind = kind, .node = node, .until_s = NEVER_S};
    assert_int_equal(engine_step(engine, now_s, told, count, &decision, &error), 0);
}

static void same(int64_t now_s, int64_t count, double node_s)
{
    const struct failures failures = engine_failures(engine, now_s);

    assert_int_equal(failures.count, count);
    assert_true(failures.node_s == node_s);
}

TEST_WITH(a_node_that_is_lost_counts_and_one_that_drains_does_not, open_engine, close_engine)
{
    tell(0, OCCURRENCE_TIMER, 0, 0);
    tell(100, OCCURRENCE_NODE_GONE, 2, 2);
    same(100, 1, 4 * 100);
    tell(200, OCCURRENCE_NODE_DRAINING, 1, 1);
    same(200, 1, 4 * 100 + 3 * 100);
    tell(300, OCCURRENCE_NODE_GONE, 1, 1); /* an operator stops what is drained */
    same(300, 1, 4 * 100 + 3 * 100 + 2 * 100);
    tell(400, OCCURRENCE_NODE_GONE, 2, 2); /* said twice */
    same(400, 1, 4 * 100 + 3 * 100 + 2 * 200);
    tell(500, OCCURRENCE_NODE_UP, 1, 2);
    same(600, 1, 4 * 100 + 3 * 100 + 2 * 300 + 4 * 100);
}

TEST_WITH(nodes_that_never_came_are_no_failures, open_engine, close_engine)
{
    tell(0, OCCURRENCE_NODE_GONE, 1, 3);
    same(0, 0, 0);
    tell(50, OCCURRENCE_NODE_UP, 1, 1);
    same(50, 0, 50);
}

TEST_WITH(two_of_more_at_once_count_and_all_of_them_do_not, open_engine, close_engine)
{
    tell(0, OCCURRENCE_TIMER, 0, 0);
    tell(10, OCCURRENCE_NODE_GONE, 0, 1);
    same(10, 2, 40);
    tell(20, OCCURRENCE_NODE_GONE, 2, 3); /* all that were left: the network, or an operator */
    same(20, 2, 60);
    tell(30, OCCURRENCE_NODE_UP, 0, 0);
    tell(40, OCCURRENCE_NODE_GONE, 0, 0); /* one alone is not told from a network */
    same(40, 3, 70);
}

static const struct submission *find_nothing(const void *owner, uint64_t number)
{
    (void)owner;
    (void)number;
    return NULL;
}

static void archive_again(void)
{
    struct archive written = archive_writing();
    struct archive read;

    engine_archive(engine, &written, find_nothing, NULL);
    engine_destroy(&engine);
    engine = engine_new(&setting, &error);
    assert_non_null(engine);
    read = archive_reading(written.bytes, written.used);
    engine_archive(engine, &read, find_nothing, NULL);
    assert_true(archive_is_over(&read));
    archive_free(&written);
}

TEST_WITH(a_snapshot_keeps_what_was_seen, open_engine, close_engine)
{
    tell(0, OCCURRENCE_TIMER, 0, 0);
    tell(100, OCCURRENCE_NODE_GONE, 2, 2);
    archive_again();
    same(200, 1, 400 + 300);
    tell(300, OCCURRENCE_NODE_GONE, 3, 3);
    same(300, 2, 400 + 600);
}

/* ---- a job ---- */

static void submit(int64_t iterations, int64_t deadline_s)
{
    static struct job_level level;
    static struct submission job;
    const struct occurrence told = {.kind = OCCURRENCE_SUBMITTED, .submission = &job};

    level = (struct job_level){deadline_s, LEVEL_VALUE_FULL};
    job = (struct submission){.id = "alone",
                              .throughput = throughput_row_at(tables_for_engine(tables_a100()), 0),
                              .model = "alone",
                              .iterations = iterations,
                              .deadline_s = deadline_s,
                              .gpus_requested = 1,
                              .levels = &level,
                              .level_count = 1};
    assert_int_equal(engine_step(engine, 0, &told, 1, &decision, &error), 0);
    assert_int_equal(decision.live_count, 1);
    assert_int_equal(decision.live[0]->promise.state, PROMISE_STANDS);
}

static int node_of(const struct job *job)
{
    int node = 0;

    while (!cluster_stands_on(decision.cluster, job, node))
        node++;
    return node;
}

TEST_WITH(a_promised_job_is_exposed_for_as_long_as_it_is_planned, open_engine, close_engine)
{
    const struct job *job;
    double planned_s;

    submit(50000, 400000);
    job = decision.live[0];
    planned_s = job->exposure.node_s;
    assert_int_equal(job->exposure.losses, 1);
    assert_true(planned_s > 0 && planned_s <= 400000);
    tell(50, OCCURRENCE_NODE_GONE, node_of(job), node_of(job));
    assert_int_equal(decision.live_count, 1);
    assert_true(decision.live[0]->node_seconds >= 50);
    assert_int_equal(decision.live[0]->exposure.losses, 0);
    assert_int_equal(decision.live[0]->promise.state, PROMISE_STANDS);
}

int main(void)
{
    return tests_run(tables_set_up, tables_tear_down);
}
