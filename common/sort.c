/* sort.c - see sort.h. */
#include "common/sort.h"

#include "common/memory.h"

#include <stdlib.h>

#include <stdbool.h>
#include <string.h>

/* Insertion sort, given up after this many moves for each item. */
#define MOVES_PER_ITEM 12

static bool insert_all(struct keyed *items, size_t count)
{
    size_t moves = 0;

    for (size_t i = 1; i < count; i++) {
        const struct keyed item = items[i];
        size_t at = i;

        for (; at > 0 && items[at - 1].key > item.key; at--)
            items[at] = items[at - 1];
        items[at] = item;
        moves += i - at;
        if (moves > MOVES_PER_ITEM * count)
            return false;
    }
    return true;
}

static void merge(const struct keyed *from, struct keyed *to, size_t low, size_t middle,
                  size_t high)
{
    size_t left = low;
    size_t right = middle;

    for (size_t i = low; i < high; i++) {
        const bool take_left =
            right == high || (left < middle && from[left].key <= from[right].key);

        to[i] = from[take_left ? left++ : right++];
    }
}

void sort_keyed(struct keyed *items, size_t count, struct keyed *scratch)
{
    struct keyed *from = items;
    struct keyed *to = scratch;

    if (insert_all(items, count))
        return;
    for (size_t width = 1; width < count; width *= 2) {
        struct keyed *swap = from;

        for (size_t low = 0; low < count; low += 2 * width) {
            const size_t middle = low + width < count ? low + width : count;
            const size_t high = low + 2 * width < count ? low + 2 * width : count;

            merge(from, to, low, middle, high);
        }
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, count * sizeof(*items));
}

void sort_numbers(double *numbers, size_t count)
{
    struct keyed *items = xmalloc((2 * count + 1) * sizeof(*items));

    for (size_t i = 0; i < count; i++)
        items[i] = (struct keyed){numbers[i], i};
    sort_keyed(items, count, items + count);
    for (size_t i = 0; i < count; i++)
        numbers[i] = items[i].key;
    free(items);
}
