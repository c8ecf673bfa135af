/* timeline_test.c - reservations are taken out of the free GPUs and given back, and each answer is
 * the one that a look at every second gives. */
#include "common/memory.h"
#include "common/rng.h"
#include "scheduler/plan/timeline.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>

#define TRIALS      4000
#define ENTRIES_MAX 12
#define STEPS_MAX   6
#define HORIZON_S   60 /* nothing happens later */
#define NOW_S       100

static const struct throughput_row row = {.model = "model",
                                          .batch_size = 64,
                                          .level_count = 5,
                                          .gpus = {1, 2, 4, 8, 16},
                                          .iters_per_s = {1, 2, 3, 4, 5}};

static struct scaling scaling;

FIXTURE(prepare)
{
    struct error error;

    return scaling_init(&scaling, &row, 16, 64, &error);
}

static struct timeline timeline_with(size_t room)
{
    return (struct timeline){xcalloc(room, sizeof(struct timeline_entry)), 0};
}

/* Times of rising seconds from now on, the first of them now; returns how many. */
static int random_times(rng_t *rng, int max, double times_s[])
{
    const int wanted = 1 + (int)rng_below(rng, (uint64_t)max);
    double at_s = NOW_S;
    int count = 0;

    while (count < wanted && at_s < NOW_S + HORIZON_S) {
        times_s[count++] = at_s;
        at_s += 1 + (double)rng_below(rng, 12);
    }
    return count;
}

static struct timeline random_timeline(rng_t *rng, size_t room)
{
    struct timeline timeline = timeline_with(room);
    double times_s[ENTRIES_MAX];
    const int wanted = random_times(rng, ENTRIES_MAX, times_s);

    assert_true(room >= ENTRIES_MAX);
    for (int i = 0; i < wanted; i++) {
        const int gpus = (int)rng_below(rng, 20);

        if (timeline.count > 0 && timeline.entries[timeline.count - 1].free_gpus == gpus)
            continue;
        timeline.entries[timeline.count++] = timeline_entry(times_s[i], gpus);
    }
    return timeline;
}

static struct reservation random_reservation(rng_t *rng, struct step steps[STEPS_MAX])
{
    double times_s[STEPS_MAX];
    const int count = random_times(rng, STEPS_MAX, times_s);
    struct reservation reservation = {.steps = steps, .count = count};

    for (int i = 0; i < count; i++)
        steps[i] = (struct step){times_s[i], (int)rng_below(rng, 6)};
    /* The reservation may end before its last step (EF-Q12), and even at once. */
    reservation.end_s = NOW_S + (double)rng_below(rng, HORIZON_S + 1);
    return reservation;
}

static int free_at(const struct timeline *timeline, double at_s)
{
    int gpus = 0;

    for (int i = 0; i < timeline->count && timeline->entries[i].at_s <= at_s; i++)
        gpus = timeline->entries[i].free_gpus;
    return gpus;
}

static int held_at(const struct reservation *reservation, double at_s)
{
    int gpus = 0;

    for (int i = 0; i < reservation->count && reservation->steps[i].at_s <= at_s; i++)
        gpus = scaling.gpus[reservation->steps[i].level];
    return at_s < reservation->end_s ? gpus : 0;
}

static void check_well_formed(const struct timeline *timeline)
{
    assert_true(timeline->count > 0);
    assert_true(timeline->entries[0].at_s == NOW_S);
    for (int i = 0; i < timeline->count; i++)
        assert_int_equal(timeline->entries[i].free_class,
                         scaling_class(timeline->entries[i].free_gpus));
    for (int i = 1; i < timeline->count; i++) {
        assert_true(timeline->entries[i].at_s > timeline->entries[i - 1].at_s);
        assert_int_not_equal(timeline->entries[i].free_gpus, timeline->entries[i - 1].free_gpus);
    }
}

static void check_same(const struct timeline *a, const struct timeline *b)
{
    assert_int_equal(a->count, b->count);
    for (int i = 0; i < a->count; i++) {
        assert_true(a->entries[i].at_s == b->entries[i].at_s);
        assert_int_equal(a->entries[i].free_gpus, b->entries[i].free_gpus);
    }
}

TEST(at_first_everything_is_free)
{
    struct timeline timeline = timeline_with(1);

    timeline_clear(&timeline, NOW_S, 64);
    check_well_formed(&timeline);
    assert_int_equal(free_at(&timeline, NOW_S + 1000), 64);
    assert_true(timeline_is_within(&timeline, 64));
    assert_false(timeline_is_within(&timeline, 63));
    free(timeline.entries);
}

