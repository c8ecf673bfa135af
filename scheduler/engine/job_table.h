/* job_table.h - the engine's records of the jobs that are not over: by row, and by number. */
#ifndef ENGINE_JOB_TABLE_H
#define ENGINE_JOB_TABLE_H

#include "scheduler/state/job.h"

#include <stddef.h>
#include <stdint.h>

typedef struct job_table job_table_t;

job_table_t *job_table_new(void);
void job_table_destroy(job_table_t **self);

/* An empty record for `submission`, in a row that is free. NULL if its number is there already. */
struct job *job_table_add(job_table_t *self, const struct submission *submission);

/* `job` is over: its row is free for another. */
void job_table_remove(job_table_t *self, struct job *job);

/* The record of the job with that number, looked for at `row` first; NULL if there is none. */
struct job *job_table_find(const job_table_t *self, uint32_t row, uint64_t number);

/* The record in `row`, which is in use. */
struct job *job_table_at(const job_table_t *self, uint32_t row);

#endif
