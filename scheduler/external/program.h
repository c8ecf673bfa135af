/* program.h - a program that answers questions, a line of JSON for each. */
#ifndef EXTERNAL_PROGRAM_H
#define EXTERNAL_PROGRAM_H

#include "common/error.h"
#include "common/stop.h"

#include <jansson.h>

/* Limits on the time for an answer, and on its size. */
#define PROGRAM_ANSWER_S         60
#define PROGRAM_ANSWER_BYTES_MAX ((size_t)64 * 1024 * 1024)

typedef struct program program_t;

/* `command`, words with blanks between them, is run without a shell at the first question; both are
 * lent. A request by `stop`, which may be NULL, ends the wait for an answer. */
program_t *program_new(const char *command, const struct stop *stop)
    __attribute__((returns_nonnull));

/* Ends the program too. */
void program_destroy(program_t **self);

/* Sends `line`, which ends with a line end, and waits for one line: a JSON object, which the caller
 * owns. NULL with `error` that names the command and the number of the question if the program
 * cannot be run, ends, answers anything else, does not answer for PROGRAM_ANSWER_S, or a stop is
 * requested. */
json_t *program_ask(program_t *self, const char *line, struct error *error);

/* Puts the command and the number of the question before `cause`; returns -1. */
int program_complain(const program_t *self, const struct error *cause, struct error *error);

#endif
