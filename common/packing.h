/* packing.h - a copy of texts and arrays in one piece of memory: their lender may go, and one
 * free() ends the copy.
 *
 * The pieces are given twice, in the same order: first they are measured, then copied. */
#ifndef COMMON_PACKING_H
#define COMMON_PACKING_H

#include <stddef.h>

/* A packing that is all zeros measures. */
struct packing {
    char *memory; /* NULL while measuring */
    size_t used;
};

/* After the pieces were measured: takes the memory, at least a byte, into which they are copied. */
void packing_begin(struct packing *self);

/* A copy of `size` bytes, aligned for any type; NULL while it measures. */
void *packing_bytes(struct packing *self, const void *bytes, size_t size);

/* A copy of a text, as packing_bytes; a NULL text is copied as "". */
const char *packing_text(struct packing *self, const char *text);

/* A copy of `count` texts, as packing_text, in an array ended with NULL. */
const char **packing_texts(struct packing *self, const char *const texts[], size_t count);

#endif
