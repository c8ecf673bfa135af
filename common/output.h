/* output.h - a file that appears whole or not at all: written under a temporary name, then renamed.
 *
 * An output that cannot be renamed is written in place: a device, a FIFO, standard output ("-") and
 * any other descriptor of this process (/dev/stdout, /dev/fd/3). A symbolic link stays, and what it
 * leads to is written. */
#ifndef COMMON_OUTPUT_H
#define COMMON_OUTPUT_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct output output_t;

/* Starts the file that will be `path`; "-" is standard output. NULL, with `error` set, if it cannot
 * be written or if it is one of the files that this process has read (input.h). */
output_t *output_new(const char *path, struct error *error);

/* Unless `forced`, an older file with other bytes keeps its name: output_commit then fails with a
 * sentence that names --force and leaves no temporary file. */
void output_replace(output_t *self, bool forced);

/* Like output_replace, before a long computation: -1, with `error`, at once if an older file has
 * the name, since its bytes cannot be compared yet. */
int output_claim(output_t *self, bool forced, struct error *error);

/* Writes to `fd`, which stays the caller's, from its current offset; complaints call the file
 * `path`. The file already has its name: output_commit only writes the rest of the buffer. */
output_t *output_on(int fd, const char *path) __attribute__((returns_nonnull));

/* Like output_on, but closes `fd`. */
output_t *output_take(int fd, const char *path) __attribute__((returns_nonnull));

/* Ends the output: the file gets its name. -1, with `error` set, on failure: if a write failed, no
 * file is left; if only renaming failed, the whole file stays under the temporary name, which
 * `error` tells. */
int output_commit(output_t **self, struct error *error);

/* Commits all of them: no file gets its name before all are written. -1, with `error`, if one of
 * them cannot be written or named: older files then have their names, and no temporary file is
 * left. */
int output_commit_all(output_t *outputs[], size_t count, struct error *error);

/* Removes the temporary files of all outputs, for a process that ends at once:
 * async-signal-safe. */
void output_abandon(void);

/* Discards the output and its temporary file; ignores a NULL one. */
void output_destroy(output_t **self);

/* Room for a line of `bytes` bytes, OUTPUT_ROOM_MAX at most. The address holds until the next call.
 * output_wrote takes the bytes of that room up to `end` into the file. */
#define OUTPUT_ROOM_MAX 4096
char *output_room(output_t *self, size_t bytes);
void output_wrote(output_t *self, const char *end);

void output_char(output_t *self, char c);
void output_text(output_t *self, const char *text);
void output_bytes(output_t *self, const char *bytes, size_t length);
void output_whole(output_t *self, int64_t value);
void output_format(output_t *self, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes all buffered bytes to the file. */
void output_flush(output_t *self);

/* Whether `path` leads to the same file as standard output. */
bool output_is_stdout(const char *path);

/* The stream for messages about the output `path`: standard output, or standard error if the output
 * itself goes to standard output. */
FILE *output_talk(const char *path);

/* The name of the output `path` in messages. */
const char *output_name(const char *path);

/* Makes the folder `path` and those above it. Returns how many were made, or -1 with `error` and
 * none of them left. */
int output_make_folder(const char *path, struct error *error);

/* Takes away the last `count` folders of `path`, as far as they are empty. */
void output_remove_folders(const char *path, int count);

/* Flushes standard output. -1 on failure; output_check_stdout tells the cause. */
int output_flush_stdout(void);

/* Whether all bytes printed on standard output arrived; -1 with `error` if not. */
int output_check_stdout(struct error *error);

#endif
