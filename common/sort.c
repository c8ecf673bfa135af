/* sort.c - see sort.h. */
#include "common/sort.h"

#include "common/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Insertion sort, given up after so many moves for each item so far and for so many items more. */
#define MOVES_PER_ITEM 12
#define ITEMS_AHEAD    64

static bool insert_all(struct keyed *items, size_t count)
{
    size_t moves = 0;

    for (size_t i = 1; i < count; i++) {
        const struct keyed item = items[i];
        size_t at = i;

        if (items[i - 1].key <= item.key)
            continue;
        for (; at > 0 && items[at - 1].key > item.key; at--)
            items[at] = items[at - 1];
        items[at] = item;
        moves += i - at;
        if (moves > MOVES_PER_ITEM * (i + ITEMS_AHEAD))
            return false;
    }
    return true;
}

/* Numbers that are spread evenly are almost in order once each is in its part of their range. */
#define PARTS          1024
#define ITEMS_PER_PART 8

/* The part of the range that a key belongs to; the first part if `part` is not below PARTS, or
 * is NaN. */
static size_t part_of(double key, double least, double parts)
{
    const double part = (key - least) * parts;

    return part < PARTS ? (size_t)part : 0;
}

/* Sorts by parts of the range. False, with nothing done, if there are too many items or their
 * range is no number. */
static bool distribute(struct keyed *items, size_t count, struct keyed *scratch)
{
    size_t ends[PARTS] = {0};
    double least = items[0].key;
    double most = least;
    double parts;
    size_t end = 0;

    for (size_t i = 1; i < count; i++) {
        least = items[i].key < least ? items[i].key : least;
        most = items[i].key > most ? items[i].key : most;
    }
    parts = (PARTS - 1) / (most - least);
    if (count / ITEMS_PER_PART > PARTS || !(most - least < INFINITY) || !(parts < INFINITY))
        return false;
    for (size_t i = 0; i < count; i++)
        ends[part_of(items[i].key, least, parts)]++;
    for (size_t i = 0; i < PARTS; i++)
        ends[i] = end += ends[i];
    memcpy(scratch, items, count * sizeof(*items));
    for (size_t i = count; i-- > 0;)
        items[--ends[part_of(scratch[i].key, least, parts)]] = scratch[i];
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

    if (insert_all(items, count) || (distribute(items, count, scratch) && insert_all(items, count)))
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

static bool ranks_before(const struct ranked *a, const struct ranked *b)
{
    for (int k = 0; k < RANK_KEYS; k++)
        if (a->keys[k] != b->keys[k])
            return a->keys[k] < b->keys[k];
    return false;
}

static void merge_ranked(const struct ranked *from, struct ranked *to, size_t low, size_t middle,
                         size_t high)
{
    size_t left = low;
    size_t right = middle;

    for (size_t i = low; i < high; i++) {
        const bool take_right =
            left == middle || (right < high && ranks_before(&from[right], &from[left]));

        to[i] = from[take_right ? right++ : left++];
    }
}

/* The end of the ordered run that begins at `low`. */
static size_t end_of_order(const struct ranked *items, size_t low, size_t count)
{
    size_t end = low + 1;

    while (end < count && !ranks_before(&items[end], &items[end - 1]))
        end++;
    return end;
}

/* Merges neighbouring ordered runs until only one is left. */
void sort_ranked(struct ranked *items, size_t count, struct ranked *scratch)
{
    struct ranked *from = items;
    struct ranked *to = scratch;

    while (count > 0 && end_of_order(from, 0, count) < count) {
        struct ranked *swap = from;

        for (size_t low = 0; low < count;) {
            const size_t middle = end_of_order(from, low, count);
            const size_t high = middle < count ? end_of_order(from, middle, count) : count;

            merge_ranked(from, to, low, middle, high);
            low = high;
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
