/* cursor.h - a line of a record, read from left to right. Each function takes the item that it
 * names or returns -1 with `error`: file, line, column, the expected and the found text. */
#ifndef RECORD_CURSOR_H
#define RECORD_CURSOR_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
    const char *path;
    int64_t line;
    const char *text;
    size_t length;
    size_t at;
};

int cursor_complain(const struct cursor *self, const char *expected, struct error *error);

/* Takes `word` if it comes next, up to a blank or the end of the line. */
bool cursor_skips(struct cursor *self, const char *word);
int cursor_word(struct cursor *self, const char *word, struct error *error);
int cursor_blank(struct cursor *self, struct error *error);
int cursor_end(struct cursor *self, struct error *error);

/* cursor_key: takes ` KEY=`. cursor_has: takes ` KEY=` if it comes next. */
int cursor_key(struct cursor *self, const char *key, struct error *error);
bool cursor_has(struct cursor *self, const char *key);

/* A value in min .. max, both at least 0 in cursor_number; ended by a blank, a comma, a colon or
 * the end. */
int cursor_number(struct cursor *self, int64_t min, int64_t max, int64_t *value,
                  struct error *error);
int cursor_whole(struct cursor *self, int64_t min, int64_t max, int64_t *value,
                 struct error *error);

/* A whole number or "never", which is INT64_MAX. */
int cursor_time(struct cursor *self, int64_t min, int64_t max, int64_t *value, struct error *error);

/* A number, "inf" or "nan", perhaps after a minus. */
int cursor_real(struct cursor *self, double *value, struct error *error);

/* A text in double quotes of at most `size` - 1 bytes without NUL. */
int cursor_quoted(struct cursor *self, char *value, size_t size, struct error *error);

/* A text in double quotes as above, or without them up to a blank or the end. */
int cursor_value(struct cursor *self, char *value, size_t size, struct error *error);

/* One of `words`, ended with NULL. */
int cursor_choice(struct cursor *self, const char *const words[], size_t *chosen,
                  struct error *error);

/* 16 hexadecimal digits. */
int cursor_digest(struct cursor *self, uint64_t *value, struct error *error);

#endif
