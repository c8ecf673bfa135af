/* blocks_test.c - blocks are taken and given back at random, and each answer is the one that a look
 * at every GPU gives. */
#include "common/memory.h"
#include "common/rng.h"
#include "scheduler/planner/blocks.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <string.h>

#define GPUS_MAX   64
#define GPUS_LARGE 4500
#define TRIALS     400
#define STEPS      60

struct naive {
    int gpus;
    int width;
    int owners[GPUS_LARGE]; /* of each GPU, BLOCK_FREE for none */
    int starts[GPUS_LARGE]; /* where the block of a GPU begins */
};

static bool is_free(const struct naive *naive, int rank, int gpus)
{
    for (int i = rank; i < rank + gpus; i++)
        if (i >= naive->gpus || naive->owners[i] != BLOCK_FREE)
            return false;
    return true;
}

/* The size of the free block, not a part of a larger one, that has the free block `rank`. */
static int free_around(const struct naive *naive, int rank, int gpus)
{
    while (gpus < naive->width && is_free(naive, rank / (2 * gpus) * 2 * gpus, 2 * gpus))
        gpus *= 2;
    return gpus;
}

static int find(const struct naive *naive, int gpus)
{
    int best = -1;

    for (int rank = 0; rank + gpus <= naive->gpus; rank += gpus)
        if (is_free(naive, rank, gpus) &&
            (best < 0 || free_around(naive, rank, gpus) < free_around(naive, best, gpus)))
            best = rank;
    return best;
}

static void take(struct naive *naive, struct blocks *blocks, int rank, int gpus, int owner)
{
    blocks_take(blocks, rank, gpus, owner);
    for (int i = rank; i < rank + gpus; i++) {
        naive->owners[i] = owner;
        naive->starts[i] = rank;
    }
}

static void give(struct naive *naive, struct blocks *blocks, int rank)
{
    const int owner = naive->owners[rank];
    int gpus = 0;

    while (rank + gpus < naive->gpus && naive->owners[rank + gpus] == owner &&
           naive->starts[rank + gpus] == rank)
        naive->owners[rank + gpus++] = BLOCK_FREE;
    blocks_give(blocks, rank, gpus);
}

static void meet(void *context, int owner, int rank, int gpus)
{
    int *met = context;

    for (int i = rank; i < rank + gpus; i++)
        met[i] = owner;
}

static void check_size(const struct naive *naive, const struct blocks *blocks, int gpus)
{
    int next = -1;

    assert_int_equal(blocks_find(blocks, gpus), find(naive, gpus));
    for (int rank = naive->width - gpus; rank >= 0; rank -= gpus) {
        next = is_free(naive, rank, gpus) ? rank : next;
        assert_int_equal(blocks_is_free(blocks, rank, gpus), next == rank);
        assert_int_equal(blocks_next(blocks, rank, gpus), next);
    }
}

static void check(const struct naive *naive, const struct blocks *blocks)
{
    int met[GPUS_LARGE];

    memset(met, 0xff, sizeof(met)); /* BLOCK_FREE */
    blocks_each(blocks, 0, blocks->width, meet, met);
    for (int i = 0; i < naive->gpus; i++)
        assert_int_equal(met[i], naive->owners[i]);
    for (int gpus = 1; gpus <= naive->width; gpus *= 2)
        check_size(naive, blocks, gpus);
}

TEST(each_answer_is_that_of_a_look_at_every_gpu)
{
    rng_t rng = rng_new(test_seed(), "blocks");
    arena_t *arena = arena_new();

    for (int trial = 0; trial < TRIALS; trial++) {
        struct naive naive = {.gpus = 1 + (int)rng_below(&rng, GPUS_MAX), .width = 1};
        struct blocks blocks;

        while (naive.width < naive.gpus)
            naive.width *= 2;
        memset(naive.owners, 0xff, sizeof(naive.owners));
        blocks_open(&blocks, naive.gpus, arena);
        for (int step = 0; step < STEPS; step++) {
            const int rank = (int)rng_below(&rng, (uint64_t)naive.gpus);
            const int gpus = 1 << rng_below(&rng, 5);
            const int found = find(&naive, gpus);

            if (naive.owners[rank] != BLOCK_FREE && rng_below(&rng, 2) == 0)
                give(&naive, &blocks, naive.starts[rank]);
            else if (found >= 0)
                take(&naive, &blocks, found, gpus, step);
            check(&naive, &blocks);
        }
        blocks_clear(&blocks);
        memset(naive.owners, 0xff, sizeof(naive.owners));
        check(&naive, &blocks);
        arena_reset(arena);
    }
    arena_destroy(&arena);
}

