/* node_order_test.c - a spare node takes the place of one that is lost, and what was planned for
 * that place stands. */
#include "scheduler/planner/node_order.h"
#include "tests/support/test.h"

#define NODES 5

static cluster_t *cluster;
static struct node_order order;

FIXTURE(open_both)
{
    const struct cluster_spec spec = CLUSTER_OF(1, NODES, 4);

    cluster = cluster_new(&spec);
    node_order_open(&order, NODES, 4, 2);
    return 0;
}

FIXTURE(close_both)
{
    node_order_close(&order);
    cluster_destroy(&cluster);
    return 0;
}

static void set(int node, enum node_state node_state)
{
    cluster_set_node(cluster, node, node_state, INT64_MAX);
    node_order_renew(&order, cluster);
}

TEST_WITH(spare_nodes_come_last_and_are_not_counted, open_both, close_both)
{
    node_order_renew(&order, cluster);
    assert_int_equal(node_order_gpus(&order), 12);
    assert_int_equal(node_order_first(&order, 6, 2), 6);
    assert_int_equal(node_order_moved(&order, 6, 2), 6);
}

TEST_WITH(a_spare_node_takes_the_place_of_one_that_is_lost, open_both, close_both)
{
    set(1, NODE_GONE);
    assert_int_equal(order.nodes[1], 3);
    assert_int_equal(node_order_gpus(&order), 12);
    assert_int_equal(node_order_first(&order, 6, 2), 14);
    assert_int_equal(node_order_moved(&order, 14, 2), 6); /* from the spare node */
    assert_int_equal(node_order_moved(&order, 0, 4), 0);
    assert_int_equal(node_order_moved(&order, 4, 8), -1); /* two nodes, one of which is lost */
    assert_int_equal(node_order_first(&order, 4, 8), 8);  /* of nodes 3 and 2 */
}

TEST_WITH(a_node_that_comes_back_is_spare, open_both, close_both)
{
    set(1, NODE_GONE);
    set(1, NODE_UP);
    assert_int_equal(order.nodes[1], 3);
    set(3, NODE_DRAINING);
    assert_int_equal(order.nodes[1], 1);
}

TEST_WITH(a_place_stays_empty_when_no_spare_node_is_left, open_both, close_both)
{
    set(0, NODE_GONE);
    set(1, NODE_GONE);
    set(2, NODE_GONE);
    assert_int_equal(node_order_gpus(&order), 8);
    assert_int_equal(node_order_up(&order, 2), 0);
    set(0, NODE_UP);
    assert_int_equal(node_order_gpus(&order), 12);
    assert_int_equal(order.nodes[2], 0);
}

static void resize(int node, int gpus)
{
    cluster_set_node_gpus(cluster, node, gpus);
    node_order_renew(&order, cluster);
}

TEST_WITH(a_spare_node_takes_the_place_of_one_that_has_fewer_gpus, open_both, close_both)
{
    resize(3, 1);
    resize(1, 2);
    assert_int_equal(order.nodes[1], 4);
    assert_int_equal(node_order_gpus(&order), 12);
    resize(2, 3); /* the spare ones have fewer */
    assert_int_equal(order.nodes[2], 2);
    assert_int_equal(node_order_gpus(&order), 11);
    assert_true(node_order_are_up(&order, 8, 2));
    assert_false(node_order_are_up(&order, 8, 4));
    set(0, NODE_GONE);
    assert_int_equal(node_order_up(&order, 0), 1); /* any GPU is better than none */
    set(0, NODE_UP);
    assert_int_equal(node_order_gpus(&order), 11);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
