/* sort_test.c - rising keys, and equal ones in the order they came in. */
#include "common/rng.h"
#include "common/sort.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#define ITEMS_MAX 400

/* The definition: the first of the smallest that are left, again and again. */
static void sort_plainly(struct keyed *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t least = i;
        struct keyed item;

        for (size_t k = i + 1; k < count; k++)
            if (items[k].key < items[least].key)
                least = k;
        item = items[least];
        memmove(&items[i + 1], &items[i], (least - i) * sizeof(*items));
        items[i] = item;
    }
}

static double random_key(rng_t *rng, uint64_t kinds)
{
    switch (rng_below(rng, 20)) {
    case 0:
        return HUGE_VAL;
    case 1:
        return -HUGE_VAL;
    default:
        return (double)rng_below(rng, kinds) - 3;
    }
}

static void check_sorted(struct keyed *items, size_t count)
{
    struct keyed expected[ITEMS_MAX];
    struct keyed scratch[ITEMS_MAX];

    memcpy(expected, items, count * sizeof(*items));
    sort_plainly(expected, count);
    sort_keyed(items, count, scratch);
    for (size_t i = 0; i < count; i++) {
        assert_true(items[i].key == expected[i].key);
        assert_int_equal(items[i].item, expected[i].item);
    }
}

TEST(random_keys_come_out_in_order_and_equal_ones_as_they_were)
{
    rng_t rng = rng_new(test_seed(), "sort");

    for (int round = 0; round < 600; round++) {
        const size_t count = rng_below(&rng, ITEMS_MAX + 1);
        const uint64_t kinds = 1 + rng_below(&rng, round % 2 ? 8 : 1000);
        struct keyed items[ITEMS_MAX];

        for (size_t i = 0; i < count; i++)
            items[i] = (struct keyed){random_key(&rng, kinds), i};
        check_sorted(items, count);
    }
}

TEST(a_list_that_is_almost_in_order_is_sorted_too)
{
    rng_t rng = rng_new(test_seed(), "almost sorted");

    for (int round = 0; round < 200; round++) {
        struct keyed items[ITEMS_MAX];

        for (size_t i = 0; i < ITEMS_MAX; i++)
            items[i] = (struct keyed){floor((double)i / 3), i};
        for (int k = 0; k < 5; k++)
            items[rng_below(&rng, ITEMS_MAX)].key = (double)rng_below(&rng, ITEMS_MAX / 3);
        check_sorted(items, ITEMS_MAX);
    }
}

/* Evenly, and with most of them in a small part of their range. */
TEST(numbers_are_sorted_however_they_are_spread)
{
    rng_t rng = rng_new(test_seed(), "spread");

    for (int round = 0; round < 200; round++) {
        const double power = round % 2 ? 1 : 12;
        struct keyed items[ITEMS_MAX];

        for (size_t i = 0; i < ITEMS_MAX; i++)
            items[i] = (struct keyed){1e6 * pow((double)rng_below(&rng, 500) / 500, power), i};
        check_sorted(items, ITEMS_MAX);
    }
}

TEST(a_list_in_falling_order_is_sorted_too)
{
    struct keyed items[ITEMS_MAX];

    for (size_t i = 0; i < ITEMS_MAX; i++)
        items[i] = (struct keyed){-floor((double)i / 2), i};
    check_sorted(items, ITEMS_MAX);
}

static int compare_ranks(const struct ranked *a, const struct ranked *b)
{
    for (int k = 0; k < RANK_KEYS; k++)
        if (a->keys[k] != b->keys[k])
            return a->keys[k] < b->keys[k] ? -1 : 1;
    return 0;
}

static void insert_plainly(struct ranked *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct ranked item = items[i];
        size_t at = i;

        for (; at > 0 && compare_ranks(&items[at - 1], &item) > 0; at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}

static void check_ranked(struct ranked *items, size_t count)
{
    struct ranked expected[ITEMS_MAX];
    struct ranked scratch[ITEMS_MAX];

    for (size_t i = 0; i < count; i++)
        items[i].item = i;
    memcpy(expected, items, count * sizeof(*items));
    insert_plainly(expected, count);
    sort_ranked(items, count, scratch);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(compare_ranks(&items[i], &expected[i]), 0);
        assert_int_equal(items[i].item, expected[i].item);
    }
}

TEST(a_later_key_counts_where_all_before_are_equal)
{
    struct ranked items[] = {
        {.keys = {1, 0, 0, 2}},  {.keys = {1, 0, 0, 1}},         {.keys = {0, 9, 9, 9}},
        {.keys = {1, -1, 5, 5}}, {.keys = {INT64_MAX, 0, 0, 0}}, {.keys = {INT64_MIN, 0, 0, 0}},
        {.keys = {1, 0, -1, 7}},
    };
    static const size_t order[] = {5, 2, 3, 6, 1, 0, 4};

    check_ranked(items, COUNT(items));
    for (size_t i = 0; i < COUNT(items); i++)
        assert_int_equal(items[i].item, order[i]);
}

TEST(nothing_and_one_rank_are_in_order)
{
    struct ranked item = {.keys = {3}};

    check_ranked(&item, 0);
    check_ranked(&item, 1);
}

/* Few values, so that many ranks are equal in some keys or in all. */
TEST(random_ranks_come_out_in_order_and_equal_ones_as_they_were)
{
    rng_t rng = rng_new(test_seed(), "ranks");

    for (int round = 0; round < 600; round++) {
        const size_t count = rng_below(&rng, ITEMS_MAX + 1);
        const uint64_t kinds = 1 + rng_below(&rng, 6);
        struct ranked items[ITEMS_MAX];

        for (size_t i = 0; i < count; i++)
            for (int k = 0; k < RANK_KEYS; k++)
                items[i].keys[k] = (int64_t)rng_below(&rng, kinds) - 2;
        check_ranked(items, count);
    }
}

TEST(ranks_in_runs_are_merged)
{
    rng_t rng = rng_new(test_seed(), "runs of ranks");

    for (int round = 0; round < 100; round++) {
        const size_t length = 1 + rng_below(&rng, 90);
        const int64_t sign = round % 2 ? 1 : -1;
        struct ranked items[ITEMS_MAX];

        for (size_t i = 0; i < ITEMS_MAX; i++)
            items[i] = (struct ranked){.keys = {sign * (int64_t)(i % length / 2), sign}};
        check_ranked(items, ITEMS_MAX);
    }
}

TEST(numbers_are_sorted_too)
{
    double numbers[] = {3, -HUGE_VAL, 2.5, 3, 0, HUGE_VAL};
    static const double sorted[] = {-HUGE_VAL, 0, 2.5, 3, 3, HUGE_VAL};

    sort_numbers(numbers, COUNT(numbers));
    for (size_t i = 0; i < COUNT(numbers); i++)
        assert_true(numbers[i] == sorted[i]);
    sort_numbers(numbers, 0);
}

int main(void)
{
    (void)test_seed();
    return tests_run(NULL, NULL);
}
