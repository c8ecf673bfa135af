/* best_fit_test.c - best fit: jobs stay, new ones go where they fit best, and any that the cluster
 * has GPUs for find a place; on examples, and on random rounds against what the scheme promises. */
#include "common/rng.h"
#include "scheduler/placement/placement.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#define JOBS_MAX 60
#define GPUS_MAX 256
#define UNOWNED  (-1)

static cluster_t *cluster;
static const struct submission submission = {.id = "job"};
static struct job jobs[JOBS_MAX];
static struct placement_request requests[JOBS_MAX];
static struct error error;

static void new_cluster(int switches, int nodes, int per_node)
{
    cluster_destroy(&cluster);
    cluster = cluster_new(&(struct cluster_spec)CLUSTER_OF(switches, nodes, per_node));
    for (uint32_t i = 0; i < JOBS_MAX; i++)
        jobs[i] = (struct job){.submission = &submission, .arrival = i, .held = -1};
}

FIXTURE(drop_cluster)
{
    cluster_destroy(&cluster);
    return 0;
}

static int place(size_t count)
{
    return placement_find("best-fit")
        ->revise(cluster, requests, count, cluster_revise(cluster), &error);
}

/* The next round. */
static void place_all(const struct placement_request round[], size_t count)
{
    memcpy(requests, round, count * sizeof(*round));
    if (place(count) < 0)
        fail_msg("%s", error.text);
}

/* Which job has each GPU. None has one twice. */
static void find_owners(int owners[GPUS_MAX])
{
    const struct layout *layout = cluster_layout(cluster);
    const int per_node = cluster_gpus_per_node(cluster);

    for (int rank = 0; rank < cluster_gpus(cluster); rank++)
        owners[rank] = UNOWNED;
    for (int node = 0; node < cluster_node_count(cluster); node++) {
        const int set = layout->set_of_node[node];

        for (int i = set < 0 ? -1 : layout->sets[set].first_held; i >= 0; i = layout->held[i].next)
            for (int k = 0; k < layout->held[i].gpus; k++) {
                const int rank = node * per_node + layout->held[i].first + k;

                assert_in_range(rank, node * per_node, (node + 1) * per_node - 1);
                assert_int_equal(owners[rank], UNOWNED);
                owners[rank] = (int)(layout->held[i].job - jobs);
            }
    }
}

/* "JOB@RANKxGPUS" for each run of GPUs. */
static void check_layout(const char *expected)
{
    const int gpus = cluster_gpus(cluster);
    int owners[GPUS_MAX];
    char text[2000] = "";
    size_t length = 0;

    find_owners(owners);
    for (int rank = 0, end; rank < gpus; rank = end) {
        for (end = rank + 1; end < gpus && owners[end] == owners[rank];)
            end++;
        if (owners[rank] != UNOWNED)
            length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%d@%dx%d",
                                       length > 0 ? " " : "", owners[rank], rank, end - rank);
    }
    assert_string_equal(text, expected);
}

#define PLACE(...)                                                                                 \
    place_all((const struct placement_request[]){__VA_ARGS__},                                     \
              COUNT(((const struct placement_request[]){__VA_ARGS__})))

TEST_WITH(the_largest_chooses_first_and_equal_ones_as_they_arrived, NULL, drop_cluster)
{
    new_cluster(1, 2, 4);
    PLACE({&jobs[3], 1}, {&jobs[0], 1}, {&jobs[2], 4}, {&jobs[1], 2});
    check_layout("2@0x4 1@4x2 0@6x1 3@7x1");
}

TEST_WITH(a_job_takes_the_node_with_just_its_gpus_free_else_the_tightest, NULL, drop_cluster)
{
    new_cluster(1, 4, 8);
    PLACE({&jobs[0], 7}, {&jobs[1], 5}, {&jobs[2], 6}, {&jobs[3], 4});
    check_layout("0@0x7 2@8x6 1@16x5 3@24x4");
    PLACE({&jobs[0], 7}, {&jobs[1], 5}, {&jobs[2], 6}, {&jobs[3], 4}, {&jobs[4], 3}, {&jobs[5], 1});
    check_layout("0@0x7 5@7x1 2@8x6 1@16x5 4@21x3 3@24x4");
    PLACE({&jobs[0], 7}, {&jobs[2], 6}, {&jobs[3], 4}, {&jobs[4], 3},
          {&jobs[6], 4}); /* 1 and 5 are done */
    check_layout("0@0x7 2@8x6 4@21x3 3@24x4 6@28x4");
    PLACE({&jobs[0], 7}, {&jobs[2], 6}, {&jobs[3], 4}, {&jobs[4], 3}, {&jobs[6], 4}, {&jobs[7], 3});
    check_layout("0@0x7 2@8x6 7@16x3 4@21x3 3@24x4 6@28x4");
}

