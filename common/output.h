/* output.h - a file that appears whole or not at all: written under a temporary name, then renamed.
 */
#ifndef COMMON_OUTPUT_H
#define COMMON_OUTPUT_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct output output_t;

/* Starts the file that will be `path`. NULL, with `error` set, if the folder cannot be written. */
output_t *output_new(const char *path, struct error *error);

/* Ends it: the file gets its name. -1, with `error` set and nothing left behind, if a write failed.
 */
int output_commit(output_t **self, struct error *error);

/* Gives it up; ignores a NULL one. */
void output_destroy(output_t **self);

void output_char(output_t *self, char c);
void output_text(output_t *self, const char *text);
void output_bytes(output_t *self, const char *bytes, size_t length);
void output_whole(output_t *self, int64_t value);
void output_format(output_t *self, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Makes the folder `path` and those above it. Returns 1 if `path` was made, 0 if it was there, -1
 * with `error`. */
int output_make_folder(const char *path, struct error *error);

#endif
