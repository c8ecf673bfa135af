/* part_list.c - see part_list.h. */
#include "worker/part_list.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

/* Most ended parts that are kept for a master that has not heard of their ends. Where plans are
 * fast-forwarded more parts may end between two heartbeats. The worker answers for a forgotten
 * part as for a stopped part. */
#define ENDED_MAX 256

struct part_list {
    struct part **items;
    size_t count;
    size_t capacity;
};

part_list_t *part_list_new(void)
{
    return xcalloc(1, sizeof(part_list_t));
}

void part_list_destroy(part_list_t **self)
{
    if (!*self)
        return;
    for (size_t i = 0; i < (*self)->count; i++)
        part_destroy((*self)->items[i]);
    free((*self)->items);
    free(*self);
    *self = NULL;
}

/* Makes room for one more ended part, by dropping the part whose end was told the longest ago. */
static void forget_oldest(part_list_t *self)
{
    size_t ended = 0;
    size_t oldest = self->count;

    for (size_t i = self->count; i-- > 0;) {
        if (!part_has_ended(self->items[i]))
            continue;
        ended++;
        oldest = i;
    }
    if (ended < ENDED_MAX)
        return;
    part_destroy(self->items[oldest]);
    self->count--;
    memmove(&self->items[oldest], &self->items[oldest + 1],
            (self->count - oldest) * sizeof(*self->items));
}

void part_list_append(part_list_t *self, struct part *part)
{
    forget_oldest(self);
    self->items = grow_array(self->items, self->count, &self->capacity, sizeof(struct part *));
    self->items[self->count++] = part;
}

struct part *part_list_find(const part_list_t *self, uint64_t job, uint32_t incarnation)
{
    for (size_t i = self->count; i-- > 0;)
        if (self->items[i]->run.job == job && self->items[i]->run.incarnation == incarnation)
            return self->items[i];
    return NULL;
}

size_t part_list_count(const part_list_t *self)
{
    return self->count;
}

struct part *part_list_at(const part_list_t *self, size_t place)
{
    return self->items[place];
}

size_t part_list_describe(part_list_t *self, int64_t stamp_us, struct msg_part **found)
{
    *found = xcalloc(self->count ? self->count : 1, sizeof(**found));
    for (size_t i = 0; i < self->count; i++) {
        struct part *part = self->items[i];

        part_describe(part, &(*found)[i]);
        if (part_has_ended(part) && part->described_us == 0)
            part->described_us = stamp_us;
    }
    return self->count;
}

size_t part_list_runs(const part_list_t *self, struct msg_run **found)
{
    *found = xcalloc(self->count ? self->count : 1, sizeof(**found));
    for (size_t i = 0; i < self->count; i++) {
        const struct part *part = self->items[i];

        (*found)[i] = part->run;
        if (part->begin_wanted)
            (*found)[i].step = part->begin.step;
    }
    return self->count;
}

void part_list_acknowledged(part_list_t *self, int64_t stamp_us)
{
    size_t kept = 0;

    for (size_t i = 0; i < self->count; i++) {
        struct part *part = self->items[i];

        if (part->described_us != 0 && part->described_us <= stamp_us)
            part_destroy(part);
        else
            self->items[kept++] = part;
    }
    self->count = kept;
}

size_t part_list_live(const part_list_t *self)
{
    size_t live = 0;

    for (size_t i = 0; i < self->count; i++)
        live += !part_has_ended(self->items[i]);
    return live;
}

bool part_list_on(const part_list_t *self, int32_t gpu)
{
    for (size_t i = 0; i < self->count; i++)
        if (part_rank_on(self->items[i], gpu))
            return true;
    return false;
}

bool part_list_sent(const part_list_t *self, int32_t gpu)
{
    for (size_t i = 0; i < self->count; i++) {
        const struct rank *rank = part_rank_on(self->items[i], gpu);

        if (rank && rank->prepare_sent)
            return true;
    }
    return false;
}
