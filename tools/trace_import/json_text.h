/* json_text.h - a JSON file as text in memory, whose values are parsed one by one, so that the tree
 * of a long list is never in memory as a whole. Compressed files are unpacked. */
#ifndef TRACE_IMPORT_JSON_TEXT_H
#define TRACE_IMPORT_JSON_TEXT_H

#include "common/error.h"

#include <jansson.h>
#include <stdint.h>

typedef struct json_text json_text_t;

/* Opens the file at `path`. Returns NULL with `error` if the file cannot be read or is over 4
 * GiB. */
json_text_t *json_text_open(const char *path, struct error *error);
void json_text_destroy(json_text_t **self);

/* Parses the whole file as one value, which the caller owns. Returns NULL with `error`. */
json_t *json_text_whole(json_text_t *self, struct error *error);

/* Parses the next element of the list in the file. Returns 1 with `element`, which the caller owns;
 * 0 at the end of the list and the file; -1 with `error`. */
int json_text_next(json_text_t *self, json_t **element, struct error *error);

const char *json_text_path(const json_text_t *self);

/* The line on which the last value begins. */
int64_t json_text_line(const json_text_t *self);

#endif
