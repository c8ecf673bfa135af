/* job_table.h - the engine's records of the jobs that are not over: by row, and by number. */
#ifndef STATE_JOB_TABLE_H
#define STATE_JOB_TABLE_H

#include "scheduler/state/job.h"

#include <stddef.h>
#include <stdint.h>

/* In debug builds a record is freed with its job, so that a sanitizer sees later reads. */
#ifdef RUBATO_DEBUG
#define JOB_TABLE_CHUNK 1
#else
#define JOB_TABLE_CHUNK 256
#endif

/* Records lie in chunks, and keep their addresses until their jobs are over. */
struct job_chunk {
    struct job *records; /* NULL while none is in use */
    uint32_t in_use;
};

typedef struct job_table {
    struct job_chunk *chunks;
    size_t chunk_count;
    uint32_t row_count; /* how many rows were ever used */
    uint32_t *free_rows;
    size_t free_count;
    size_t free_room;
    uint32_t *index; /* rows by number, at most half full */
    size_t index_size;
    size_t count;
} job_table_t;

job_table_t *job_table_new(void);
void job_table_destroy(job_table_t **self);

/* Adds an empty record for `submission` in a free row. NULL if its number is in the table
 * already. */
struct job *job_table_add(job_table_t *self, const struct submission *submission);

/* job_table_reserve: makes `row_count` rows in an empty table. job_table_put: adds a record in one
 * of them. */
void job_table_reserve(job_table_t *self, uint32_t row_count);
struct job *job_table_put(job_table_t *self, const struct submission *submission, uint32_t row);

/* Removes the record of `job`, which is over. Its row may be used again. */
void job_table_remove(job_table_t *self, struct job *job);

/* The measured speed of `job`, made empty if there is none. */
struct speed *job_table_speed(struct job *job);

/* The record of the job with that number, looked for at `row` first; NULL if there is none. */
struct job *job_table_find(const job_table_t *self, uint32_t row, uint64_t number);

/* The record in `row`, which is in use. */
static inline struct job *job_table_at(const job_table_t *self, uint32_t row)
{
    return &self->chunks[row / JOB_TABLE_CHUNK].records[row % JOB_TABLE_CHUNK];
}

/* As job_table_at for any row below row_count; NULL if the row is free. */
static inline struct job *job_table_look(const job_table_t *self, uint32_t row)
{
    struct job *job = self->chunks[row / JOB_TABLE_CHUNK].records ? job_table_at(self, row) : NULL;

    return job && job->submission ? job : NULL;
}

#endif
