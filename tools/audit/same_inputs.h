/* same_inputs.h - whether the files that are read with the results of a run are those of the run,
 * by the checksums in its summary. */
#ifndef AUDIT_SAME_INPUTS_H
#define AUDIT_SAME_INPUTS_H

#include "common/error.h"

#include <jansson.h>
#include <stdbool.h>

/* Whether the summary has checksums of the inputs; one of an earlier version has none. */
bool same_inputs_known(const json_t *summary);

/* The remark on stderr about the results in `folder`, which have none. */
void same_inputs_remark(const char *program, const char *folder);

/* Compares the file, or folder of *.csv, at `path`, which this process has read, with the one of
 * that kind ("trace", "cluster" or "throughputs") of the run in `folder`. Returns `read`, or -1
 * with `error` if it is another one: to read such a one may have failed for that. A kind of which
 * the summary has no checksum is not compared. */
int same_inputs_check(const json_t *summary, const char *folder, const char *kind, const char *path,
                      int read, struct error *error);

/* The path of the copy that the results in `folder` have of the input of that kind, see
 * rubato-results(5); NULL if there is none. The caller frees the path. */
char *same_inputs_copy(const json_t *summary, const char *folder, const char *kind);

#endif
