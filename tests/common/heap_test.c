/* heap_test.c - the smallest key comes first, whatever was pushed, popped and filtered before. */
#include "common/heap.h"
#include "common/rng.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <string.h>

#define ITEMS_MAX 500

/* The same as a plain list, looked through each time. */
struct model {
    int64_t keys[ITEMS_MAX];
    bool there[ITEMS_MAX];
    size_t count;
};

static int64_t smallest(const struct model *model)
{
    int64_t key = INT64_MAX;

    for (size_t i = 0; i < ITEMS_MAX; i++)
        if (model->there[i] && model->keys[i] < key)
            key = model->keys[i];
    return key;
}

static void check_first(const heap_t *heap, const struct model *model)
{
    const int64_t *first = heap_first(heap);

    assert_int_equal(heap_count(heap), model->count);
    if (model->count == 0)
        assert_null(first);
    else
        assert_int_equal(*first, smallest(model));
}

static bool is_even(void *context, void *item)
{
    (void)context;
    return *(const int64_t *)item % 2 == 0;
}

static void drop_odd(heap_t *heap, struct model *model)
{
    heap_filter(heap, is_even, NULL);
    for (size_t i = 0; i < ITEMS_MAX; i++)
        if (model->there[i] && model->keys[i] % 2 != 0) {
            model->there[i] = false;
            model->count--;
        }
}

static void pop(heap_t *heap, struct model *model)
{
    const int64_t key = smallest(model);
    const int64_t *item;
    size_t place;

    assert_null(heap_pop_if(heap, key - 1));
    item = model->count % 2 ? heap_pop(heap) : heap_pop_if(heap, key);
    place = (size_t)(item - model->keys);
    assert_int_equal(*item, key);
    assert_true(model->there[place]);
    model->there[place] = false;
    model->count--;
}

static void push(rng_t *rng, heap_t *heap, struct model *model)
{
    const size_t place = rng_below(rng, ITEMS_MAX);

    if (model->there[place])
        return;
    model->keys[place] = (int64_t)rng_below(rng, 200);
    model->there[place] = true;
    model->count++;
    heap_push(heap, model->keys[place], &model->keys[place]);
}

static void replace_first(rng_t *rng, heap_t *heap, struct model *model)
{
    int64_t *first = heap_first(heap);

    *first = (int64_t)rng_below(rng, 200);
    heap_replace_first(heap, *first, first);
    assert_int_equal(heap_count(heap), model->count);
}

TEST(a_heap_does_what_a_list_does)
{
    static struct model model;
    rng_t rng = rng_new(test_seed(), "heap");
    heap_t *heap = heap_new();

    for (int i = 0; i < 30000; i++) {
        const uint64_t what = rng_below(&rng, 1000);

        if (what == 0)
            drop_odd(heap, &model);
        else if (what < 400 && model.count > 0)
            pop(heap, &model);
        else if (what < 500 && model.count > 0)
            replace_first(&rng, heap, &model);
        else
            push(&rng, heap, &model);
        check_first(heap, &model);
    }
    while (model.count > 0)
        pop(heap, &model);
    check_first(heap, &model);
    heap_destroy(&heap);
    assert_null(heap);
    heap_destroy(&heap);
}

int main(void)
{
    (void)test_seed();
    return tests_run(NULL, NULL);
}
