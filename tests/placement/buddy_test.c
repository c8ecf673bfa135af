/* buddy_test.c - `elastic` where jobs stay: blocks of a job's own size, moves only where no block
 * is free, and then the cheapest; on examples, and on random rounds against what the scheme
 * promises. */
#include "common/rng.h"
#include "scheduler/placement/placement.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#define JOBS_MAX 60
#define GPUS_MAX 128
#define UNOWNED  (-1)

static cluster_t *cluster;
static const struct submission submission = {.id = "job"};
static struct job jobs[JOBS_MAX];
static int sizes[JOBS_MAX]; /* of the next round */
static struct error error;

static void new_cluster(int nodes, int per_node)
{
    cluster_destroy(&cluster);
    cluster = cluster_new(&(struct cluster_spec)CLUSTER_OF(1, nodes, per_node));
    for (uint32_t i = 0; i < JOBS_MAX; i++)
        jobs[i] = (struct job){.submission = &submission, .arrival = i, .held = -1};
    memset(sizes, 0, sizeof(sizes));
}

FIXTURE(drop_cluster)
{
    cluster_destroy(&cluster);
    return 0;
}

static void place(void)
{
    struct placement_request requests[JOBS_MAX];
    size_t count = 0;

    for (int i = 0; i < JOBS_MAX; i++)
        if (sizes[i] > 0)
            requests[count++] = (struct placement_request){&jobs[i], sizes[i]};
    if (placement_find("elastic")->revise(cluster, requests, count, cluster_revise(cluster),
                                          &error) < 0)
        fail_msg("%s", error.text);
}

/* Which job has each GPU. */
static void find_owners(int owners[GPUS_MAX])
{
    int ranks[GPUS_MAX];

    for (int i = 0; i < GPUS_MAX; i++)
        owners[i] = UNOWNED;
    for (int job = 0; job < JOBS_MAX; job++) {
        const int count = sizes[job] > 0 ? cluster_ranks(cluster, &jobs[job], ranks) : 0;

        assert_int_equal(count, sizes[job]);
        for (int i = 0; i < count; i++) {
            assert_int_equal(owners[ranks[i]], UNOWNED);
            owners[ranks[i]] = job;
        }
    }
}

/* A letter for each GPU: a for job 0, - for none. */
static void check_layout(const char *expected)
{
    int owners[GPUS_MAX];
    char text[GPUS_MAX + 1] = "";

    find_owners(owners);
    for (int i = 0; i < cluster_gpus(cluster); i++)
        text[i] = (char)(owners[i] == UNOWNED ? '-' : 'a' + owners[i]);
    assert_string_equal(text, expected);
}

/* Jobs a, b, ... hold so many GPUs, and the others none. */
#define PLACE(...)                                                                                 \
    do {                                                                                           \
        memset(sizes, 0, sizeof(sizes));                                                           \
        memcpy(sizes, (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}));             \
        place();                                                                                   \
    } while (0)

TEST_WITH(a_job_takes_a_block_of_its_size_else_splits_the_smallest, NULL, drop_cluster)
{
    new_cluster(2, 8);
    PLACE(1);
    check_layout("a---------------");
    PLACE(1, 4);
    check_layout("a---bbbb--------");
    PLACE(1, 4, 1); /* beside the first, not into a block of 2 */
    check_layout("ac--bbbb--------");
    PLACE(1, 4, 1, 2, 8);
    check_layout("acddbbbbeeeeeeee");
}

TEST_WITH(jobs_that_stand_stay, NULL, drop_cluster)
{
    new_cluster(2, 4);
    PLACE(1, 1, 2);
    check_layout("ccab----");
    PLACE(0, 1, 2, 4);
    check_layout("cc-bdddd");
    PLACE(0, 1, 4, 2); /* what changes its size chooses anew */
    check_layout("dd-bcccc");
}

TEST_WITH(a_larger_job_takes_whole_nodes, NULL, drop_cluster)
{
    new_cluster(4, 4);
    PLACE(1, 0, 8);
    check_layout("cccccccca-------");
    PLACE(1, 4, 0, 8);
    check_layout("dddddddda---bbbb");
    new_cluster(4, 4);
    PLACE(2, 2, 2, 2, 2, 2, 2, 2);
    PLACE(2, 0, 2, 0, 2, 0, 2, 0);
    check_layout("aa--cc--ee--gg--");
    PLACE(2, 0, 2, 0, 2, 0, 2, 0, 8); /* no node is free: the first two are emptied */
    check_layout("iiiiiiiieeaaggcc");
}

TEST_WITH(the_fewest_gpus_move_out_of_a_block, NULL, drop_cluster)
{
    new_cluster(2, 4);
    PLACE(1, 1, 1, 1, 2, 1, 1);
    check_layout("eeabcdfg");
    PLACE(1, 0, 0, 1, 2, 0, 0, 0); /* free: 1 of the first node, 3 of the other */
    check_layout("eea--d--");
    PLACE(1, 0, 0, 1, 2, 0, 0, 4); /* d moves, which is less than a and e */
    check_layout("eeadhhhh");
}

