/* column.h - whole numbers in a page, small enough for millions of them.
 *
 * A column is the text of a `script` element that a browser does not run: the difference of each
 * number from the one before, 0 at first; bit 0 is its sign (zigzag); seven bits a byte, the low
 * ones first, the eighth says that more follow (LEB128); all bytes in base64. */
#ifndef REPORT_PAGE_COLUMN_H
#define REPORT_PAGE_COLUMN_H

#include "common/output.h"

#include <stddef.h>
#include <stdint.h>

struct page_column {
    output_t *out;
    int64_t last;
    unsigned char group[3];
    size_t held; /* bytes of the group */
};

/* Starts the column called `name` of the `run`th run: `count` numbers follow. */
void column_begin(struct page_column *self, output_t *out, size_t run, const char *name,
                  size_t count);

/* `number` is at most 2^62 in absolute value. */
void column_add(struct page_column *self, int64_t number);
void column_end(struct page_column *self);

#endif
