/* same_inputs.h - compares the checksums of files that are read together with results with those of
 * the run's inputs in its summary. */
#ifndef AUDIT_SAME_INPUTS_H
#define AUDIT_SAME_INPUTS_H

#include "common/error.h"

#include <jansson.h>
#include <stdbool.h>

/* Whether the summary has checksums of the inputs; summaries of earlier versions have none. */
bool same_inputs_known(const json_t *summary);

/* Tells on stderr that the results in `folder` have no checksums. */
void same_inputs_remark(const char *program, const char *folder);

/* Compares the file, or folder of *.csv, at `path` with the input `kind` ("trace", "cluster" or
 * "throughputs") of the run in `folder`. This process must have read `path`. Returns `read`, the
 * result of that reading, or -1 with `error` if the file differs, even if the reading failed. A
 * kind without a checksum in the summary is not compared. */
int same_inputs_check(const json_t *summary, const char *folder, const char *kind, const char *path,
                      int read, struct error *error);

/* The path of the copy of the input `kind` in the results in `folder`, see rubato-results(5). NULL
 * if there is no copy. The caller frees the path. */
char *same_inputs_copy(const json_t *summary, const char *folder, const char *kind);

#endif