TEST_WITH(a_job_that_no_node_holds_is_spread_over_the_freest, NULL, drop_cluster)
{
    new_cluster(1, 4, 4);
    PLACE({&jobs[0], 3}, {&jobs[1], 2}, {&jobs[2], 2}, {&jobs[3], 3});
    check_layout("0@0x3 3@4x3 1@8x2 2@10x2");
    PLACE({&jobs[0], 3}, {&jobs[1], 2}, {&jobs[3], 3}); /* free: 1, 1, 2, 4 */
    PLACE({&jobs[0], 3}, {&jobs[1], 2}, {&jobs[3], 3}, {&jobs[4], 3});
    check_layout("0@0x3 3@4x3 1@8x2 4@12x3"); /* free: 1, 1, 2, 1 */
    PLACE({&jobs[0], 3}, {&jobs[1], 2}, {&jobs[3], 3}, {&jobs[4], 3}, {&jobs[5], 3});
    check_layout("0@0x3 5@3x1 3@4x3 1@8x2 5@10x2 4@12x3");
    PLACE({&jobs[0], 3}, {&jobs[1], 2}, {&jobs[3], 3}, {&jobs[4], 3}, {&jobs[5], 3}, {&jobs[6], 2});
    check_layout("0@0x3 5@3x1 3@4x3 6@7x1 1@8x2 5@10x2 4@12x3 6@15x1");
}

TEST_WITH(a_job_larger_than_a_node_takes_whole_ones_and_the_tightest_for_the_rest, NULL,
          drop_cluster)
{
    new_cluster(1, 4, 8);
    PLACE({&jobs[0], 3});
    PLACE({&jobs[0], 3}, {&jobs[1], 12});
    check_layout("0@0x3 1@3x4 1@8x8");
    PLACE({&jobs[0], 3}, {&jobs[1], 12}, {&jobs[2], 16});
    check_layout("0@0x3 1@3x4 1@8x8 2@16x16");
    PLACE({&jobs[1], 12}, {&jobs[2], 16},
          {&jobs[3], 4}); /* what 0 had and one GPU more, around what 1 has */
    check_layout("3@0x3 1@3x4 3@7x1 1@8x8 2@16x16");
}

TEST_WITH(who_holds_another_number_of_gpus_chooses_anew, NULL, drop_cluster)
{
    new_cluster(1, 2, 4);
    PLACE({&jobs[0], 2}, {&jobs[1], 2});
    check_layout("0@0x2 1@2x2");
    PLACE({&jobs[0], 4}, {&jobs[1], 2});
    check_layout("1@2x2 0@4x4");
    PLACE({&jobs[1], 2});
    PLACE({&jobs[0], 2}, {&jobs[1], 2}); /* it had none in between */
    check_layout("0@0x2 1@2x2");
    assert_int_equal(jobs[2].held, -1);
}

TEST_WITH(more_than_the_cluster_has_is_refused, NULL, drop_cluster)
{
    new_cluster(1, 2, 4);
    requests[0] = (struct placement_request){&jobs[0], 5};
    requests[1] = (struct placement_request){&jobs[1], 4};
    assert_int_equal(place(2), -1);
    assert_string_equal(error.text, "job job: no place for its 4 GPUs, of which 3 are free");
    assert_int_equal(place(0), 0);
    check_layout("");
}

/* Node 1 is gone: what stood on it goes where it fits, and nothing else moves. Once the node is
 * back, jobs that come get it. */
