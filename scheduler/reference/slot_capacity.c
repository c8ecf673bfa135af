/* slot_capacity.c - see slot_capacity.h. */
#include "scheduler/reference/slot_capacity.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

void slot_capacity_init(struct slot_capacity *self, int64_t gpus)
{
    *self = (struct slot_capacity){
        .steps = xmalloc(sizeof(struct slot_step)), .count = 1, .capacity = 1};
    self->steps[0] = (struct slot_step){INT64_MIN, gpus};
}

void slot_capacity_free(struct slot_capacity *self)
{
    free(self->steps);
    *self = (struct slot_capacity){.steps = NULL};
}

void slot_capacity_copy(struct slot_capacity *self, const struct slot_capacity *other)
{
    if (self->capacity < other->count) {
        self->capacity = 2 * other->count;
        self->steps = xrealloc(self->steps, self->capacity * sizeof(*self->steps));
    }
    self->count = other->count;
    memcpy(self->steps, other->steps, other->count * sizeof(*self->steps));
}

/* The step that holds at `slot`. */
static size_t find(const struct slot_capacity *self, int64_t slot)
{
    size_t low = 0;
    size_t high = self->count;

    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        if (self->steps[middle].from <= slot)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void slot_capacity_drop_before(struct slot_capacity *self, int64_t slot)
{
    const size_t first = find(self, slot);

    if (first == 0)
        return;
    self->count -= first;
    memmove(self->steps, self->steps + first, self->count * sizeof(*self->steps));
    self->steps[0].from = INT64_MIN;
}

void slot_capacity_grow(struct slot_capacity *self, int64_t gpus)
{
    for (size_t i = 0; i < self->count; i++)
        self->steps[i].free_gpus += gpus;
}

static void remove_step(struct slot_capacity *self, size_t at)
{
    self->count--;
    memmove(self->steps + at, self->steps + at + 1, (self->count - at) * sizeof(*self->steps));
}

/* Returns the step that starts at `slot`, made if there is none. */
static size_t split(struct slot_capacity *self, int64_t slot)
{
    const size_t at = find(self, slot);

    if (self->steps[at].from == slot)
        return at;
    self->steps = grow_array(self->steps, self->count, &self->capacity, sizeof(*self->steps));
    memmove(self->steps + at + 1, self->steps + at, (self->count - at) * sizeof(*self->steps));
    self->count++;
    self->steps[at + 1].from = slot;
    return at + 1;
}

/* Joins step `at` to the step before if both have equally many free GPUs. */
static void join(struct slot_capacity *self, size_t at)
{
    if (at > 0 && at < self->count && self->steps[at].free_gpus == self->steps[at - 1].free_gpus)
        remove_step(self, at);
}

void slot_capacity_add(struct slot_capacity *self, const struct slot_runs *runs, int64_t gpus)
{
    for (size_t i = 0; i < runs->count; i++) {
        const size_t first = split(self, runs->items[i].from);
        const size_t end = split(self, runs->items[i].to);

        for (size_t k = first; k < end; k++)
            self->steps[k].free_gpus += gpus;
        join(self, end);
        join(self, first);
    }
}

/* Puts the slots of `taken`, where the latest come first, in rising order. */
static void put_in_order(struct slot_runs *taken)
{
    size_t count = 0;

    for (size_t i = 0; i < taken->count / 2; i++) {
        const struct slot_run swap = taken->items[i];

        taken->items[i] = taken->items[taken->count - 1 - i];
        taken->items[taken->count - 1 - i] = swap;
    }
    for (size_t i = 0; i < taken->count; i++)
        if (count > 0 && taken->items[count - 1].to == taken->items[i].from)
            taken->items[count - 1].to = taken->items[i].to;
        else
            taken->items[count++] = taken->items[i];
    taken->count = count;
}

bool slot_capacity_take_latest(struct slot_capacity *self, int64_t from, int64_t before,
                               int64_t need, int64_t gpus, struct slot_runs *taken)
{
    int64_t end = before;

    slot_runs_clear(taken);
    for (size_t at = find(self, before - 1) + 1; at-- > 0 && end > from && need > 0;) {
        const struct slot_step *step = &self->steps[at];
        int64_t start = step->from > from ? step->from : from;

        if (step->free_gpus >= gpus) {
            start = end - start > need ? end - need : start;
            need -= end - start;
            taken->items =
                grow_array(taken->items, taken->count, &taken->capacity, sizeof(*taken->items));
            taken->items[taken->count++] = (struct slot_run){start, end};
        }
        end = step->from;
    }
    if (need > 0) {
        slot_runs_clear(taken);
        return false;
    }
    put_in_order(taken);
    slot_capacity_add(self, taken, -gpus);
    return true;
}
