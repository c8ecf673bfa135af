/* kept_inputs.h - copies of the files that a run read, in its result folder, so that the folder can
 * be given away.
 *
 * FOLDER/inputs/KIND-CHECKSUM/ holds one file or, of a folder of tables, one folder, with the name
 * and the bytes of the original. The checksum is the one in summary.json, by which the readers of
 * results find the copy. Copies of earlier runs stay. FOLDER/inputs has the mark of a result
 * folder. */
#ifndef REPORT_KEPT_INPUTS_H
#define REPORT_KEPT_INPUTS_H

#include "common/error.h"
#include "scheduler/report/files_read.h"

typedef struct kept_inputs kept_inputs_t;

/* Copies `files`, except programs of a policy, into the existing result folder `folder`. NULL, with
 * `error` and no copy left, if an input is no regular file, has changed since this process has read
 * the file, or cannot be copied. */
kept_inputs_t *kept_inputs_new(const char *folder, const struct files_read *files,
                               struct error *error);

/* The run's results are complete: the copies stay. */
void kept_inputs_keep(kept_inputs_t *self);

/* Removes copies that were not kept, for a process that ends at once: async-signal-safe. */
void kept_inputs_abandon(void);

/* Ends the copying and removes copies that were not kept; ignores a NULL one. */
void kept_inputs_destroy(kept_inputs_t **self);

#endif
