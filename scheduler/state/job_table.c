/* job_table.c - see job_table.h. Numbers are found in a table of rows with linear probing. */
#include "scheduler/state/job_table.h"

#include "common/memory.h"

#include <assert.h>
#include <stdlib.h>

#define NONE UINT32_MAX

job_table_t *job_table_new(void)
{
    return xcalloc(1, sizeof(struct job_table));
}

void job_table_destroy(job_table_t **self)
{
    if (!*self)
        return;
    for (uint32_t row = 0; row < (*self)->row_count; row++)
        if (job_table_look(*self, row))
            free(job_table_at(*self, row)->speed);
    for (size_t i = 0; i < (*self)->chunk_count; i++)
        free((*self)->chunks[i].records);
    free((*self)->chunks);
    free((*self)->free_rows);
    free((*self)->index);
    free(*self);
    *self = NULL;
}

static size_t home_of(const job_table_t *self, uint64_t number)
{
    return (size_t)(number * 0x9e3779b97f4a7c15u >> 20) & (self->index_size - 1);
}

/* The place of `number` in the index, or the free place for it. */
static size_t place_of(const job_table_t *self, uint64_t number)
{
    size_t place = home_of(self, number);

    while (self->index[place] != NONE &&
           job_table_at(self, self->index[place])->submission->number != number)
        place = (place + 1) & (self->index_size - 1);
    return place;
}

static void grow_index(job_table_t *self)
{
    uint32_t *old = self->index;
    const size_t old_size = self->index_size;

    self->index_size = old_size > 0 ? 2 * old_size : 64;
    self->index = xmalloc(self->index_size * sizeof(*self->index));
    for (size_t i = 0; i < self->index_size; i++)
        self->index[i] = NONE;
    for (size_t i = 0; i < old_size; i++)
        if (old[i] != NONE)
            self->index[place_of(self, job_table_at(self, old[i])->submission->number)] = old[i];
    free(old);
}

static uint32_t take_row(job_table_t *self)
{
    if (self->free_count > 0)
        return self->free_rows[--self->free_count];
    if (self->row_count == self->chunk_count * JOB_TABLE_CHUNK) {
        self->chunks = xrealloc(self->chunks, (self->chunk_count + 1) * sizeof(*self->chunks));
        self->chunks[self->chunk_count++] = (struct job_chunk){NULL, 0};
    }
    return self->row_count++;
}

static struct job *new_records(void)
{
    struct job *records = xmalloc(JOB_TABLE_CHUNK * sizeof(*records));

    for (size_t i = 0; i < JOB_TABLE_CHUNK; i++)
        records[i].submission = NULL;
    return records;
}

static struct job *enter(job_table_t *self, const struct submission *submission, size_t place,
                         uint32_t row)
{
    struct job_chunk *chunk = &self->chunks[row / JOB_TABLE_CHUNK];
    struct job *job;

    if (!chunk->records)
        chunk->records = new_records();
    chunk->in_use++;
    job = job_table_at(self, row);
    self->index[place] = row;
    self->count++;
    *job = (struct job){.submission = submission,
                        .number = submission->number,
                        .row = row,
                        .held = -1,
                        .start_s = NOT_STARTED_S};
    return job;
}

/* The free place for `number` in the index; the size of the index if the number is in it. */
static size_t place_for(job_table_t *self, uint64_t number)
{
    size_t place;

    if (2 * (self->count + 1) > self->index_size)
        grow_index(self);
    place = place_of(self, number);
    return self->index[place] == NONE ? place : self->index_size;
}

struct job *job_table_add(job_table_t *self, const struct submission *submission)
{
    const size_t place = place_for(self, submission->number);

    return place < self->index_size ? enter(self, submission, place, take_row(self)) : NULL;
}

struct job *job_table_put(job_table_t *self, const struct submission *submission, uint32_t row)
{
    const size_t place = place_for(self, submission->number);

    return place < self->index_size ? enter(self, submission, place, row) : NULL;
}

void job_table_reserve(job_table_t *self, uint32_t row_count)
{
    while (self->row_count < row_count)
        (void)take_row(self);
}

/* Closes a hole in the index by moving up entries that are not at their home place. */
static void take_out(job_table_t *self, size_t hole)
{
    const size_t mask = self->index_size - 1;

    for (size_t at = (hole + 1) & mask; self->index[at] != NONE; at = (at + 1) & mask) {
        const size_t home = home_of(self, job_table_at(self, self->index[at])->submission->number);

        if (((at - home) & mask) < ((at - hole) & mask))
            continue;
        self->index[hole] = self->index[at];
        hole = at;
    }
    self->index[hole] = NONE;
}

/* Frees a chunk whose last job left. */
static void leave(struct job_chunk *chunk, struct job *job)
{
    job->submission = NULL;
    if (--chunk->in_use > 0)
        return;
    free(chunk->records);
    chunk->records = NULL;
}

void job_table_remove(job_table_t *self, struct job *job)
{
    const size_t place = place_of(self, job->submission->number);

    assert(self->index[place] == job->row);
    take_out(self, place);
    free(job->speed);
    self->count--;
    self->free_rows =
        grow_array(self->free_rows, self->free_count, &self->free_room, sizeof(*self->free_rows));
    self->free_rows[self->free_count++] = job->row;
    leave(&self->chunks[job->row / JOB_TABLE_CHUNK], job);
}

struct speed *job_table_speed(struct job *job)
{
    if (!job->speed)
        job->speed = xcalloc(1, sizeof(*job->speed));
    return job->speed;
}

struct job *job_table_find(const job_table_t *self, uint32_t row, uint64_t number)
{
    size_t place;

    if (row < self->row_count) {
        struct job *job = job_table_look(self, row);

        if (job && job->submission->number == number)
            return job;
    }
    if (self->index_size == 0)
        return NULL;
    place = place_of(self, number);
    return self->index[place] == NONE ? NULL : job_table_at(self, self->index[place]);
}
