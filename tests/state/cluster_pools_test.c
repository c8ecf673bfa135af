/* cluster_pools_test.c - nodes belong to pools, are up, draining or gone, and may be known to be
 * there only until a stated time. */
#include "scheduler/state/cluster.h"
#include "tests/support/test.h"

static const struct cluster_spec mixed = {.pools = {{.switches = 2,
                                                     .nodes_per_switch = 1,
                                                     .gpus_per_node = 8,
                                                     .gpu_type = "A100",
                                                     .name = "A100"},
                                                    {.switches = 1,
                                                     .nodes_per_switch = 3,
                                                     .gpus_per_node = 4,
                                                     .gpu_type = "T4",
                                                     .name = "T4"}},
                                          .pool_count = 2};

static cluster_t *cluster;
static const struct pool *pools;

FIXTURE(set_up)
{
    int count;

    cluster = cluster_new(&mixed);
    pools = cluster_pools(cluster, &count);
    assert_int_equal(count, 2);
    return 0;
}

FIXTURE(tear_down)
{
    cluster_destroy(&cluster);
    return 0;
}

#define ON_CLUSTER(name) TEST_WITH(name, set_up, tear_down)

ON_CLUSTER(nodes_and_ranks_are_counted_through_all_pools)
{
    static const int pool_of[] = {0, 0, 1, 1, 1};
    static const int first_rank[] = {0, 8, 16, 20, 24};

    assert_int_equal(cluster_node_count(cluster), 5);
    assert_int_equal(cluster_gpus(cluster), 28);
    assert_int_equal(cluster_switches(cluster), 3);
    for (int node = 0; node < 5; node++) {
        const struct pool *pool = pool_at(pools, node);

        assert_ptr_equal(pool, &pools[pool_of[node]]);
        assert_int_equal(pool_rank(pool, node), first_rank[node]);
        assert_int_equal(pool->gpus_per_node, pool_of[node] == 0 ? 8 : 4);
    }
    assert_string_equal(pools[1].name, "T4");
    assert_int_equal(pools[1].first_node, 2);
    assert_int_equal(pools[1].node_count, 3);
    assert_int_equal(pools[1].first_rank, 16);
}

ON_CLUSTER(a_pool_counts_the_gpus_of_nodes_that_are_up)
{
    assert_int_equal(pools[0].gpus_up, 16);
    assert_int_equal(pools[1].gpus_up, 12);
    cluster_set_node(cluster, 3, NODE_DRAINING, INT64_MAX);
    assert_int_equal(pools[1].gpus_up, 8);
    assert_int_equal(cluster_gpus_up(cluster), 24);
    assert_false(cluster_is_up(cluster, 3));
    cluster_set_node(cluster, 3, NODE_GONE, INT64_MAX);
    assert_int_equal(pools[1].gpus_up, 8);
    assert_int_equal(cluster_node_state(cluster, 3), NODE_GONE);
    cluster_set_node(cluster, 3, NODE_UP, INT64_MAX);
    assert_int_equal(pools[1].gpus_up, 12);
    assert_int_equal(pools[0].gpus_up, 16);
    assert_int_equal(cluster_gpus_up(cluster), 28);
}

static void check_departure(int pool, int index, int64_t at_s, int gpus)
{
    assert_true(index < pools[pool].departure_count);
    assert_int_equal(pools[pool].departures[index].at_s, at_s);
    assert_int_equal(pools[pool].departures[index].gpus, gpus);
}

ON_CLUSTER(departures_are_known_by_pool_in_the_order_of_time)
{
    assert_true(cluster_change_s(cluster) == INT64_MAX);
    assert_int_equal(cluster_departing(cluster, 1000000), -1);
    cluster_set_node(cluster, 4, NODE_UP, 900);
    cluster_set_node(cluster, 2, NODE_UP, 500);
    cluster_set_node(cluster, 0, NODE_UP, 700);
    assert_int_equal(pools[0].departure_count, 1);
    check_departure(0, 0, 700, 8);
    assert_int_equal(pools[1].departure_count, 2);
    check_departure(1, 0, 500, 4);
    check_departure(1, 1, 900, 4);
    assert_int_equal(pools[1].gpus_up, 12);
    assert_int_equal(cluster_change_s(cluster), 500);
    assert_int_equal(cluster_departing(cluster, 499), -1);
    assert_int_equal(cluster_departing(cluster, 500), 2);
}

ON_CLUSTER(a_node_that_left_or_stays_departs_no_more)
{
    cluster_set_node(cluster, 4, NODE_UP, 900);
    cluster_set_node(cluster, 2, NODE_UP, 500);
    cluster_set_node(cluster, 2, NODE_DRAINING, INT64_MAX);
    assert_int_equal(pools[1].departure_count, 1);
    assert_int_equal(cluster_change_s(cluster), 900);
    cluster_set_node(cluster, 4, NODE_UP, INT64_MAX);
    assert_int_equal(pools[1].departure_count, 0);
    assert_true(cluster_change_s(cluster) == INT64_MAX);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
