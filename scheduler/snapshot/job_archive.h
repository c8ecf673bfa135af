/* job_archive.h - the engine's records of jobs, written and read back; see common/archive.h. */
#ifndef SNAPSHOT_JOB_ARCHIVE_H
#define SNAPSHOT_JOB_ARCHIVE_H

#include "common/archive.h"
#include "scheduler/state/job_table.h"

/* The submission with that number, of those that `owner` has; NULL if there is none. */
typedef const struct submission *submission_find(const void *owner, uint64_t number);

/* Archives all records; submissions are found again by `find`, and scalings are archived
 * elsewhere. */
void job_table_archive(job_table_t *self, struct archive *archive, submission_find *find,
                       const void *owner);

/* Which record `job`, NULL for reading, is. NULL if the archive is broken. */
struct job *job_table_archive_one(const job_table_t *self, struct archive *archive,
                                  const struct job *job);

#endif
