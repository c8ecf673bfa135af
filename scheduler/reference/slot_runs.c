/* slot_runs.c - see slot_runs.h. */
#include "scheduler/reference/slot_runs.h"

#include "common/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void slot_runs_free(struct slot_runs *self)
{
    free(self->items);
    *self = (struct slot_runs){.items = NULL};
}

static void append(struct slot_runs *self, int64_t from, int64_t to)
{
    self->items = grow_array(self->items, self->count, &self->capacity, sizeof(*self->items));
    self->items[self->count++] = (struct slot_run){from, to};
}

void slot_runs_append(struct slot_runs *self, int64_t from, int64_t to)
{
    assert(from <= to);
    assert(self->count == 0 || self->items[self->count - 1].to <= from);
    if (from == to)
        return;
    if (self->count > 0 && self->items[self->count - 1].to == from)
        self->items[self->count - 1].to = to;
    else
        append(self, from, to);
}

bool slot_runs_has(const struct slot_runs *self, int64_t slot)
{
    for (size_t i = 0; i < self->count && self->items[i].from <= slot; i++)
        if (slot < self->items[i].to)
            return true;
    return false;
}

int64_t slot_runs_total(const struct slot_runs *self)
{
    int64_t total = 0;

    for (size_t i = 0; i < self->count; i++)
        total += self->items[i].to - self->items[i].from;
    return total;
}

bool slot_runs_equal(const struct slot_runs *self, const struct slot_runs *other)
{
    if (self->count != other->count)
        return false;
    for (size_t i = 0; i < self->count; i++)
        if (self->items[i].from != other->items[i].from || self->items[i].to != other->items[i].to)
            return false;
    return true;
}

void slot_runs_copy(struct slot_runs *self, const struct slot_runs *other)
{
    slot_runs_clear(self);
    for (size_t i = 0; i < other->count; i++)
        append(self, other->items[i].from, other->items[i].to);
}

static void drop_runs(struct slot_runs *self, size_t count)
{
    if (count == 0)
        return;
    self->count -= count;
    memmove(self->items, self->items + count, self->count * sizeof(*self->items));
}

void slot_runs_split_first(struct slot_runs *self, int64_t count, struct slot_runs *first)
{
    size_t whole = 0;

    slot_runs_clear(first);
    for (; whole < self->count && count > 0; whole++) {
        struct slot_run *run = &self->items[whole];
        const int64_t length = run->to - run->from;

        if (count < length) {
            append(first, run->from, run->from + count);
            run->from += count;
            break;
        }
        append(first, run->from, run->to);
        count -= length;
    }
    drop_runs(self, whole);
}

void slot_runs_drop_before(struct slot_runs *self, int64_t slot)
{
    size_t whole = 0;

    while (whole < self->count && self->items[whole].to <= slot)
        whole++;
    drop_runs(self, whole);
    if (self->count > 0 && self->items[0].from < slot)
        self->items[0].from = slot;
}
