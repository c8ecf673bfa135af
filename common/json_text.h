/* json_text.h - JSON in files and for users: indented by two, and every number as short as it reads
 * back as the same one, where jansson writes 0.1 as 0.10000000000000001. */
#ifndef COMMON_JSON_TEXT_H
#define COMMON_JSON_TEXT_H

#include "common/error.h"

#include <jansson.h>

/* The document in the file at `path`, in which no name comes twice; the caller releases the
 * document with json_decref. NULL, with `error` that names the file, and line and column of the
 * first syntax error. */
json_t *json_read(const char *path, struct error *error);

/* `value` as text that ends with a new line; the caller frees it. Every text in it is UTF-8. */
char *json_text(const json_t *value);

/* Prints `value` on standard output; control characters that JSON has as they are, and marks that
 * turn the direction of writing, are printed as "\u202e", since a terminal would obey them. Returns
 * the exit status, 1 if the output cannot be written. */
int json_print(const json_t *value);

#endif
