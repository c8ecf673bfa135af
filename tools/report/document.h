/* document.h - the page of one run or of several runs, as a single file. */
#ifndef REPORT_PAGE_DOCUMENT_H
#define REPORT_PAGE_DOCUMENT_H

#include "common/output.h"
#include "tools/report/results.h"

#include <stddef.h>

/* The first lines of each page. */
#define DOCUMENT_MARK "<!doctype html>\n<!-- rubato report -->\n"

void document_write(struct results runs[], size_t count, output_t *out);

#endif
