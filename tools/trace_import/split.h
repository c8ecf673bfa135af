/* split.h - the lines of a text file, each split at a character or at blanks, without quotes, for
 * job logs that are not CSV. Compressed files are unpacked. */
#ifndef TRACE_IMPORT_SPLIT_H
#define TRACE_IMPORT_SPLIT_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

#define SPLIT_MAX            ((size_t)256)
#define SPLIT_LINE_BYTES_MAX ((size_t)64 * 1024)

/* The separator for fields between runs of blanks and tabs; blanks at the ends of a line are
 * ignored. */
#define SPLIT_BLANKS '\0'

typedef struct split split_t;

/* Opens the file at `path`. Empty lines and lines that begin with `comment` ('\0' for none) are
 * skipped. Returns NULL with `error` if the file cannot be read. */
split_t *split_open(const char *path, char separator, char comment, struct error *error);
void split_destroy(split_t **self);

/* Reads the next line. Returns 1; 0 at the end; -1 with `error` if the line is no text or too
 * long. */
int split_next(split_t *self, struct error *error);

/* The fields of the current line, which last until the next line is read. */
size_t split_count(const split_t *self);
const char *split_at(const split_t *self, size_t index);

const char *split_path(const split_t *self);
int64_t split_line(const split_t *self);

/* Sets "FILE:LINE: expected WHAT, found N", with a hint if the line has another separator and so is
 * a single field. Returns -1. */
int split_complain_count(const split_t *self, const char *expected, struct error *error);

/* Reads a field as a number >= 0. Returns -1 with `error`, which calls the field `name`, for any
 * other text. */
int split_real(const split_t *self, size_t index, const char *name, double *value,
               struct error *error);

/* Like split_real, but the value is NaN for an empty field or a negative number, which stand for a
 * missing value. */
int split_known_real(const split_t *self, size_t index, const char *name, double *value,
                     struct error *error);

/* Sets "FILE:LINE: field N (NAME): expected WHAT, found ...". Returns -1. */
int split_complain(const split_t *self, size_t index, const char *name, const char *expected,
                   struct error *error);

#endif
