/* kept_end.h - ranks that did all of their work and whose worker may not know: a file
 * RUN_DIR/ends/NODE/JOB.INCARNATION.RANK for each, from before a rank acts as done until the master
 * knows. A worker that is killed leaves them to the next one of its node.
 *
 * A file has the PREPARE of the rank and its last RANK_REPORT. No link below RUN_DIR is followed,
 * and files of other users are not believed. */
#ifndef EXECUTOR_KEPT_END_H
#define EXECUTOR_KEPT_END_H

#include "protocol/worker_trainer.h"

#include <stddef.h>

struct kept_end {
    struct msg_prepare prepare;
    struct msg_part part; /* `ended_us` counts from the machine's present start */
    reader_t *readers[2]; /* memory of the texts and arrays of `prepare` and `part` */
};

/* Returns 0 when the file is on disk, or -1 with `error`. */
int kept_end_write(const char *run_dir, const char *node, const struct msg_prepare *prepare,
                   const struct msg_part *part, struct error *error);

/* Removes the file of an end, if there is one. */
void kept_end_remove(const char *run_dir, const char *node, uint64_t job, uint32_t incarnation,
                     int32_t rank);

/* All kept ends of a node, by job, incarnation and GPU; the caller frees them. Malformed files are
 * removed. */
size_t kept_ends_read(const char *run_dir, const char *node, struct kept_end **found);
void kept_ends_free(struct kept_end *ends, size_t count);

#endif
