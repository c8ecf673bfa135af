/* wording.c - see wording.h. */
#include "scheduler/record/wording.h"

#include <string.h>

#define TEXT_BYTES 4096

struct wording wording_writing(struct text *text)
{
    return (struct wording){.text = text};
}

struct wording wording_reading(struct cursor *cursor, arena_t *kept, struct error *error)
{
    return (struct wording){.cursor = cursor, .kept = kept, .error = error};
}

bool wording_reads(const struct wording *self)
{
    return !self->text;
}

void wording_complain(struct wording *self, const char *expected)
{
    if (!self->failed)
        (void)cursor_complain(self->cursor, expected, self->error);
    self->failed = true;
}

static void check(struct wording *self, int status)
{
    self->failed = status < 0;
}

/* ---- words ---- */

void wording_word(struct wording *self, const char *word)
{
    if (self->text)
        text_word(self->text, word);
    else if (!self->failed)
        check(self, cursor_word(self->cursor, word, self->error));
}

void wording_blank(struct wording *self)
{
    if (self->text)
        text_word(self->text, " ");
    else if (!self->failed)
        check(self, cursor_blank(self->cursor, self->error));
}

static void write_key(struct text *text, const char *key)
{
    text_word(text, " ");
    text_word(text, key);
    text_word(text, "=");
}

void wording_key(struct wording *self, const char *key)
{
    if (self->text)
        write_key(self->text, key);
    else if (!self->failed)
        check(self, cursor_key(self->cursor, key, self->error));
}

bool wording_mark(struct wording *self, char mark, bool there)
{
    struct cursor *cursor = self->cursor;

    if (self->text) {
        if (there)
            text_bytes(self->text, &mark, 1);
        return there;
    }
    if (self->failed || cursor->at == cursor->length || cursor->text[cursor->at] != mark)
        return false;
    cursor->at++;
    return true;
}

bool wording_flag(struct wording *self, const char *word, bool there)
{
    struct cursor ahead;

    if (self->text) {
        if (there) {
            text_word(self->text, " ");
            text_word(self->text, word);
        }
        return there;
    }
    ahead = *self->cursor;
    if (self->failed || ahead.at == ahead.length || ahead.text[ahead.at++] != ' ' ||
        !cursor_skips(&ahead, word))
        return false;
    *self->cursor = ahead;
    return true;
}

bool wording_has(struct wording *self, const char *key, bool there)
{
    if (!self->text)
        return !self->failed && cursor_has(self->cursor, key);
    if (there)
        write_key(self->text, key);
    return there;
}

/* ---- values ---- */

int64_t wording_number(struct wording *self, int64_t min, int64_t max, int64_t value)
{
    if (self->text)
        text_whole(self->text, value);
    else if (!self->failed)
        check(self, cursor_number(self->cursor, min, max, &value, self->error));
    return value;
}

int64_t wording_whole(struct wording *self, int64_t min, int64_t max, int64_t value)
{
    if (self->text)
        text_whole(self->text, value);
    else if (!self->failed)
        check(self, cursor_whole(self->cursor, min, max, &value, self->error));
    return value;
}

int64_t wording_time(struct wording *self, int64_t min, int64_t max, int64_t value)
{
    if (self->text)
        text_time(self->text, value);
    else if (!self->failed)
        check(self, cursor_time(self->cursor, min, max, &value, self->error));
    return value;
}

double wording_real(struct wording *self, double value)
{
    if (self->text)
        text_real(self->text, value);
    else if (!self->failed)
        check(self, cursor_real(self->cursor, &value, self->error));
    return value;
}

const char *wording_quoted(struct wording *self, const char *value)
{
    char bytes[TEXT_BYTES];

    if (self->text) {
        text_quoted(self->text, value);
        return value;
    }
    if (!self->failed)
        check(self, cursor_quoted(self->cursor, bytes, sizeof(bytes), self->error));
    return self->failed ? value : arena_text(self->kept, bytes, strlen(bytes));
}

int64_t wording_key_number(struct wording *self, const char *key, int64_t min, int64_t max,
                           int64_t value)
{
    wording_key(self, key);
    return wording_number(self, min, max, value);
}

int64_t wording_key_whole(struct wording *self, const char *key, int64_t min, int64_t max,
                          int64_t value)
{
    wording_key(self, key);
    return wording_whole(self, min, max, value);
}

double wording_key_real(struct wording *self, const char *key, double value)
{
    wording_key(self, key);
    return wording_real(self, value);
}

const char *wording_key_quoted(struct wording *self, const char *key, const char *value)
{
    wording_key(self, key);
    return wording_quoted(self, value);
}

size_t wording_choice(struct wording *self, const char *const words[], size_t value)
{
    if (self->text)
        text_word(self->text, words[value]);
    else if (!self->failed)
        check(self, cursor_choice(self->cursor, words, &value, self->error));
    return value;
}

const void *wording_keep(const struct wording *self, const void *items, size_t count, size_t size)
{
    return count > 0 ? memcpy(arena_alloc(self->kept, count * size), items, count * size) : NULL;
}
