/* sweep_document.h - the page of a sweep: its means with their confidence intervals, drawn and as
 * numbers, and how the policies differ from the first one, with paired tests. */
#ifndef REPORT_PAGE_SWEEP_DOCUMENT_H
#define REPORT_PAGE_SWEEP_DOCUMENT_H

#include "common/error.h"
#include "common/output.h"

#include <stdbool.h>

/* Whether the folder has the results of a sweep, not of a run. */
bool sweep_document_is_of(const char *folder);

/* -1 with `error` if the results cannot be read. */
int sweep_document_write(const char *folder, output_t *out, struct error *error);

#endif
