/* outline_test.c - what an outline has is free in each second, and what is free in all of them it
 * has. */
#include "common/rng.h"
#include "scheduler/planner/outline.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#define TRIALS    200
#define GPUS      64
#define SPANS     20
#define QUESTIONS 50
#define NOW_S     100
#define HORIZON_S 3000

/* GPUs that are free from `from` to before `to`, at least. */
static int least(const int free_gpus[HORIZON_S], int from, int to)
{
    int least = GPUS;

    for (int i = from; i < to; i++)
        least = free_gpus[i] < least ? free_gpus[i] : least;
    return least;
}

static void take_some(rng_t *rng, struct outline *outline, int free_gpus[HORIZON_S])
{
    outline_clear(outline, NOW_S, GPUS);
    for (int i = 0; i < HORIZON_S; i++)
        free_gpus[i] = GPUS;
    for (uint64_t spans = rng_below(rng, SPANS); spans > 0; spans--) {
        const int from = (int)rng_below(rng, HORIZON_S - 1);
        const int to = from + 1 + (int)rng_below(rng, (uint64_t)(HORIZON_S - 1 - from));
        const int gpus = 1 + (int)rng_below(rng, 5);

        outline_take(outline, NOW_S + from, NOW_S + to, gpus);
        for (int i = from; i < to; i++)
            free_gpus[i] -= gpus;
    }
}

TEST(it_has_no_more_than_is_free)
{
    rng_t rng = rng_new(test_seed(), "outline");
    int had = 0;

    for (int i = 0; i < TRIALS; i++) {
        struct outline outline;
        int free_gpus[HORIZON_S];

        take_some(&rng, &outline, free_gpus);
        for (int k = 0; k < QUESTIONS; k++) {
            const int from = (int)rng_below(&rng, HORIZON_S - 1);
            const int to = from + 1 + (int)rng_below(&rng, (uint64_t)(HORIZON_S - 1 - from));
            const int gpus = 1 + (int)rng_below(&rng, GPUS);

            if (!outline_has(&outline, NOW_S + from, NOW_S + to, gpus))
                continue;
            assert_true(least(free_gpus, from, to) >= gpus);
            had++;
        }
    }
    assert_in_range(had, TRIALS * QUESTIONS / 4, TRIALS * QUESTIONS);
}

/* A step is a part of its distance at most, here less than a second. */
TEST(what_is_near_is_told_by_the_second)
{
    struct outline outline;

    outline_clear(&outline, NOW_S, GPUS);
    outline_take(&outline, NOW_S + 3, NOW_S + 5, GPUS);
    assert_true(outline_has(&outline, NOW_S, NOW_S + 3, GPUS));
    assert_true(!outline_has(&outline, NOW_S, NOW_S + 4, 1));
    assert_true(!outline_has(&outline, NOW_S + 4, NOW_S + 5, 1));
    assert_true(outline_has(&outline, NOW_S + 5, NOW_S + 1e12, GPUS));
}

TEST(the_first_change_is_noted)
{
    struct outline outline;

    outline_clear(&outline, NOW_S, GPUS);
    outline_take(&outline, NOW_S, NOW_S + 50, 1);
    assert_true(outline.change_s == NOW_S + 50);
    outline_take(&outline, NOW_S + 20, NOW_S + 30, 1);
    assert_true(outline.change_s == NOW_S + 20);
    outline_take(&outline, NOW_S + 40, NOW_S + 70, 1);
    assert_true(outline.change_s == NOW_S + 20);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
