/* show_run.h - a result folder in a terminal: its figures, how the cluster was used, and which job
 * held how many GPUs when. */
#ifndef SHOW_RUN_H
#define SHOW_RUN_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Prints the run of `folder` with at most `rows` jobs, or its summary as JSON. The trace is `trace`
 * or, if that is NULL, the one that the summary names. -1, with `error`, if a file cannot be read
 * or is invalid. */
int show_run(const char *folder, const char *trace, int64_t rows, bool json, struct error *error);

#endif
