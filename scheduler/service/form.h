/* form.h - reads the JSON object of a request into a struct, by a table of the fields that it may
 * have. Nothing is believed: a field that is unknown, of another kind or out of its range is told
 * by its name. */
#ifndef SERVICE_FORM_H
#define SERVICE_FORM_H

#include "common/error.h"
#include "common/memory.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum form_kind {
    FORM_TEXT,   /* const char *, NULL if it is not there; at least 1 and at most `max` bytes */
    FORM_LABEL,  /* likewise: one word of letters, digits and -_.:+@=# */
    FORM_LINE,   /* likewise: without control characters, and marks that turn the direction */
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

#define FORM_WORDS_MAX 1024 /* in a list */
#define FORM_LINE_MAX  1024 /* bytes */

struct form_field {
    const char *name; /* NULL ends the table */
    enum form_kind kind;
    size_t place; /* in the struct */
    int64_t min;
    int64_t max;
    bool needed;
};

/* The JSON of `document`, which the caller gives up; NULL with `error`. */
json_t *form_parse(const char *document, struct error *error);

/* Reads `document` into `form`, which holds what fields have that are not there, or are null. Texts
 * are put into `texts`. -1 with `error`. */
int form_read(const char *document, const struct form_field fields[], void *form, arena_t *texts,
              struct error *error);

/* The same for a document that is parsed; NULL for none. */
int form_read_json(const json_t *document, const struct form_field fields[], void *form,
                   arena_t *texts, struct error *error);

#endif
