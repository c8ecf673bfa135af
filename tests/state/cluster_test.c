/* cluster_test.c - which job holds which nodes, and in which order free ones are given out. */
#include "common/rng.h"
#include "scheduler/placement/placement.h"
#include "scheduler/state/cluster.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#define NODES_MAX 32
#define JOBS_MAX  40

static const struct submission submission = {.id = "job"};

/* The list of free nodes, word by word: after each release it is sorted by an id that starts at 0
 * in every switch, nodes that were free before staying ahead of the released ones (EF-Q4). */
struct free_list {
    int nodes[NODES_MAX];
    int count;
    int nodes_per_switch;
};

static void free_list_sort(struct free_list *list)
{
    for (int i = 1; i < list->count; i++) {
        const int node = list->nodes[i];
        int at = i;

        for (;
             at > 0 && list->nodes[at - 1] % list->nodes_per_switch > node % list->nodes_per_switch;
             at--)
            list->nodes[at] = list->nodes[at - 1];
        list->nodes[at] = node;
    }
}

static void free_list_release(struct free_list *list, const struct node_set *set)
{
    for (int i = 0; i < set->node_count; i++)
        list->nodes[list->count++] = set->nodes[i];
    free_list_sort(list);
}

static void free_list_take(struct free_list *list, int count)
{
    list->count -= count;
    memmove(list->nodes, list->nodes + count, (size_t)list->count * sizeof(*list->nodes));
}

static void check_free(const cluster_t *cluster, const struct free_list *list)
{
    int count;
    const int *nodes = cluster_free_nodes(cluster, &count);

    assert_int_equal(count, list->count);
    for (int i = 0; i < count; i++)
        assert_int_equal(nodes[i], list->nodes[i]);
}

/* Places jobs of falling random sizes; returns how many found a place. */
static size_t place_some(rng_t *rng, cluster_t *cluster, struct job jobs[JOBS_MAX])
{
    const size_t wanted = rng_below(rng, JOBS_MAX);
    struct placement_request requests[JOBS_MAX];
    struct layout *layout = cluster_clear(cluster, JOBS_MAX);
    int left = cluster_gpus(cluster);
    size_t count = 0;
    struct error error;

    for (int gpus = 32; gpus > 0; gpus /= 2)
        while (count < wanted && gpus <= left && rng_below(rng, 3) > 0) {
            jobs[count] = (struct job){.submission = &submission, .held = -1};
            requests[count] = (struct placement_request){.job = &jobs[count], .gpus = gpus};
            left -= gpus;
            count++;
        }
    if (placement_find("elastic")->place(cluster, requests, count, layout, &error) < 0)
        fail_msg("%s", error.text);
    return count;
}

static void shuffle(rng_t *rng, struct job *jobs[], size_t count)
{
    for (size_t i = count; i > 1; i--) {
        const size_t k = rng_below(rng, i);
        struct job *job = jobs[k];

        jobs[k] = jobs[i - 1];
        jobs[i - 1] = job;
    }
}

/* Several rounds of placing all and releasing all in a random order. */
static void follow(rng_t *rng, const struct cluster_spec *spec)
{
    cluster_t *cluster = cluster_new(spec);
    struct free_list list = {.count = cluster_spec_nodes(spec),
                             .nodes_per_switch = spec->pools[0].nodes_per_switch};
    struct job jobs[JOBS_MAX];
    struct job *order[JOBS_MAX];

    for (int i = 0; i < list.count; i++)
        list.nodes[i] = i;
    for (int round = 0; round < 20; round++) {
        const size_t count = place_some(rng, cluster, jobs);
        const struct layout *layout = cluster_layout(cluster);

        free_list_take(&list, layout->nodes_taken);
        check_free(cluster, &list);
        for (size_t i = 0; i < count; i++)
            order[i] = &jobs[i];
        shuffle(rng, order, count);
        for (size_t i = 0; i < count; i++) {
            const struct node_set *set = &layout->sets[layout->held[order[i]->held].set];

            cluster_release(cluster, order[i]);
            assert_int_equal(order[i]->held, -1);
            if (set->used == 0)
                free_list_release(&list, set);
        }
    }
    cluster_destroy(&cluster);
    assert_null(cluster);
    cluster_destroy(&cluster);
}

TEST(free_nodes_come_in_the_order_of_a_literal_sort)
{
    static const struct cluster_spec specs[] = {CLUSTER_OF(1, 8, 4), CLUSTER_OF(2, 4, 4),
                                                CLUSTER_OF(4, 2, 8), CLUSTER_OF(4, 8, 1),
                                                CLUSTER_OF(3, 4, 2), CLUSTER_OF(8, 1, 4)};
    rng_t rng = rng_new(test_seed(), "free nodes");

    for (int i = 0; i < 60; i++)
        follow(&rng, &specs[i % (int)COUNT(specs)]);
}

/* Only a release sorts: before the first one, all nodes of a switch come before the next one's. */
TEST(at_first_free_nodes_come_in_order_of_position)
{
    cluster_t *cluster = cluster_new(&(struct cluster_spec)CLUSTER_OF(2, 2, 2));
    int count;

    (void)cluster_clear(cluster, 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(cluster_free_nodes(cluster, &count)[i], i);
    assert_int_equal(count, 4);
    cluster_destroy(&cluster);
}

TEST(a_cluster_knows_its_size)
{
    cluster_t *cluster = cluster_new(&(struct cluster_spec)CLUSTER_OF(2, 3, 4));

    assert_int_equal(cluster_switches(cluster), 2);
    assert_int_equal(cluster_node_count(cluster), 6);
    assert_int_equal(cluster_gpus_per_node(cluster), 4);
    assert_int_equal(cluster_gpus(cluster), 24);
    for (int i = 0; i < 6; i++)
        assert_int_equal(cluster_layout(cluster)->set_of_node[i], -1);
    cluster_destroy(&cluster);
}

int main(void)
{
    (void)test_seed();
    return tests_run(NULL, NULL);
}
