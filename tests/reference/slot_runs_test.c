/* slot_runs_test.c - runs of slots are the slots of a plain list. */
#include "common/rng.h"
#include "scheduler/reference/slot_runs.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#define SLOTS 60

/* The same set, slot by slot. */
struct plain {
    bool has[SLOTS];
};

static struct slot_runs runs;
static struct slot_runs other;

FIXTURE(drop_runs)
{
    slot_runs_free(&runs);
    slot_runs_free(&other);
    return 0;
}

static void append_all(struct slot_runs *to, const struct slot_run *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        slot_runs_append(to, from[i].from, from[i].to);
}

static void check_runs(const struct slot_runs *found, const struct slot_run *expected, size_t count)
{
    assert_int_equal(found->count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(found->items[i].from, expected[i].from);
        assert_int_equal(found->items[i].to, expected[i].to);
    }
}

#define ON_RUNS(name) TEST_WITH(name, NULL, drop_runs)

ON_RUNS(runs_that_touch_become_one)
{
    append_all(&runs, (const struct slot_run[]){{2, 4}, {4, 4}, {4, 5}, {7, 8}}, 4);
    check_runs(&runs, (const struct slot_run[]){{2, 5}, {7, 8}}, 2);
    assert_int_equal(slot_runs_total(&runs), 4);
    assert_int_equal(slot_runs_end(&runs), 8);
}

ON_RUNS(no_slots_are_none)
{
    assert_int_equal(slot_runs_total(&runs), 0);
    assert_int_equal(slot_runs_end(&runs), 0);
    assert_false(slot_runs_has(&runs, 0));
    slot_runs_drop_before(&runs, 5);
    slot_runs_split_first(&runs, 3, &other);
    slot_runs_append(&runs, 9, 9);
    check_runs(&runs, NULL, 0);
    check_runs(&other, NULL, 0);
}

ON_RUNS(the_first_slots_are_split_off_within_a_run)
{
    append_all(&runs, (const struct slot_run[]){{1, 3}, {5, 9}}, 2);
    slot_runs_append(&other, 20, 21); /* which is lost */
    slot_runs_split_first(&runs, 3, &other);
    check_runs(&other, (const struct slot_run[]){{1, 3}, {5, 6}}, 2);
    check_runs(&runs, (const struct slot_run[]){{6, 9}}, 1);
}

ON_RUNS(no_more_slots_are_split_off_than_there_are)
{
    slot_runs_append(&runs, 1, 3);
    slot_runs_split_first(&runs, 7, &other);
    check_runs(&other, (const struct slot_run[]){{1, 3}}, 1);
    check_runs(&runs, NULL, 0);
}

ON_RUNS(copies_are_equal_until_one_changes)
{
    append_all(&runs, (const struct slot_run[]){{1, 3}, {5, 9}}, 2);
    slot_runs_append(&other, 30, 40);
    slot_runs_copy(&other, &runs);
    assert_true(slot_runs_equal(&runs, &other));
    slot_runs_drop_before(&other, 2);
    assert_false(slot_runs_equal(&runs, &other));
    slot_runs_drop_before(&runs, 2);
    assert_true(slot_runs_equal(&runs, &other));
    slot_runs_clear(&other);
    assert_false(slot_runs_equal(&runs, &other));
}

static struct plain pick_runs(rng_t *rng, struct slot_runs *picked)
{
    const uint64_t density = 1 + rng_below(rng, 9);
    struct plain plain = {{false}};

    slot_runs_clear(picked);
    for (int64_t slot = 0; slot < SLOTS; slot++)
        if (rng_below(rng, 10) < density) {
            plain.has[slot] = true;
            slot_runs_append(picked, slot, slot + 1);
        }
    return plain;
}

static void check_same(const struct slot_runs *found, const struct plain *plain)
{
    int64_t total = 0;
    int64_t end = 0;

    for (int64_t slot = 0; slot < SLOTS; slot++) {
        assert_int_equal(slot_runs_has(found, slot), plain->has[slot]);
        total += plain->has[slot];
        end = plain->has[slot] ? slot + 1 : end;
    }
    assert_int_equal(slot_runs_total(found), total);
    assert_int_equal(slot_runs_end(found), end);
    for (size_t i = 0; i < found->count; i++) {
        assert_true(found->items[i].from < found->items[i].to);
        assert_true(i == 0 || found->items[i - 1].to < found->items[i].from);
    }
}

static void drop_plainly(struct plain *plain, int64_t before)
{
    for (int64_t slot = 0; slot < before && slot < SLOTS; slot++)
        plain->has[slot] = false;
}

static struct plain split_plainly(struct plain *plain, int64_t count)
{
    struct plain first = {{false}};

    for (int64_t slot = 0; slot < SLOTS; slot++)
        if (plain->has[slot] && count > 0) {
            count--;
            first.has[slot] = true;
            plain->has[slot] = false;
        }
    return first;
}

ON_RUNS(random_runs_are_what_a_plain_list_says)
{
    rng_t rng = rng_new(test_seed(), "slot runs");

    for (long i = 0; i < test_times(3000); i++) {
        struct plain plain = pick_runs(&rng, &runs);
        const int64_t count = (int64_t)rng_below(&rng, SLOTS + 5);
        struct plain first;

        check_same(&runs, &plain);
        first = split_plainly(&plain, count / 2);
        slot_runs_split_first(&runs, count / 2, &other);
        check_same(&other, &first);
        check_same(&runs, &plain);
        drop_plainly(&plain, count);
        slot_runs_drop_before(&runs, count);
        check_same(&runs, &plain);
    }
}

int main(void)
{
    (void)test_seed();
    return tests_run(NULL, NULL);
}
