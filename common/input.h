/* input.h - the bytes of a file, plain or compressed (.gz, .zst, .xz, .bz2), one chunk at a time.
 */
#ifndef COMMON_INPUT_H
#define COMMON_INPUT_H

#include "common/error.h"

#include <stddef.h>

typedef struct input input_t;

/* Opens `path`; how it is compressed is seen from its first bytes, not from its name. NULL, with
 * `error` set, if it cannot be read. */
input_t *input_open(const char *path, struct error *error);
void input_destroy(input_t **self);

/* Fills up to `size` bytes; returns how many, 0 at the end, -1 with `error` set when reading fails
 * or a compressed file grows beyond what an honest one does. */
long input_read(input_t *self, void *bytes, size_t size, struct error *error);

#endif
