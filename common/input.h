/* input.h - the bytes of a text file, plain or compressed (.gz, .zst, .xz, .bz2), one chunk at a
 * time.
 */
#ifndef COMMON_INPUT_H
#define COMMON_INPUT_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

typedef struct input input_t;

/* The number of bytes before the first that is not UTF-8 by RFC 3629. */
size_t input_valid_utf8(const char *text, size_t length);

/* Makes each byte that is not UTF-8 a '?'. */
void input_mend_utf8(char *text, size_t length);

/* Copies text of a file, or what fits into `size` of it, as it may be shown on a terminal: control
 * characters, which it would obey, marks that turn the direction of writing and what is not
 * UTF-8 become '?'. Returns how much of `text` was copied; `shown` is ended with a NUL. */
size_t input_printable(char *shown, size_t size, const char *text, size_t length);

/* Prints text of several lines as it may be shown on a terminal: line ends and tabs stay, other
 * control characters and marks that turn the direction of writing become "\u001b", and bytes that
 * are not UTF-8 become "\x9b". */
void input_show(const char *text, size_t length, FILE *out);

/* Opens `path`. The first bytes, not the name, tell whether and by what program the file is
 * compressed. NULL, with `error` set, if it cannot be read. */
input_t *input_open(const char *path, struct error *error);
void input_destroy(input_t **self);

/* Whether this process has read the file or disk `status`, and its name at that time still leads to
 * it: writing there would destroy an input. */
bool input_was_read(const struct stat *status);

/* The checksum of the text that this process last read from `path`, to its end. If `path` is a
 * folder: the checksum of all files NAME.csv in the folder that were read, with their names,
 * ordered by name. Returns false if there is no checksum. A file has the same checksum compressed
 * or not. */
bool input_checksum(const char *path, uint64_t *sum);

/* Reads the regular file at `path` to its end for its checksum, if the file exists and is
 * readable. */
void input_skim(const char *path);

/* Fills up to `size` bytes, at least 4; returns how many, 0 at the end, -1 with `error` set when
 * reading fails, when the file is in UTF-16, or when a compressed file grows beyond what an honest
 * one does. A byte order mark at the start is no part of the text. */
long input_read(input_t *self, void *bytes, size_t size, struct error *error);

/* All bytes of the text file at `path`, `length` of them and a NUL, which the caller frees; NULL
 * with `error` if it cannot be read or has more than `max`. */
char *input_read_whole(const char *path, size_t max, size_t *length, struct error *error);

#endif
