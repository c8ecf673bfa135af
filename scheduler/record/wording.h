/* wording.h - a line of a record that is written or read: one function for both ways says what
 * stands in a line of a kind, as archives have it (common/archive.h).
 *
 * A value is given and comes back: as it was given from a line that is written, as it stands there
 * from one that is read. The first fault of a line that is read is kept in `error`, and whatever is
 * read after it is as it was given. What is written is within the limits. */
#ifndef RECORD_WORDING_H
#define RECORD_WORDING_H

#include "common/memory.h"
#include "scheduler/record/cursor.h"
#include "scheduler/record/text.h"

struct wording {
    struct text *text;     /* NULL for a line that is read: */
    struct cursor *cursor; /* by this */
    arena_t *kept;         /* for the texts of such a line */
    struct error *error;
    bool failed;
};

struct wording wording_writing(struct text *text);
struct wording wording_reading(struct cursor *cursor, arena_t *kept, struct error *error);

bool wording_reads(const struct wording *self);

/* `expected` is not there. */
void wording_complain(struct wording *self, const char *expected);

/* A word up to a blank; a blank; ` KEY=`. */
void wording_word(struct wording *self, const char *word);
void wording_blank(struct wording *self);
void wording_key(struct wording *self, const char *key);

/* Parts that may be there: a character, ` WORD`, ` KEY=`. Returns whether it is: a line that is
 * written has it if `there`. */
bool wording_mark(struct wording *self, char mark, bool there);
bool wording_flag(struct wording *self, const char *word, bool there);
bool wording_has(struct wording *self, const char *key, bool there);

/* Values, with the limits of the function of cursor.h that has the same name. */
int64_t wording_number(struct wording *self, int64_t min, int64_t max, int64_t value);
int64_t wording_whole(struct wording *self, int64_t min, int64_t max, int64_t value);
int64_t wording_time(struct wording *self, int64_t min, int64_t max, int64_t value);
double wording_real(struct wording *self, double value);
const char *wording_quoted(struct wording *self, const char *value);

/* The same after ` KEY=`. */
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
