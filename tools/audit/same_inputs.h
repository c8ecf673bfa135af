/* same_inputs.h - compares files that are read along with results with the inputs of the run, by
 * the checksums in its summary. */
#ifndef AUDIT_SAME_INPUTS_H
#define AUDIT_SAME_INPUTS_H

#include "common/error.h"

#include <jansson.h>
#include <stdbool.h>

/* Whether the summary has checksums of the inputs; summaries of earlier versions have none. */
bool same_inputs_known(const json_t *summary);

/* Remarks on stderr that the results in `folder` have no checksums. */
void same_inputs_remark(const char *program, const char *folder);

/* Compares the file, or folder of *.csv, at `path`, which this process has read, with the input
 * `kind` ("trace", "cluster" or "throughputs") of the run in `folder`. Returns `read`, or -1 with
 * `error` if the file differs, which also explains a failed read. A kind without a checksum in the
 * summary is not compared. */
int same_inputs_check(const json_t *summary, const char *folder, const char *kind, const char *path,
                      int read, struct error *error);

/* The path of the copy of the input `kind` in the results in `folder`, see rubato-results(5); NULL
 * if there is none. The caller frees the path. */
char *same_inputs_copy(const json_t *summary, const char *folder, const char *kind);

#endif
