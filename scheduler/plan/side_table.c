/* side_table.c - see side_table.h. */
#include "scheduler/plan/side_table.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

/* Each slot begins with the arrival of its job plus 1. 0 means that the slot is empty. */
side_table_t *side_table_new(size_t entry_size)
{
    side_table_t *self = xcalloc(1, sizeof(*self));

    self->entry_size = sizeof(uint64_t) + (entry_size + 7) / 8 * 8;
    return self;
}

void side_table_destroy(side_table_t **self)
{
    if (!*self)
        return;
    for (size_t i = 0; i < (*self)->chunk_count; i++)
        free((*self)->chunks[i]);
    free((*self)->chunks);
    free(*self);
    *self = NULL;
}

static void grow(side_table_t *self, size_t chunk_count)
{
    self->chunks = xrealloc(self->chunks, chunk_count * sizeof(*self->chunks));
    while (self->chunk_count < chunk_count)
        self->chunks[self->chunk_count++] = xcalloc(SIDE_TABLE_CHUNK, self->entry_size);
}

void *side_table_make(side_table_t *self, const struct job *job)
{
    const uint64_t arrival = job->arrival + 1;
    char *slot;

    if (job->row / SIDE_TABLE_CHUNK >= self->chunk_count)
        grow(self, job->row / SIDE_TABLE_CHUNK + 1);
    slot = self->chunks[job->row / SIDE_TABLE_CHUNK] +
           (job->row % SIDE_TABLE_CHUNK) * self->entry_size;
    memset(slot, 0, self->entry_size);
    memcpy(slot, &arrival, sizeof(arrival));
    return slot + sizeof(uint64_t);
}
