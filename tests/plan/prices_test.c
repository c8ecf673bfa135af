/* prices_test.c - what a start, a resize, a move and a restart of all cost, on layouts of best
 * fit. */
#include "scheduler/placement/placement.h"
#include "scheduler/plan/prices.h"
#include "tests/support/test.h"

#define JOBS_MAX 4

static cluster_t *cluster;
static prices_t *prices;
static struct scaling scalings[JOBS_MAX];
static struct submission submissions[JOBS_MAX];
static struct job jobs[JOBS_MAX];

static void start(int nodes, int64_t restart_rounds)
{
    const struct cluster_spec spec = CLUSTER_OF(1, nodes, 4);

    cluster = cluster_new(&spec);
    prices = prices_new(cluster_gpus(cluster), restart_rounds);
    for (uint32_t i = 0; i < JOBS_MAX; i++) {
        submissions[i] = (struct submission){.id = "job", .number = i};
        jobs[i] = (struct job){.submission = &submissions[i], .arrival = i, .row = i, .held = -1};
    }
}

FIXTURE(tear_down)
{
    prices_destroy(&prices);
    cluster_destroy(&cluster);
    return 0;
}

/* The layout of a round: job i holds sizes[i] GPUs. */
static void place(const int sizes[JOBS_MAX])
{
    struct placement_request requests[JOBS_MAX];
    struct error error;
    size_t count = 0;

    for (size_t i = 0; i < JOBS_MAX; i++) {
        scaling_init_fixed(&scalings[i], sizes[i]);
        jobs[i].scaling = &scalings[i];
        jobs[i].grant.gpus = sizes[i];
        if (sizes[i] > 0)
            requests[count++] = (struct placement_request){&jobs[i], sizes[i]};
    }
    assert_int_equal(placement_find("best-fit")
                         ->revise(cluster, requests, count, cluster_revise(cluster), &error),
                     0);
    prices_visit(prices, cluster);
    prices_note_moves(prices, cluster);
}

#define PLACE(...) place((const int[JOBS_MAX]){__VA_ARGS__})

#define PRICED(name) TEST_WITH(name, NULL, tear_down)

PRICED(a_start_costs_more_on_more_gpus)
{
    start(2, 0);
    assert_int_equal(prices_of_new(prices, 1), 4);
    assert_int_equal(prices_of_new(prices, 2), 6);
    assert_int_equal(prices_of_new(prices, 4), 8);
    assert_int_equal(prices_of_new(prices, 8), 10);
    assert_int_equal(prices_of_known(prices), 2);
    PLACE(1, 2, 4);
    assert_int_equal(prices_of(prices, &jobs[0]), 4);
    assert_int_equal(prices_of(prices, &jobs[1]), 6);
    assert_int_equal(prices_of(prices, &jobs[2]), 8);
}

PRICED(all_is_dearer_on_a_cluster_of_256_gpus)
{
    start(63, 0);
    assert_int_equal(prices_of_new(prices, 2), 6);
    (void)tear_down(test_state);
    start(64, 0);
    assert_int_equal(prices_of_new(prices, 2), 11);
}

/* Ranks 0 and 1 run together for the first job; then they do for the second, which was
 * elsewhere. */
PRICED(gpus_that_ran_together_start_faster_for_any_job)
{
    start(1, 0);
    PLACE(2);
    assert_int_equal(prices_of(prices, &jobs[0]), 6);
    PLACE(0, 2);
    assert_int_equal(prices_of(prices, &jobs[1]), 2);
    PLACE(0, 4); /* the same first rank, another size */
    assert_int_equal(prices_of(prices, &jobs[1]), 8);
}

/* What is asked for in a round without a change stays what it was when the layout was looked at. */
PRICED(a_job_moves_if_it_holds_other_gpus_than_at_the_last_look)
{
    start(2, 0);
    PLACE(2, 2);
    assert_true(prices_moved(prices, &jobs[0])); /* a start */
    assert_true(prices_moved(prices, &jobs[1]));
    prices_note_moves(prices, cluster);
    assert_false(prices_moved(prices, &jobs[0]));
    PLACE(4, 2); /* resized: there is room for 4 on the other node only */
    assert_true(prices_moved(prices, &jobs[0]));
    assert_false(prices_moved(prices, &jobs[1]));
}

PRICED(a_pause_is_followed_by_a_start)
{
    start(1, 0);
    PLACE(2);
    PLACE(0);
    PLACE(2); /* on the same GPUs */
    assert_true(prices_moved(prices, &jobs[0]));
    assert_int_equal(prices_of(prices, &jobs[0]), 2);
}

/* Of a job on parts of two nodes, one part moves. */
PRICED(each_part_of_a_job_counts)
{
    start(3, 0);
    PLACE(3, 3, 2); /* the third: 2 on the last node */
    PLACE(3, 3, 2, 4);
    assert_true(prices_moved(prices, &jobs[3]));
    prices_note_moves(prices, cluster);
    assert_false(prices_moved(prices, &jobs[3]));
    cluster_set_node(cluster, 0, NODE_GONE, INT64_MAX);
    PLACE(0, 3, 2, 3); /* it had a GPU of node 0 */
    assert_true(prices_moved(prices, &jobs[3]));
    assert_false(prices_moved(prices, &jobs[1]));
    assert_false(prices_moved(prices, &jobs[2]));
}

PRICED(the_next_job_of_a_row_starts)
{
    start(1, 0);
    PLACE(2);
    jobs[0].held = -1; /* it is over, and its row is given away before another look */
    submissions[0].number = 77;
    prices_note_moves(prices, cluster);
    assert_true(prices_moved(prices, &jobs[0]));
}

/* Of rounds 0, 1, 2 ... every third restarts all, but the first. Its end forgets which GPUs ran
 * together. */
PRICED(a_restart_costs_all_the_same_and_begins_anew)
{
    static const bool restarts[] = {false, false, false, true, false, false, true, false};

    start(1, 3);
    for (size_t round = 0; round < COUNT(restarts); round++) {
        PLACE(2);
        assert_int_equal(prices_restart(prices), restarts[round]);
        assert_int_equal(prices_of_new(prices, 2), restarts[round] ? 33 : 6);
        assert_int_equal(prices_of(prices, &jobs[0]),
                         round == 0 || round == 4 || round == 7 ? 6 : 2);
        prices_end_round(prices);
    }
}

PRICED(a_restart_is_dearer_on_a_large_cluster)
{
    start(64, 1);
    assert_false(prices_restart(prices));
    prices_end_round(prices);
    assert_true(prices_restart(prices));
    assert_int_equal(prices_of_new(prices, 1), 7 + 47 + 2);
}

PRICED(without_restarts_there_is_none)
{
    start(1, 0);
    for (int round = 0; round < 200; round++) {
        assert_false(prices_restart(prices));
        prices_end_round(prices);
    }
}

int main(void)
{
    return tests_run(NULL, NULL);
}
