/* lease_packing.c - see lease_packing.h. */
#include "scheduler/reference/lease_packing.h"

#include "common/memory.h"
#include "common/sort.h"

#include <stdlib.h>

void lease_entries_free(struct lease_entries *self)
{
    free(self->items);
    *self = (struct lease_entries){.items = NULL};
}

void lease_entries_append(struct lease_entries *self, const struct lease_entry *entry)
{
    self->items = grow_array(self->items, self->count, &self->capacity, sizeof(*self->items));
    self->items[self->count++] = *entry;
}

int64_t lease_packed_gpus_rounded(int64_t gpus)
{
    return gpus == 3 ? 4 : gpus >= 5 && gpus <= 7 ? 8 : gpus;
}

int64_t lease_packed_gpus(int64_t gpus)
{
    return gpus;
}

static struct ranked rank(const struct lease_entry *entry, size_t index, bool by_value)
{
    return (struct ranked){.keys = {by_value ? -entry->value : 0, -entry->gpus,
                                    entry->before - entry->need, -entry->before},
                           .item = index};
}

void lease_entries_sort(struct lease_entries *self, bool by_value)
{
    struct ranked *ranks = xmalloc((2 * self->count + 1) * sizeof(*ranks));
    struct lease_entry *sorted = xmalloc((self->count + 1) * sizeof(*sorted));

    for (size_t i = 0; i < self->count; i++)
        ranks[i] = rank(&self->items[i], i, by_value);
    sort_ranked(ranks, self->count, ranks + self->count);
    for (size_t i = 0; i < self->count; i++)
        sorted[i] = self->items[ranks[i].item];
    free(self->items);
    free(ranks);
    self->items = sorted;
    self->capacity = self->count + 1;
}

/* Whether the job of `lease` has an entry among the first `count`. */
static bool is_packed(const struct lease_entries *entries, size_t count, const struct lease *lease)
{
    for (size_t i = 0; i < count && lease->job->submission->level_count > 1; i++)
        if (entries->items[i].lease == lease)
            return true;
    return false;
}

bool lease_packing_fits(struct lease_packing *self, const struct lease_entries *entries,
                        const struct slot_capacity *free, int64_t from)
{
    self->sorted.count = 0;
    for (size_t i = 0; i < entries->count; i++)
        lease_entries_append(&self->sorted, &entries->items[i]);
    lease_entries_sort(&self->sorted, false);
    slot_capacity_copy(&self->work, free);
    for (size_t i = 0; i < self->sorted.count; i++) {
        const struct lease_entry *entry = &self->sorted.items[i];

        if (!is_packed(&self->sorted, i, entry->lease) &&
            !slot_capacity_take_latest(&self->work, from, entry->before, entry->need, entry->gpus,
                                       &self->taken))
            return false;
    }
    return true;
}

void lease_packing_free(struct lease_packing *self)
{
    lease_entries_free(&self->sorted);
    slot_capacity_free(&self->work);
    slot_runs_free(&self->taken);
}
