/* answer.h - reads an answer of the service. An answer is not trusted: a field that is missing or
 * of another kind than docs/service.md has is reported in one sentence.
 *
 * Fields that failed once stay failed, so that one check at the end is enough. */
#ifndef SERVICE_ANSWER_H
#define SERVICE_ANSWER_H

#include "common/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define TIME_NONE INT64_MIN /* the time if an answer has null */

/* Parses the object of an answer to `verb`. The caller owns it. NULL, with `error`, if `document`
 * is no object. */
json_t *answer_read(const char *verb, const char *document, struct error *error);

/* Whether the answer of a busy service says after how long to ask again, from 1 to 3600 seconds. */
bool answer_retry_after(const json_t *object, int64_t *after_s);

/* Reads the members of one object of the answer to `verb`. */
struct fields {
    const char *verb;
    const json_t *object;
    struct error error; /* "" while all fields are valid */
};

struct fields fields_of(const char *verb, const json_t *object);
bool fields_failed(const struct fields *self);

/* Returns -1, with `error`, if a field was missing or invalid. */
int fields_close(const struct fields *self, struct error *error);

/* Each function returns "", 0, false or NULL once the fields failed. Texts are unchanged from the
 * service and need input_printable before they are printed. */
const char *fields_text(struct fields *self, const char *name);
const char *fields_text_or_null(struct fields *self,
                                const char *name); /* also NULL if the answer has null */
int64_t fields_whole(struct fields *self, const char *name);
double fields_real(struct fields *self, const char *name);
bool fields_switch(struct fields *self, const char *name);
int64_t fields_time(struct fields *self, const char *name); /* seconds since 1970 or TIME_NONE */
const json_t *fields_list(struct fields *self, const char *name);

/* Whether the object has a member `name` that is not null. */
bool fields_has(const struct fields *self, const char *name);

#endif
