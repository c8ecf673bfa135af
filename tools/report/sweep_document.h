/* sweep_document.h - the page of a sweep: its means with their confidence intervals, as charts and
 * as numbers, and the differences of all policies from the first policy, with paired tests. */
#ifndef REPORT_PAGE_SWEEP_DOCUMENT_H
#define REPORT_PAGE_SWEEP_DOCUMENT_H

#include "common/error.h"
#include "common/output.h"

#include <stdbool.h>

/* Whether the folder has the results of a sweep, rather than of a run. */
bool sweep_document_is_of(const char *folder);

/* Writes the page. Returns -1 with `error` if the results cannot be read. */
int sweep_document_write(const char *folder, output_t *out, struct error *error);

#endif
