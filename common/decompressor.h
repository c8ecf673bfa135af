/* decompressor.h - reads the content of a compressed file (gzip, zstd, xz, bzip2). */
#ifndef COMMON_DECOMPRESSOR_H
#define COMMON_DECOMPRESSOR_H

#include "common/error.h"

#include <stddef.h>

typedef struct decompressor decompressor_t;

/* Reads from the start of `fd`, which must stay open; `path` names it in complaints. NULL, with
 * `error` set, if the file is damaged or no program can decompress it. */
decompressor_t *decompressor_new(const char *path, int fd, struct error *error);
void decompressor_destroy(decompressor_t **self);

/* Fills up to `size` bytes; returns how many, 0 at the end, -1 with `error` set. */
long decompressor_read(decompressor_t *self, void *bytes, size_t size, struct error *error);

#endif