TEST_WITH(only_smaller_jobs_move, NULL, drop_cluster)
{
    new_cluster(3, 4);
    PLACE(2, 2, 2, 2, 2, 2);
    check_layout("aabbccddeeff");
    PLACE(2, 0, 2, 0, 2, 0);
    check_layout("aa--cc--ee--");
    PLACE(2, 0, 2, 0, 2, 0, 2); /* a block is free */
    check_layout("aaggcc--ee--");
    PLACE(2, 0, 2, 0, 2, 0, 2, 4); /* the first of two equal moves */
    check_layout("aagghhhheecc");
}

TEST_WITH(a_lost_node_moves_only_what_stood_on_it, NULL, drop_cluster)
{
    new_cluster(3, 4);
    PLACE(4, 2, 2, 2, 2);
    check_layout("aaaabbccddee");
    PLACE(4, 2, 0, 2, 0);
    check_layout("aaaabb--dd--");
    cluster_set_node(cluster, 0, NODE_GONE, INT64_MAX);
    PLACE(4, 2, 0, 2, 0); /* spread, though b or d could make room for it */
    check_layout("----bbaaddaa");
    PLACE(0, 2, 4, 2, 0); /* later, what is new has others move */
    check_layout("----ccccddbb");
}

TEST_WITH(nodes_of_no_power_of_two_hold_all_that_fits, NULL, drop_cluster)
{
    new_cluster(2, 6);
    PLACE(4, 2, 4, 2);
    check_layout("aaaabbccccdd");
    PLACE(5, 5, 1, 1);
    check_layout("aaaaacbbbbbd");
    PLACE(7, 5);
    check_layout("aaaaaabbbbba");
}

TEST_WITH(more_than_there_is_up_is_refused, NULL, drop_cluster)
{
    struct placement_request request = {&jobs[0], 5};

    new_cluster(2, 4);
    cluster_set_node(cluster, 0, NODE_DRAINING, INT64_MAX);
    assert_int_equal(
        placement_find("elastic")->revise(cluster, &request, 1, cluster_revise(cluster), &error),
        -1);
    assert_string_equal(error.text, "job job: no place for its 5 GPUs, of which 4 are free");
}

/* ---- random rounds ---- */

struct round {
    int before[GPUS_MAX];
    int after[GPUS_MAX];
    int sizes_before[JOBS_MAX];
};

static int draw_size(rng_t *rng, int most)
{
    int gpus = 1 << rng_below(rng, 6);

    while (gpus > most)
        gpus /= 2;
    return gpus;
}

static void draw_sizes(rng_t *rng, const struct round *round)
{
    int free_gpus = cluster_gpus(cluster);

    for (int job = 0; job < JOBS_MAX; job++) {
        const int held = round->sizes_before[job];

        sizes[job] = rng_below(rng, 3) == 0 ? 0 : held;
        free_gpus -= sizes[job];
    }
    for (int job = 0; job < JOBS_MAX && free_gpus > 0; job++)
        if (round->sizes_before[job] == 0 && rng_below(rng, 3) == 0) {
            sizes[job] = draw_size(rng, free_gpus);
            free_gpus -= sizes[job];
        }
}

/* A job has blocks: up to a node it is aligned to its size, beyond that it has whole nodes. */
static void check_block(const struct round *round, int job)
{
    const int per_node = cluster_gpus_per_node(cluster);
    const int block = sizes[job] < per_node ? sizes[job] : per_node;

    for (int rank = 0; rank < cluster_gpus(cluster); rank++)
        if (round->after[rank] == job)
            assert_int_equal(round->after[rank - rank % block], job);
}

static bool moved(const struct round *round, int job)
{
    for (int rank = 0; rank < cluster_gpus(cluster); rank++)
        if ((round->before[rank] == job) != (round->after[rank] == job))
            return true;
    return false;
}

/* The largest new job: a job as large as that or larger never moves; without one none does. */
static long check_moves(const struct round *round)
{
    int largest = 0;
    long moves = 0;

    for (int job = 0; job < JOBS_MAX; job++)
        if (round->sizes_before[job] == 0 && sizes[job] > largest)
            largest = sizes[job];
    for (int job = 0; job < JOBS_MAX; job++) {
        if (sizes[job] == 0 || round->sizes_before[job] != sizes[job] || !moved(round, job))
            continue;
        assert_true(sizes[job] < largest);
        moves++;
    }
    return moves;
}

TEST_WITH(random_rounds_keep_every_promise, NULL, drop_cluster)
{
    static const int shapes[][2] = {{4, 8}, {8, 4}, {16, 8}, {2, 16}, {1, 8}, {32, 2}, {20, 1}};
    rng_t rng = rng_new(test_seed(), "buddies");
    const long times = test_times(200);
    long moves = 0;

    for (long i = 0; i < times; i++) {
        const int *shape = shapes[rng_below(&rng, COUNT(shapes))];
        struct round round = {.sizes_before = {0}};

        new_cluster(shape[0], shape[1]);
        find_owners(round.after);
        for (int k = 0; k < 30; k++) {
            memcpy(round.before, round.after, sizeof(round.before));
            memcpy(round.sizes_before, sizes, sizeof(sizes));
            draw_sizes(&rng, &round);
            place();
            find_owners(round.after);
            for (int job = 0; job < JOBS_MAX; job++)
                if (sizes[job] > 0)
                    check_block(&round, job);
            moves += check_moves(&round);
        }
    }
    assert_true(times < 100 || moves > 100);
}

int main(void)
{
    (void)test_seed();
    return tests_run(NULL, NULL);
}