TEST(a_reservation_is_taken_out_second_by_second_and_given_back_whole)
{
    rng_t rng = rng_new(test_seed(), "reservations");

    for (int trial = 0; trial < TRIALS; trial++) {
        struct step steps[STEPS_MAX];
        struct timeline before = random_timeline(&rng, ENTRIES_MAX);
        const struct reservation reservation = random_reservation(&rng, steps);
        const int room = before.count + TIMELINE_ROOM(&reservation);
        struct timeline reserved = timeline_with((size_t)room);
        struct timeline released = timeline_with((size_t)room + STEPS_MAX + 1);

        timeline_reserve(&before, &reservation, &scaling, &reserved);
        check_well_formed(&reserved);
        for (int at_s = NOW_S; at_s <= NOW_S + HORIZON_S + 1; at_s++)
            assert_int_equal(free_at(&reserved, at_s),
                             free_at(&before, at_s) - held_at(&reservation, at_s));
        timeline_release(&reserved, &reservation, &scaling, &released);
        check_same(&released, &before);
        free(before.entries);
        free(reserved.entries);
        free(released.entries);
    }
}

static double first_change_seen(const struct timeline *timeline,
                                const struct reservation *reservation, double otherwise)
{
    const int start = free_at(timeline, NOW_S) + held_at(reservation, NOW_S);

    for (int at_s = NOW_S; at_s <= NOW_S + HORIZON_S + 1; at_s++)
        if (free_at(timeline, at_s) + held_at(reservation, at_s) != start)
            return at_s;
    return otherwise;
}

TEST(the_first_change_is_the_first_second_that_differs)
{
    rng_t rng = rng_new(test_seed(), "first changes");
    int unchanging = 0;

    for (int trial = 0; trial < TRIALS; trial++) {
        struct step steps[STEPS_MAX];
        struct timeline timeline = random_timeline(&rng, ENTRIES_MAX);
        const struct reservation reservation = random_reservation(&rng, steps);
        struct timeline reserved = timeline_with(ENTRIES_MAX + STEPS_MAX + 1);
        double expected_s;

        /* Half of them free of what they release, as reservations are: changes then cancel out. */
        if (trial % 2)
            timeline_reserve(&timeline, &reservation, &scaling, &reserved);
        else
            timeline_clear(&reserved, NOW_S, 7);
        expected_s = first_change_seen(&reserved, &reservation, 5);
        unchanging += expected_s == 5;
        assert_true(timeline_first_change_released(&reserved, &reservation, &scaling, 5) ==
                    expected_s);
        free(timeline.entries);
        free(reserved.entries);
    }
    assert_true(unchanging > 0);
}

TEST(deltas_add_up_second_by_second)
{
    rng_t rng = rng_new(test_seed(), "deltas");

    for (int trial = 0; trial < TRIALS; trial++) {
        struct timeline before = random_timeline(&rng, ENTRIES_MAX);
        struct timeline after = timeline_with((size_t)before.count + STEPS_MAX);
        struct timeline_delta deltas[STEPS_MAX];
        double times_s[STEPS_MAX];
        const int skipped = (int)rng_below(&rng, 2); /* so that not all begin now */
        const int count = random_times(&rng, STEPS_MAX, times_s) - skipped;

        for (int k = 0; k < count; k++)
            deltas[k] = (struct timeline_delta){times_s[k + skipped], (int)rng_below(&rng, 9) - 4};
        timeline_apply(&before, deltas, count, &after);
        check_well_formed(&after);
        for (int at_s = NOW_S; at_s <= NOW_S + HORIZON_S + 1; at_s++) {
            int expected = free_at(&before, at_s);

            for (int k = 0; k < count && deltas[k].at_s <= at_s; k++)
                expected += deltas[k].more;
            assert_int_equal(free_at(&after, at_s), expected);
        }
        free(before.entries);
        free(after.entries);
    }
}

TEST(a_timeline_below_zero_is_not_within_any_cluster)
{
    struct timeline_entry entries[] = {timeline_entry(0, 4), timeline_entry(60, -1),
                                       timeline_entry(120, 8)};

    assert_false(timeline_is_within(&(struct timeline){entries, 3}, 8));
    assert_true(timeline_is_within(&(struct timeline){entries, 1}, 8));
}

int main(void)
{
    (void)test_seed();
    return tests_run(prepare, NULL);
}
