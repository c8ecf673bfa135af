/* slot_capacity_test.c - the step function of free GPUs is a plain array of slots. */
#include "common/rng.h"
#include "scheduler/reference/slot_capacity.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <string.h>

#define GPUS 8

/* Slots from -BEFORE to SLOTS, one by one; those outside are like their neighbours inside. */
#define BEFORE 3
#define SLOTS  60

struct plain {
    int64_t free_gpus[BEFORE + SLOTS];
};

static struct slot_capacity capacity;
static struct slot_runs taken;

FIXTURE(set_up)
{
    slot_capacity_init(&capacity, GPUS);
    return 0;
}

FIXTURE(tear_down)
{
    slot_capacity_free(&capacity);
    slot_runs_free(&taken);
    return 0;
}

static void check_steps(const struct slot_capacity *found, const struct slot_step *steps,
                        size_t count)
{
    assert_int_equal(found->count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(found->steps[i].from, steps[i].from);
        assert_int_equal(found->steps[i].free_gpus, steps[i].free_gpus);
    }
}

static void add(int64_t from, int64_t to, int64_t gpus)
{
    struct slot_runs runs = {.items = NULL};

    slot_runs_append(&runs, from, to);
    slot_capacity_add(&capacity, &runs, gpus);
    slot_runs_free(&runs);
}

#define ON_CAPACITY(name) TEST_WITH(name, set_up, tear_down)

ON_CAPACITY(what_is_taken_and_freed_leaves_no_steps)
{
    add(2, 5, -3);
    check_steps(&capacity, (const struct slot_step[]){{INT64_MIN, 8}, {2, 5}, {5, 8}}, 3);
    add(5, 7, -3);
    check_steps(&capacity, (const struct slot_step[]){{INT64_MIN, 8}, {2, 5}, {7, 8}}, 3);
    add(2, 7, 3);
    check_steps(&capacity, (const struct slot_step[]){{INT64_MIN, 8}}, 1);
}

ON_CAPACITY(what_is_over_is_forgotten)
{
    add(2, 5, -3);
    slot_capacity_drop_before(&capacity, 3);
    check_steps(&capacity, (const struct slot_step[]){{INT64_MIN, 5}, {5, 8}}, 2);
    slot_capacity_drop_before(&capacity, 9);
    check_steps(&capacity, (const struct slot_step[]){{INT64_MIN, 8}}, 1);
}

ON_CAPACITY(the_latest_slots_with_room_are_taken)
{
    add(4, 6, -5);
    assert_true(slot_capacity_take_latest(&capacity, 1, 8, 4, 4, &taken));
    assert_int_equal(taken.count, 2);
    assert_int_equal(taken.items[0].from, 2);
    assert_int_equal(taken.items[0].to, 4);
    assert_int_equal(taken.items[1].from, 6);
    assert_int_equal(taken.items[1].to, 8);
}

ON_CAPACITY(without_room_nothing_is_taken)
{
    add(4, 6, -5);
    assert_false(slot_capacity_take_latest(&capacity, 1, 8, 6, 4, &taken));
    assert_int_equal(taken.count, 0);
    assert_false(slot_capacity_take_latest(&capacity, 5, 5, 1, 1, &taken));
    assert_false(slot_capacity_take_latest(&capacity, 5, 2, 1, 1, &taken));
    check_steps(&capacity, (const struct slot_step[]){{INT64_MIN, 8}, {4, 3}, {6, 8}}, 3);
}

ON_CAPACITY(nobody_needs_any_room_for_nothing)
{
    assert_true(slot_capacity_take_latest(&capacity, 5, 2, 0, 1, &taken));
    assert_int_equal(taken.count, 0);
    check_steps(&capacity, (const struct slot_step[]){{INT64_MIN, 8}}, 1);
}

static void check_same(const struct plain *plain)
{
    size_t at = 0;

    assert_int_equal(capacity.steps[0].from, INT64_MIN);
    for (int64_t slot = -BEFORE; slot < SLOTS; slot++) {
        while (at + 1 < capacity.count && capacity.steps[at + 1].from <= slot)
            at++;
        assert_int_equal(capacity.steps[at].free_gpus, plain->free_gpus[BEFORE + slot]);
    }
    assert_int_equal(at + 1, capacity.count);
    for (size_t i = 1; i < capacity.count; i++) {
        assert_true(capacity.steps[i - 1].from < capacity.steps[i].from);
        assert_true(capacity.steps[i - 1].free_gpus != capacity.steps[i].free_gpus);
    }
}

