/* stays.c - see stays.h. */
#include "scheduler/state/stays.h"

#include <string.h>

struct stays stays_whole(int64_t from_s, int64_t until_s)
{
    struct stays self = {.count = from_s < until_s};

    self.items[0] = (struct known_stay){from_s, until_s};
    return self;
}

void stays_leave_out(struct stays *self, int64_t from_s, int64_t to_s)
{
    struct known_stay *last = self->items + (self->count > 0 ? self->count - 1 : 0);
    const int64_t until_s = last->until_s;

    if (self->count == 0 || from_s >= until_s || to_s <= last->from_s)
        return;
    if (from_s > last->from_s)
        last->until_s = from_s;
    else
        self->count--;
    if (to_s < until_s && self->count < STAYS_MAX)
        self->items[self->count++] = (struct known_stay){to_s, until_s};
}

struct stays stays_after_first(const struct stays *self)
{
    struct stays rest = {.count = self->count > 0 ? self->count - 1 : 0};

    memcpy(rest.items, self->items + 1, (size_t)rest.count * sizeof(rest.items[0]));
    return rest;
}

bool stays_equal(const struct stays *a, const struct stays *b)
{
    return a->count == b->count &&
           !memcmp(a->items, b->items, (size_t)a->count * sizeof(a->items[0]));
}

static bool covers(const struct stays *self, const struct known_stay *stay)
{
    for (int i = 0; i < self->count; i++)
        if (self->items[i].from_s <= stay->from_s && stay->until_s <= self->items[i].until_s)
            return true;
    return false;
}

bool stays_cover(const struct stays *self, const struct stays *other)
{
    for (int i = 0; i < other->count; i++)
        if (!covers(self, &other->items[i]))
            return false;
    return true;
}
