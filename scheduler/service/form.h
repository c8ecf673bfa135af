/* form.h - reads the JSON object of a request into a struct, by a table of its possible fields. A
 * field that is unknown, of a wrong kind or out of range is an error that names the field. */
#ifndef SERVICE_FORM_H
#define SERVICE_FORM_H

#include "common/error.h"
#include "common/memory.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum form_kind {
    FORM_TEXT,   /* const char *, NULL if absent; 1 to `max` bytes */
    FORM_LABEL,  /* as FORM_TEXT: one word of letters, digits and -_.:+@=# */
    FORM_LINE,   /* as FORM_TEXT: no control characters, no marks of direction */
    FORM_WHOLE,  /* int64_t, `min` to `max` */
    FORM_REAL,   /* double, `min` to `max` */
    FORM_SWITCH, /* bool */
    FORM_WORDS,  /* struct words; at most `max` bytes each */
    FORM_WHOLES, /* struct wholes; `min` to `max` each */
};

/* A list of texts, ended with NULL. */
struct words {
    size_t count;
    const char **items;
};

/* A list of whole numbers. */
struct wholes {
    size_t count;
    int64_t *items;
};

#define FORM_WORDS_MAX 1024 /* in a list of words */
#define FORM_LINE_MAX  1024 /* bytes of a FORM_LINE */

struct form_field {
    const char *name; /* NULL ends the table */
    enum form_kind kind;
    size_t place; /* offset in the struct */
    int64_t min;
    int64_t max;
    bool needed;
};

/* Parses `document` as JSON. The caller owns the result. NULL with `error`. */
json_t *form_parse(const char *document, struct error *error);

/* Reads `document` into `form`. Fields that are absent or null keep their values in `form`. Texts
 * go into `texts`. -1 with `error`. */
int form_read(const char *document, const struct form_field fields[], void *form, arena_t *texts,
              struct error *error);

/* As form_read for a parsed document, NULL for an empty one. */
int form_read_json(const json_t *document, const struct form_field fields[], void *form,
                   arena_t *texts, struct error *error);

#endif
