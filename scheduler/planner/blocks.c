/* blocks.c - see blocks.h.
 *
 * A heap-shaped tree: place 1 is all, place p has the halves 2p and 2p + 1. What stands below a
 * block that is taken, or free as a whole, is as if all of it were free. */
#include "scheduler/planner/blocks.h"

#include <assert.h>

static int place_of(const struct blocks *self, int rank, int gpus)
{
    return (self->width + rank) >> __builtin_ctz((unsigned)gpus);
}

static int width_at(const struct blocks *self, int place)
{
    return self->width >> (31 - __builtin_clz((unsigned)place));
}

static int rank_at(const struct blocks *self, int place)
{
    const int width = width_at(self, place);

    return place * width - self->width;
}

/* The sizes below a place from those of its halves: both free as a whole are one block. Where they
 * are what they were, so are all around it. */
static void join(struct blocks *self, int place, int gpus)
{
    uint32_t *all = self->sizes;
    uint32_t half = (uint32_t)gpus;

    for (place /= 2; place >= 1; place /= 2, half *= 2) {
        const int first = 2 * place;
        const uint32_t left = all[first];
        const uint32_t right = all[first + 1];
        const uint32_t sizes = left == half && right == half ? 2 * half : left | right;

        if (all[place] == sizes)
            return;
        all[place] = sizes;
    }
}

void blocks_take(struct blocks *self, int rank, int gpus, int owner)
{
    const int place = place_of(self, rank, gpus);

    assert(self->owners[place] == BLOCK_FREE);
    self->owners[place] = owner;
    self->sizes[place] = 0;
    join(self, place, gpus);
}

void blocks_give(struct blocks *self, int rank, int gpus)
{
    const int place = place_of(self, rank, gpus);

    assert(self->owners[place] != BLOCK_FREE);
    self->owners[place] = BLOCK_FREE;
    self->sizes[place] = (uint32_t)gpus;
    join(self, place, gpus);
}

void blocks_open(struct blocks *self, int gpus, arena_t *arena)
{
    self->gpus = gpus;
    self->width = 1;
    while (self->width < gpus)
        self->width *= 2;
    self->sizes = arena_alloc(arena, 2 * (size_t)self->width * sizeof(*self->sizes));
    self->owners = arena_alloc(arena, 2 * (size_t)self->width * sizeof(*self->owners));
    blocks_clear(self);
}

void blocks_clear(struct blocks *self)
{
    const int width = self->width;
    uint32_t *sizes = self->sizes;
    int *owners = self->owners;

    for (int place = 1; place < 2 * width; place++)
        owners[place] = BLOCK_FREE;
    for (int first = 1; first <= width; first *= 2)
        for (int place = first; place < 2 * first; place++)
            sizes[place] = (uint32_t)(width / first);
    for (int rank = self->gpus; rank < self->width; rank++)
        blocks_take(self, rank, 1, BLOCK_CLOSED);
}

/* The block that is taken with this place in it; 0 for none. */
static int taken_around(const struct blocks *self, int place)
{
    while (place >= 1 && self->owners[place] == BLOCK_FREE)
        place /= 2;
    return place;
}

bool blocks_is_free(const struct blocks *self, int rank, int gpus)
{
    const int place = place_of(self, rank, gpus);

    return self->sizes[place] == (uint32_t)gpus && taken_around(self, place) == 0;
}

/* The first within the block at `place`. */
static int next_below(const struct blocks *self, int place, int rank, int gpus)
{
    const int width = width_at(self, place);
    const int first = rank_at(self, place);
    int found;

    if (first + width <= rank || self->sizes[place] < (uint32_t)gpus)
        return -1;
    if (width == gpus)
        return first;
    found = next_below(self, 2 * place, rank, gpus);
    return found >= 0 ? found : next_below(self, 2 * place + 1, rank, gpus);
}

int blocks_next(const struct blocks *self, int rank, int gpus)
{
    return next_below(self, 1, rank, gpus);
}

/* The first half with a free block of `size`. */
static int step_down(const struct blocks *self, int place, uint32_t size)
{
    const int first = 2 * place;

    return self->sizes[first] & size ? first : first + 1;
}

int blocks_find(const struct blocks *self, int gpus)
{
    const uint32_t fitting = self->sizes[1] & ~((uint32_t)gpus - 1);
    const uint32_t size = fitting & -fitting;
    int place = 1;

    if (fitting == 0)
        return -1;
    while ((uint32_t)width_at(self, place) > size)
        place = step_down(self, place, size);
    return rank_at(self, place);
}

static void each_below(const struct blocks *self, int place,
                       void (*meet)(void *context, int owner, int rank, int gpus), void *context)
{
    const int width = width_at(self, place);

    if (self->owners[place] != BLOCK_FREE) {
        meet(context, self->owners[place], rank_at(self, place), width);
        return;
    }
    if (width == 1 || self->sizes[place] == (uint32_t)width)
        return;
    each_below(self, 2 * place, meet, context);
    each_below(self, 2 * place + 1, meet, context);
}

void blocks_each(const struct blocks *self, int rank, int gpus,
                 void (*meet)(void *context, int owner, int rank, int gpus), void *context)
{
    const int place = place_of(self, rank, gpus);
    const int around = taken_around(self, place);

    each_below(self, around > 0 ? around : place, meet, context);
}