TEST_WITH(losing_a_node_moves_only_what_stood_on_it, NULL, drop_cluster)
{
    new_cluster(1, 4, 4);
    PLACE({&jobs[0], 2}, {&jobs[1], 4}, {&jobs[2], 3}, {&jobs[3], 1}, {&jobs[4], 1});
    check_layout("1@0x4 2@4x3 3@7x1 0@8x2 4@10x1");
    cluster_set_node(cluster, 1, NODE_GONE, INT64_MAX);
    PLACE({&jobs[0], 2}, {&jobs[1], 4}, {&jobs[2], 3}, {&jobs[3], 1}, {&jobs[4], 1});
    check_layout("1@0x4 0@8x2 4@10x1 3@11x1 2@12x3");
    cluster_set_node(cluster, 1, NODE_UP, INT64_MAX);
    PLACE({&jobs[0], 2}, {&jobs[1], 4}, {&jobs[2], 3}, {&jobs[3], 1}, {&jobs[4], 1}, {&jobs[5], 4});
    check_layout("1@0x4 5@4x4 0@8x2 4@10x1 3@11x1 2@12x3");
}

/* A job on parts of three nodes loses one of them. That it asks for as many GPUs as it has left
 * makes no difference. */
TEST_WITH(a_job_that_loses_a_part_chooses_anew, NULL, drop_cluster)
{
    new_cluster(1, 4, 4);
    PLACE({&jobs[0], 3}, {&jobs[1], 3}, {&jobs[2], 2});
    PLACE({&jobs[0], 3}, {&jobs[1], 3}, {&jobs[2], 2}, {&jobs[3], 8});
    check_layout("0@0x3 3@3x1 1@4x3 3@7x1 2@8x2 3@10x6");
    cluster_set_node(cluster, 3, NODE_GONE, INT64_MAX);
    PLACE({&jobs[0], 3}, {&jobs[1], 3}, {&jobs[2], 2}, {&jobs[3], 4});
    check_layout("0@0x3 3@3x1 1@4x3 3@7x1 2@8x2 3@10x2");
    cluster_set_node(cluster, 3, NODE_UP, INT64_MAX);
    cluster_set_node(cluster, 2, NODE_GONE, INT64_MAX);
    PLACE({&jobs[0], 3}, {&jobs[1], 3}, {&jobs[2], 2}, {&jobs[3], 4});
    check_layout("0@0x3 2@3x1 1@4x3 2@7x1 3@12x4");
    cluster_set_node(cluster, 0, NODE_GONE, INT64_MAX);
    PLACE({&jobs[1], 3}, {&jobs[2], 2}, {&jobs[3], 3});
    check_layout("1@4x3 2@7x1 3@12x3 2@15x1");
}

/* Elastic placement gives a job whole nodes together: a set of several, which a part of the layout
 * spans. */
TEST_WITH(jobs_of_a_layout_of_several_node_sets_stay_too, NULL, drop_cluster)
{
    struct layout *layout;

    new_cluster(2, 3,
                4); /* free nodes come in the order of their ids after a release: 0 3 1 4 2 5 */
    layout = cluster_clear(cluster, JOBS_MAX);
    for (int i = 0; i < 5; i++)
        requests[i] = (struct placement_request){&jobs[i], (const int[]){8, 8, 4, 2, 1}[i]};
    assert_int_equal(placement_find("elastic")->place(cluster, requests, 5, layout, &error), 0);
    assert_int_equal(layout->sets[0].node_count, 2);
    cluster_set_node(cluster, 1, NODE_GONE, INT64_MAX);
    PLACE({&jobs[1], 8}, {&jobs[2], 4}, {&jobs[3], 2}, {&jobs[4], 1}, {&jobs[0], 4});
    check_layout("0@0x4 1@8x8 2@16x4 3@20x2 4@22x1");
    cluster_set_node(cluster, 3, NODE_GONE, INT64_MAX);
    PLACE({&jobs[1], 4}, {&jobs[2], 4}, {&jobs[3], 2}, {&jobs[4], 1}, {&jobs[0], 4});
    check_layout("0@0x4 1@8x4 2@16x4 3@20x2 4@22x1");
}

TEST_WITH(what_is_down_counts_for_nothing, NULL, drop_cluster)
{
    new_cluster(1, 3, 4);
    PLACE({&jobs[0], 8});
    cluster_set_node(cluster, 0, NODE_GONE, INT64_MAX);
    requests[0] = (struct placement_request){&jobs[0], 8};
    requests[1] = (struct placement_request){&jobs[1], 1};
    assert_int_equal(place(2), -1);
    assert_string_equal(error.text, "job job: no place for its 1 GPUs, of which 0 are free");
    PLACE({&jobs[0], 8});
    check_layout("0@4x8");
}