static void add_plainly(struct plain *plain, const struct slot_runs *runs, int64_t gpus)
{
    for (int64_t slot = -BEFORE; slot < SLOTS; slot++)
        if (slot_runs_has(runs, slot))
            plain->free_gpus[BEFORE + slot] += gpus;
}

static void drop_plainly(struct plain *plain, int64_t before)
{
    for (int64_t slot = -BEFORE; slot < before; slot++)
        plain->free_gpus[BEFORE + slot] = plain->free_gpus[BEFORE + before];
}

/* The walk of the definition: slot by slot, from the last one down. */
static bool take_plainly(struct plain *plain, int64_t from, int64_t before, int64_t need,
                         int64_t gpus, bool walked[])
{
    memset(walked, 0, SLOTS * sizeof(*walked));
    for (int64_t slot = before - 1; slot >= from && need > 0; slot--)
        if (plain->free_gpus[BEFORE + slot] >= gpus) {
            walked[slot] = true;
            need--;
        }
    if (need > 0)
        return false;
    for (int64_t slot = 0; slot < SLOTS; slot++)
        plain->free_gpus[BEFORE + slot] -= walked[slot] ? gpus : 0;
    return true;
}

static void check_taking(rng_t *rng, struct plain *plain)
{
    const int64_t from = (int64_t)rng_below(rng, SLOTS / 2);
    const int64_t before = (int64_t)rng_below(rng, SLOTS);
    const int64_t need = (int64_t)rng_below(rng, rng_below(rng, 3) == 0 ? SLOTS : 6);
    const int64_t gpus = (int64_t)rng_below(rng, GPUS + 2);
    bool walked[SLOTS];
    const bool expected = take_plainly(plain, from, before, need, gpus, walked);

    assert_int_equal(slot_capacity_take_latest(&capacity, from, before, need, gpus, &taken),
                     expected);
    assert_int_equal(slot_runs_total(&taken), expected ? need : 0);
    for (int64_t slot = 0; slot < SLOTS; slot++)
        assert_int_equal(slot_runs_has(&taken, slot), expected && walked[slot]);
    for (size_t i = 1; i < taken.count; i++)
        assert_true(taken.items[i - 1].to < taken.items[i].from);
}

static void pick_slots(rng_t *rng)
{
    int64_t slot = (int64_t)rng_below(rng, SLOTS / 3);

    slot_runs_clear(&taken);
    for (uint64_t runs = rng_below(rng, 4); runs > 0 && slot < SLOTS - 1; runs--) {
        const int64_t end = slot + 1 + (int64_t)rng_below(rng, (uint64_t)(SLOTS - 1 - slot));

        slot_runs_append(&taken, slot, end);
        slot = end + 1 + (int64_t)rng_below(rng, SLOTS / 3);
    }
}

/* The last slot is left alone: what lies after it is like it. */
static void step(rng_t *rng, struct plain *plain)
{
    const int64_t gpus = (int64_t)rng_below(rng, 7) - 3;
    const int64_t slot = (int64_t)rng_below(rng, SLOTS / 3);

    switch (rng_below(rng, 8)) {
    case 0:
        drop_plainly(plain, slot);
        slot_capacity_drop_before(&capacity, slot);
        break;
    case 1:
    case 2:
        pick_slots(rng);
        add_plainly(plain, &taken, gpus);
        slot_capacity_add(&capacity, &taken, gpus);
        break;
    default:
        check_taking(rng, plain);
    }
    check_same(plain);
}

ON_CAPACITY(random_steps_do_what_a_plain_array_does)
{
    rng_t rng = rng_new(test_seed(), "slot capacity");

    for (long i = 0; i < test_times(400); i++) {
        struct plain plain;

        slot_capacity_free(&capacity);
        slot_capacity_init(&capacity, GPUS);
        for (size_t k = 0; k < COUNT(plain.free_gpus); k++)
            plain.free_gpus[k] = GPUS;
        for (int steps = 0; steps < 50; steps++)
            step(&rng, &plain);
    }
}

ON_CAPACITY(a_copy_does_not_change_with_the_original)
{
    const struct slot_step steps[] = {{INT64_MIN, 8}, {2, 5}, {5, 8}};
    struct slot_capacity copy = {.steps = NULL};

    add(2, 5, -3);
    slot_capacity_copy(&copy, &capacity);
    add(1, 9, -1);
    check_steps(&copy, steps, COUNT(steps));
    slot_capacity_copy(&capacity, &copy);
    check_steps(&capacity, steps, COUNT(steps));
    slot_capacity_free(&copy);
}

int main(void)
{
    (void)test_seed();
    return tests_run(NULL, NULL);
}
