/* wording.h - a line of a record that is written or read: one function for both ways defines the
 * content of a kind of line, as for archives (common/archive.h).
 *
 * A function takes a value and returns it when writing, and returns the value of the line when
 * reading. The first fault in a read line is kept in `error`, and later values are returned as
 * given. Written values are within the limits. */
#ifndef RECORD_WORDING_H
#define RECORD_WORDING_H

#include "common/memory.h"
#include "scheduler/record/cursor.h"
#include "scheduler/record/text.h"

struct wording {
    struct text *text;     /* NULL when reading: */
    struct cursor *cursor; /* the line to read */
    arena_t *kept;         /* holds the texts of the line */
    struct error *error;
    bool failed;
};

struct wording wording_writing(struct text *text);
struct wording wording_reading(struct cursor *cursor, arena_t *kept, struct error *error);

bool wording_reads(const struct wording *self);

/* Notes that `expected` is missing. */
void wording_complain(struct wording *self, const char *expected);

/* A word up to a blank; a blank; ` KEY=`. */
void wording_word(struct wording *self, const char *word);
void wording_blank(struct wording *self);
void wording_key(struct wording *self, const char *key);

/* Optional parts: a character, ` WORD`, ` KEY=`. Returns whether the part is in the line; when
 * writing, it is written if `there`. */
bool wording_mark(struct wording *self, char mark, bool there);
bool wording_flag(struct wording *self, const char *word, bool there);
bool wording_has(struct wording *self, const char *key, bool there);

/* Values, with the limits of the function of cursor.h that has the same name. */
int64_t wording_number(struct wording *self, int64_t min, int64_t max, int64_t value);
int64_t wording_whole(struct wording *self, int64_t min, int64_t max, int64_t value);
int64_t wording_time(struct wording *self, int64_t min, int64_t max, int64_t value);
double wording_real(struct wording *self, double value);
const char *wording_quoted(struct wording *self, const char *value);

/* The same values after ` KEY=`. */
int64_t wording_key_number(struct wording *self, const char *key, int64_t min, int64_t max,
                           int64_t value);
int64_t wording_key_whole(struct wording *self, const char *key, int64_t min, int64_t max,
                          int64_t value);
double wording_key_real(struct wording *self, const char *key, double value);
const char *wording_key_quoted(struct wording *self, const char *key, const char *value);

/* Which of `words`, ended with NULL. */
size_t wording_choice(struct wording *self, const char *const words[], size_t value);

/* A copy of the items of a list that was read, kept with its texts; NULL for none. */
const void *wording_keep(const struct wording *self, const void *items, size_t count, size_t size);

#endif
