/* peers_test.c - which worker is of which node, however many nodes there are. */
#include "master/peers.h"
#include "tests/support/test.h"

TEST(workers_are_found_by_their_node)
{
    struct peers peers = {0};
    struct worker_node nodes[] = {{.number = 0}, {.number = 1}, {.number = 3000}};
    char sessions[COUNT(nodes)]; /* none is looked into */

    assert_null(peers_worker(&peers, &nodes[2]));
    for (size_t i = COUNT(nodes); i-- > 0;)
        peers_add_worker(&peers, &nodes[i], (link_peer_t *)(void *)&sessions[i]);
    assert_int_equal(peers.worker_count, 3);
    for (size_t i = 0; i < COUNT(nodes); i++)
        assert_ptr_equal(peers_worker(&peers, &nodes[i]), &sessions[i]);
    peers_remove_worker(&peers, &nodes[1]);
    assert_null(peers_worker(&peers, &nodes[1]));
    assert_ptr_equal(peers_worker(&peers, &nodes[2]), &sessions[2]);
    assert_int_equal(peers.worker_count, 2);
    peers_clear(&peers);
    assert_null(peers_worker(&peers, &nodes[0]));
}

int main(void)
{
    return tests_run(NULL, NULL);
}
