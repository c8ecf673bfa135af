/* side_table.h - memory of a policy, or a stage, for each job: an entry of any type, found by the
 * job's row.
 *
 * An entry starts as zeros, and is reset for each arrival: rows are used again, and a job that was
 * suspended arrives a second time under its number. Entries stay where they are until the table is
 * destroyed. */
#ifndef PLAN_SIDE_TABLE_H
#define PLAN_SIDE_TABLE_H

#include "scheduler/state/job.h"

#include <stddef.h>
#include <stdint.h>

#define SIDE_TABLE_CHUNK 256

typedef struct side_table {
    size_t entry_size; /* with the arrival of the job before it */
    char **chunks;
    size_t chunk_count;
} side_table_t;

side_table_t *side_table_new(size_t entry_size);
void side_table_destroy(side_table_t **self);

/* The entry of `job`, created if missing. */
void *side_table_make(side_table_t *self, const struct job *job);

static inline void *side_table_at(side_table_t *self, const struct job *job)
{
    const size_t chunk = job->row / SIDE_TABLE_CHUNK;

    if (chunk < self->chunk_count) {
        char *slot = self->chunks[chunk] + (job->row % SIDE_TABLE_CHUNK) * self->entry_size;

        if (*(uint64_t *)(void *)slot == job->arrival + 1)
            return slot + sizeof(uint64_t);
    }
    return side_table_make(self, job);
}

#endif
