/* plain_packing.c - see plain_packing.h. */
#include "tests/reference/plain_packing.h"

#include <string.h>

static bool comes_before(const struct plain_entry *a, const struct plain_entry *b)
{
    if (a->gpus != b->gpus)
        return a->gpus > b->gpus;
    if (a->slots - a->need != b->slots - b->need)
        return a->slots - a->need < b->slots - b->need;
    return a->slots > b->slots;
}

static void sort(struct plain_list *list)
{
    for (size_t i = 1; i < list->count; i++) {
        const struct plain_entry entry = list->items[i];
        size_t at = i;

        for (; at > 0 && comes_before(&entry, &list->items[at - 1]); at--)
            list->items[at] = list->items[at - 1];
        list->items[at] = entry;
    }
}

static bool take(const struct plain_entry *entry, int64_t free_gpus[])
{
    int64_t need = entry->need;

    for (int64_t slot = entry->slots - 1; slot >= 0 && need > 0; slot--)
        if (free_gpus[slot] >= entry->gpus) {
            free_gpus[slot] -= entry->gpus;
            need--;
        }
    return need == 0;
}

bool plain_packing_fits(const struct plain_list *list, const int64_t free_gpus[PLAIN_SLOTS])
{
    struct plain_list sorted = *list;
    int64_t left[PLAIN_SLOTS];
    bool packed[PLAIN_ENTRIES] = {false};

    memcpy(left, free_gpus, sizeof(left));
    sort(&sorted);
    for (size_t i = 0; i < sorted.count; i++) {
        const struct plain_entry *entry = &sorted.items[i];

        if (!packed[entry->job] && !take(entry, left))
            return false;
        packed[entry->job] = true;
    }
    return true;
}