/* With this number of nodes the rows of most sizes are longer than a word, and there are words of
 * words. */
TEST(large_clusters_are_looked_at_likewise)
{
    static struct naive naive = {.gpus = GPUS_LARGE, .width = 8192};
    rng_t rng = rng_new(test_seed(), "many blocks");
    arena_t *arena = arena_new();
    struct blocks blocks;

    memset(naive.owners, 0xff, sizeof(naive.owners));
    blocks_open(&blocks, GPUS_LARGE, arena);
    for (int step = 0; step < 6000; step++) {
        const int rank = (int)rng_below(&rng, GPUS_LARGE);
        const int gpus = 1 << rng_below(&rng, 8);
        const int next = blocks_next(&blocks, rank / gpus * gpus, gpus);

        if (step % 10 == 0)
            assert_int_equal(blocks_find(&blocks, gpus), find(&naive, gpus));
        for (int at = rank / gpus * gpus; at < (next < 0 ? GPUS_LARGE : next); at += gpus)
            assert_false(is_free(&naive, at, gpus));
        if (next >= 0)
            assert_true(is_free(&naive, next, gpus));
        if (naive.owners[rank] != BLOCK_FREE && rng_below(&rng, 3) == 0)
            give(&naive, &blocks, naive.starts[rank]);
        else if (next >= 0)
            take(&naive, &blocks, next, gpus, step);
    }
    arena_destroy(&arena);
}

static void give_back(void *context, int owner, int rank, int gpus)
{
    assert_int_equal(owner, rank);
    blocks_give(context, rank, gpus);
}

TEST(what_is_met_may_be_given_back)
{
    static const int sizes[] = {1, 1, 2, 4, 1, 1, 2, 4}; /* of 16 */
    arena_t *arena = arena_new();
    struct blocks blocks;

    for (unsigned taken = 0; taken < 1U << 8; taken++) {
        int rank = 0;

        blocks_open(&blocks, 16, arena);
        for (int i = 0; i < 8; i++) {
            if ((taken & 1U << i) != 0)
                blocks_take(&blocks, rank, sizes[i], rank);
            rank += sizes[i];
        }
        blocks_each(&blocks, 0, 16, give_back, &blocks);
        assert_true(blocks_is_free(&blocks, 0, 16));
        arena_reset(arena);
    }
    arena_destroy(&arena);
}

/* The size that is asked for need not be that of the block that is free. */
TEST(the_smallest_free_block_that_holds_it_is_found)
{
    arena_t *arena = arena_new();
    struct blocks blocks;

    blocks_open(&blocks, 16, arena);
    blocks_take(&blocks, 8, 2, 1);
    assert_int_equal(blocks_find(&blocks, 1), 10); /* 10 and 11 are free, and so are 12 to 15 */
    assert_int_equal(blocks_find(&blocks, 4), 12);
    assert_int_equal(blocks_find(&blocks, 8), 0);
    assert_int_equal(blocks_find(&blocks, 16), -1);
    blocks_give(&blocks, 8, 2);
    assert_int_equal(blocks_find(&blocks, 16), 0);
    arena_destroy(&arena);
}

/* 5 GPUs of 8: the block of 4 is there, and one GPU more. */
TEST(gpus_that_are_not_there_are_in_no_block)
{
    arena_t *arena = arena_new();
    struct blocks blocks;

    blocks_open(&blocks, 5, arena);
    assert_int_equal(blocks_find(&blocks, 8), -1);
    assert_int_equal(blocks_find(&blocks, 4), 0);
    assert_int_equal(blocks_find(&blocks, 1), 4);
    assert_false(blocks_is_free(&blocks, 4, 2));
    arena_destroy(&arena);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