TEST(it_is_found_by_the_name_that_the_artifact_of_chronus_has_for_its_own)
{
    assert_ptr_equal(placement_find("local_search"), placement_find("best-fit"));
}

/* What a random round is judged by. */
struct round {
    bool down[GPUS_MAX]; /* by node */
    int before[GPUS_MAX];
    int after[GPUS_MAX];
    int gpus_before[JOBS_MAX]; /* by job, 0 for none */
    int gpus[JOBS_MAX];
    int free_gpus[GPUS_MAX]; /* by node, while jobs choose one after the other */
    bool stays[JOBS_MAX]; /* it holds as many GPUs as before, and had all of them on nodes that are
                             up */
};

static int gpus_on(const int owners[], int job, int first, int count)
{
    int gpus = 0;

    for (int rank = first; rank < first + count; rank++)
        gpus += owners[rank] == job;
    return gpus;
}

static void find_stays(struct round *round)
{
    const int per_node = cluster_gpus_per_node(cluster);

    for (int job = 0; job < JOBS_MAX; job++)
        round->stays[job] = round->gpus[job] == round->gpus_before[job];
    for (int rank = 0; rank < cluster_gpus(cluster); rank++)
        if (round->before[rank] != UNOWNED && round->down[rank / per_node])
            round->stays[round->before[rank]] = false;
}

static void check_kept(const struct round *round)
{
    const int per_node = cluster_gpus_per_node(cluster);

    for (int rank = 0; rank < cluster_gpus(cluster); rank++) {
        const int job = round->before[rank];

        if (job != UNOWNED && round->stays[job] && !round->down[rank / per_node])
            assert_int_equal(round->after[rank], job);
        if (round->down[rank / per_node])
            assert_int_equal(round->after[rank], UNOWNED);
    }
}

static void check_parts(const struct round *round)
{
    const struct layout *layout = cluster_layout(cluster);
    int parts = 0;

    for (int job = 0; job < JOBS_MAX; job++) {
        int gpus = 0;

        assert_int_equal(round->gpus[job], gpus_on(round->after, job, 0, cluster_gpus(cluster)));
        for (int i = jobs[job].held; i >= 0; i = layout->held[i].more, parts++) {
            assert_ptr_equal(layout->held[i].job, &jobs[job]);
            gpus += layout->held[i].gpus;
        }
        assert_int_equal(round->gpus[job], gpus);
    }
    assert_int_equal(parts, layout->held_count);
}

static int freest_but(const struct round *round, const bool taken[])
{
    int most = 0;

    for (int node = 0; node < cluster_node_count(cluster); node++)
        if (!taken[node] && round->free_gpus[node] > most)
            most = round->free_gpus[node];
    return most;
}

/* The job got all of the freest nodes as long as none held what was left, and of the tightest one
 * that does the rest. */
static void check_choice(struct round *round, int job)
{
    const int per_node = cluster_gpus_per_node(cluster);
    bool taken[GPUS_MAX] = {false};
    int left = round->gpus[job];

    while (left > 0) {
        const int most = freest_but(round, taken);
        const int part = most < left ? most : left;
        int chosen = -1;

        for (int node = 0; node < cluster_node_count(cluster); node++) {
            const int gpus = gpus_on(round->after, job, node * per_node, per_node);

            if (!taken[node] && gpus == part && (part == left || round->free_gpus[node] == part) &&
                (chosen < 0 || round->free_gpus[node] < round->free_gpus[chosen]))
                chosen = node;
        }
        assert_true(chosen >= 0);
        for (int node = 0; node < cluster_node_count(cluster) && most >= left; node++)
            assert_true(taken[node] || round->free_gpus[node] < left ||
                        round->free_gpus[node] >= round->free_gpus[chosen]);
        taken[chosen] = true;
        round->free_gpus[chosen] -= part;
        left -= part;
    }
}

