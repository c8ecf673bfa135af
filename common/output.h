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

/* Writes to `fd`, which stays the caller's, from where it stands; `path` is what complaints call it. It
 * has its name, if any, already: committing only writes what is left. */
output_t *output_on(int fd, const char *path) __attribute__((returns_nonnull));

/* Writes what is left and closes the temporary file; -1, with `error`, if a write failed or a folder
 * stands where the file is to go. After that only the name is missing. */
int output_close(output_t *self, struct error *error);

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

/* Makes the folder `path` and those above it. Returns how many were made, or -1 with `error` and none
 * of them left. */
int output_make_folder(const char *path, struct error *error);

/* Takes away the last `count` folders of `path`, as far as they are empty. */
void output_remove_folders(const char *path, int count);

/* Whether all that went to standard output arrived; -1 with `error` if not. */
int output_check_stdout(struct error *error);

#endif
