/* output.h - a file that appears whole or not at all: written under a temporary name, then renamed.
 *
 * What cannot be renamed is written where it stands: a device, a FIFO, standard output ("-") and
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

/* Unless `forced`, an older file with other bytes keeps its name: to commit then fails, with a
 * sentence that names --force, and nothing else is left. */
void output_replace(output_t *self, bool forced);

/* The same before what takes long: -1, with `error`, at once if an older file has the name, for its
 * bytes cannot be compared yet. */
int output_claim(output_t *self, bool forced, struct error *error);

/* Writes to `fd`, which stays the caller's, from where it stands; `path` is what complaints call
 * it. It has its name, if any, already: committing only writes what is left. */
output_t *output_on(int fd, const char *path) __attribute__((returns_nonnull));

/* The same on an `fd` that it closes. */
output_t *output_take(int fd, const char *path) __attribute__((returns_nonnull));

/* Ends it: the file gets its name. -1, with `error` set, if that cannot be: if a write failed,
 * nothing is left; if only the name cannot be had, the whole file stays under the temporary name,
 * which `error` tells. */
int output_commit(output_t **self, struct error *error);

/* Commits all of them: no file gets its name before all are written. -1, with `error`, if one of
 * them cannot be written or named: older files then have their names, and nothing else is left. */
int output_commit_all(output_t *outputs[], size_t count, struct error *error);

/* Removes the temporary files of all outputs, for a process that ends at once: calls nothing that a
 * signal handler may not. */
void output_abandon(void);

/* Gives it up; ignores a NULL one. */
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

/* Sends what was written so far on its way. */
void output_flush(output_t *self);

/* Whether what is written to `path` arrives where standard output does. */
bool output_is_stdout(const char *path);

/* Where to say what was written to `path`: standard output, or standard error if the file itself
 * goes there. */
FILE *output_talk(const char *path);

/* The name of the output `path` in messages. */
const char *output_name(const char *path);

/* Makes the folder `path` and those above it. Returns how many were made, or -1 with `error` and
 * none of them left. */
int output_make_folder(const char *path, struct error *error);

/* Takes away the last `count` folders of `path`, as far as they are empty. */
void output_remove_folders(const char *path, int count);

/* Sends what was printed on standard output so far on its way. -1 if that fails, of which
 * output_check_stdout tells the cause. */
int output_flush_stdout(void);

/* Whether all that went to standard output arrived; -1 with `error` if not. */
int output_check_stdout(struct error *error);

#endif