static void check_choices(struct round *round)
{
    const int per_node = cluster_gpus_per_node(cluster);

    for (int node = 0; node < cluster_node_count(cluster); node++) {
        round->free_gpus[node] = round->down[node] ? 0 : per_node;
        for (int rank = node * per_node; rank < (node + 1) * per_node; rank++) {
            const int job = round->after[rank];

            round->free_gpus[node] -= job != UNOWNED && round->stays[job];
        }
    }
    for (int gpus = cluster_gpus(cluster); gpus > 0; gpus--)
        for (int job = 0; job < JOBS_MAX; job++)
            if (round->gpus[job] == gpus && !round->stays[job])
                check_choice(round, job);
}

static int draw_size(rng_t *rng, int most)
{
    static const int usual[] = {1, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 33};
    const int gpus = usual[rng_below(rng, COUNT(usual))];

    return gpus < most ? gpus : most;
}

/* Most jobs go on, some end, start or change. Returns how many hold GPUs; in random order. */
static size_t draw_round(rng_t *rng, struct round *round)
{
    int free_gpus = cluster_gpus_up(cluster);
    const int first = (int)rng_below(rng, JOBS_MAX);
    size_t count = 0;

    for (int i = 0; i < JOBS_MAX && free_gpus > 0; i++) {
        const int job = (first + i) % JOBS_MAX;
        const int held = round->gpus_before[job];
        int gpus = held;

        if (rng_below(rng, held > 0 ? 5 : 8) == 0)
            gpus = held > 0 && rng_below(rng, 2) == 0 ? 0 : draw_size(rng, free_gpus);
        gpus = gpus < free_gpus ? gpus : free_gpus;
        round->gpus[job] = gpus;
        free_gpus -= gpus;
        if (gpus > 0)
            requests[count++] = (struct placement_request){&jobs[job], gpus};
    }
    for (size_t i = count; i > 1; i--) {
        const size_t other = rng_below(rng, i);
        const struct placement_request swap = requests[i - 1];

        requests[i - 1] = requests[other];
        requests[other] = swap;
    }
    return count;
}

/* Now and then a node goes, or comes back. */
static void change_nodes(rng_t *rng, struct round *round)
{
    const int node = (int)rng_below(rng, (uint64_t)cluster_node_count(cluster));

    if (rng_below(rng, 3) > 0)
        return;
    round->down[node] = !round->down[node];
    cluster_set_node(cluster, node, round->down[node] ? NODE_GONE : NODE_UP, INT64_MAX);
}

TEST_WITH(random_rounds_keep_every_promise, NULL, drop_cluster)
{
    static const struct pool_spec shapes[] = {
        {.switches = 1, .nodes_per_switch = 8, .gpus_per_node = 8},
        {.switches = 2, .nodes_per_switch = 4, .gpus_per_node = 4},
        {.switches = 1, .nodes_per_switch = 16, .gpus_per_node = 4},
        {.switches = 1, .nodes_per_switch = 3, .gpus_per_node = 12},
        {.switches = 1, .nodes_per_switch = 5, .gpus_per_node = 1},
        {.switches = 1, .nodes_per_switch = 4, .gpus_per_node = 16},
        {.switches = 2, .nodes_per_switch = 40, .gpus_per_node = 3},
        {.switches = 1, .nodes_per_switch = 1, .gpus_per_node = 8},
        {.switches = 1, .nodes_per_switch = 128, .gpus_per_node = 2}};
    rng_t rng = rng_new(test_seed(), "best fit");
    const long times = test_times(200);

    for (long i = 0; i < times; i++) {
        const struct pool_spec *shape = &shapes[rng_below(&rng, COUNT(shapes))];
        struct round round = {.gpus_before = {0}};

        new_cluster(shape->switches, shape->nodes_per_switch, shape->gpus_per_node);
        find_owners(round.after);
        for (int k = 0; k < 30; k++) {
            memcpy(round.before, round.after, sizeof(round.before));
            memcpy(round.gpus_before, round.gpus, sizeof(round.gpus));
            memset(round.gpus, 0, sizeof(round.gpus));
            change_nodes(&rng, &round);
            if (place(draw_round(&rng, &round)) < 0)
                fail_msg("%s", error.text);
            find_owners(round.after);
            find_stays(&round);
            check_kept(&round);
            check_parts(&round);
            check_choices(&round);
        }
    }
}

int main(void)
{
    (void)test_seed();
    return tests_run(NULL, NULL);
}
