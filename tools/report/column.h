/* column.h - whole numbers in a page, small enough for millions of numbers.
 *
 * A column is the text of a `script` element that a browser does not run. The column codes the
 * difference of each number from the number before (0 before the first). Bit 0 of a difference is
 * the sign (zigzag). Each byte has seven bits of the difference, low bits first; its eighth bit
 * says that more bytes follow (LEB128). All bytes are in base64. */
#ifndef REPORT_PAGE_COLUMN_H
#define REPORT_PAGE_COLUMN_H

#include "common/output.h"

#include <stddef.h>
#include <stdint.h>

struct page_column {
    output_t *out;
    int64_t last;
    unsigned char group[3];
    size_t held; /* number of bytes in the group */
};

/* Starts the column called `name` of the `run`th run: `count` numbers follow. */
void column_begin(struct page_column *self, output_t *out, size_t run, const char *name,
                  size_t count);

/* Adds `number`, at most 2^62 in absolute value. */
void column_add(struct page_column *self, int64_t number);
void column_end(struct page_column *self);

#endif
