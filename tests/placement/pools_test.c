/* pools_test.c - a job stands on nodes of its pool, under each scheme that leaves jobs where they
 * are. */
#include "scheduler/placement/placement.h"
#include "tests/support/test.h"

#define JOBS 4

static const struct cluster_spec mixed = {.pools = {{.switches = 1,
                                                     .nodes_per_switch = 2,
                                                     .gpus_per_node = 8,
                                                     .gpu_type = "A100",
                                                     .name = "A100"},
                                                    {.switches = 1,
                                                     .nodes_per_switch = 3,
                                                     .gpus_per_node = 4,
                                                     .gpu_type = "T4",
                                                     .name = "T4"}},
                                          .pool_count = 2};

static const char *const schemes[] = {"best-fit", "elastic"};
static const struct submission submission = {.id = "job"};
static cluster_t *cluster;
static struct job jobs[JOBS];
static struct placement_request requests[JOBS];
static struct error error;

static void begin(void)
{
    cluster = cluster_new(&mixed);
    for (uint32_t i = 0; i < JOBS; i++)
        jobs[i] = (struct job){.submission = &submission, .arrival = i, .held = -1};
}

static int place(const char *scheme, size_t count)
{
    return placement_find(scheme)->revise(cluster, requests, count, cluster_revise(cluster),
                                          &error);
}

static void ask(int job, int pool, int gpus)
{
    jobs[job].grant.pool = pool;
    requests[job] = (struct placement_request){&jobs[job], gpus};
}

static void check_ranks(int job, int first, int gpus)
{
    int ranks[28];

    assert_int_equal(cluster_ranks(cluster, &jobs[job], ranks), gpus);
    for (int i = 0; i < gpus; i++)
        assert_int_equal(ranks[i], first + i);
}

TEST(jobs_stand_on_nodes_of_their_pool)
{
    for (size_t i = 0; i < COUNT(schemes); i++) {
        begin();
        ask(0, 1, 4);
        ask(1, 0, 8);
        ask(2, 1, 8); /* two nodes of the second pool, though one of the first is free */
        ask(3, 0, 2);
        assert_int_equal(place(schemes[i], 4), 0);
        check_ranks(1, 0, 8);
        check_ranks(3, 8, 2);
        check_ranks(2, 16, 8);
        check_ranks(0, 24, 4);
        assert_true(cluster_stands_on(cluster, &jobs[2], 3));
        assert_false(cluster_stands_on(cluster, &jobs[2], 0));
        cluster_destroy(&cluster);
    }
}

TEST(a_job_that_changes_its_pool_goes_there)
{
    for (size_t i = 0; i < COUNT(schemes); i++) {
        begin();
        ask(0, 1, 4);
        ask(1, 1, 4);
        assert_int_equal(place(schemes[i], 2), 0);
        ask(0, 0, 4);
        assert_int_equal(place(schemes[i], 2), 0);
        check_ranks(0, 0, 4);
        check_ranks(1, 20, 4);
        cluster_destroy(&cluster);
    }
}

TEST(a_pool_that_is_full_takes_no_gpus_of_another)
{
    for (size_t i = 0; i < COUNT(schemes); i++) {
        begin();
        ask(0, 1, 8);
        ask(1, 1, 5);
        assert_int_equal(place(schemes[i], 2), -1);
        assert_string_equal(error.text, "job job: no place for its 5 GPUs, of which 4 are free");
        cluster_destroy(&cluster);
    }
}

TEST(a_lost_node_is_made_up_for_in_its_pool)
{
    for (size_t i = 0; i < COUNT(schemes); i++) {
        begin();
        ask(0, 1, 4);
        ask(1, 1, 4);
        assert_int_equal(place(schemes[i], 2), 0);
        cluster_set_node(cluster, 2, NODE_DRAINING, INT64_MAX);
        assert_int_equal(place(schemes[i], 2), 0);
        check_ranks(0, 24, 4);
        check_ranks(1, 20, 4);
        cluster_destroy(&cluster);
    }
}

int main(void)
{
    return tests_run(NULL, NULL);
}
