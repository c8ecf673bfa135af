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

static void random_keys_come_out_in_order_and_equal_ones_as_they_were(void **state)
{
    rng_t rng = rng_new(test_seed(), "sort");

    (void)state;
    for (int round = 0; round < 600; round++) {
        const size_t count = rng_below(&rng, ITEMS_MAX + 1);
        const uint64_t kinds = 1 + rng_below(&rng, round % 2 ? 8 : 1000);
        struct keyed items[ITEMS_MAX];

        for (size_t i = 0; i < count; i++)
            items[i] = (struct keyed){random_key(&rng, kinds), i};
        check_sorted(items, count);
    }
}

static void a_list_that_is_almost_in_order_is_sorted_too(void **state)
{
    rng_t rng = rng_new(test_seed(), "almost sorted");

    (void)state;
    for (int round = 0; round < 200; round++) {
        struct keyed items[ITEMS_MAX];

        for (size_t i = 0; i < ITEMS_MAX; i++)
            items[i] = (struct keyed){floor((double)i / 3), i};
        for (int k = 0; k < 5; k++)
            items[rng_below(&rng, ITEMS_MAX)].key = (double)rng_below(&rng, ITEMS_MAX / 3);
        check_sorted(items, ITEMS_MAX);
    }
}

static void a_list_in_falling_order_is_sorted_too(void **state)
{
    struct keyed items[ITEMS_MAX];

    (void)state;
    for (size_t i = 0; i < ITEMS_MAX; i++)
        items[i] = (struct keyed){-floor((double)i / 2), i};
    check_sorted(items, ITEMS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_keys_come_out_in_order_and_equal_ones_as_they_were),
        cmocka_unit_test(a_list_that_is_almost_in_order_is_sorted_too),
        cmocka_unit_test(a_list_in_falling_order_is_sorted_too),
    };

    (void)test_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
