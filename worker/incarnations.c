/* incarnations.c - see incarnations.h. */
#include "worker/incarnations.h"

#include "common/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct latest {
    uint64_t job;
    uint32_t incarnation;
};

struct incarnations {
    struct latest *items; /* sorted by job */
    size_t count;
    size_t capacity;
    uint32_t largest;
};

incarnations_t *incarnations_new(void)
{
    return xcalloc(1, sizeof(incarnations_t));
}

void incarnations_destroy(incarnations_t **self)
{
    if (!*self)
        return;
    free((*self)->items);
    free(*self);
    *self = NULL;
}

/* The index in `items` at which `job` is, or would be. */
static size_t place_of(const incarnations_t *self, uint64_t job)
{
    size_t low = 0;
    size_t high = self->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (self->items[middle].job < job)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const incarnations_t *self, size_t place, uint64_t job)
{
    return place < self->count && self->items[place].job == job;
}

uint32_t incarnations_latest(const incarnations_t *self, uint64_t job)
{
    const size_t place = place_of(self, job);

    return is_at(self, place, job) ? self->items[place].incarnation : 0;
}

uint32_t incarnations_largest(const incarnations_t *self)
{
    return self->largest;
}

static void insert(incarnations_t *self, size_t place, struct latest latest)
{
    self->items = grow_array(self->items, self->count, &self->capacity, sizeof(*self->items));
    memmove(&self->items[place + 1], &self->items[place],
            (self->count - place) * sizeof(*self->items));
    self->items[place] = latest;
    self->count++;
}

void incarnations_name(incarnations_t *self, uint64_t job, uint32_t incarnation)
{
    const size_t place = place_of(self, job);

    if (incarnation > self->largest)
        self->largest = incarnation;
    if (!is_at(self, place, job))
        insert(self, place, (struct latest){job, incarnation});
    else if (incarnation > self->items[place].incarnation)
        self->items[place].incarnation = incarnation;
}
