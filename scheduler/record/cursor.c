/* cursor.c - see cursor.h. */
#include "scheduler/record/cursor.h"

#include "common/input.h"
#include "common/number.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_BYTES 40

int cursor_complain(const struct cursor *self, const char *expected, struct error *error)
{
    const size_t left = self->length - self->at;
    char shown[SHOWN_BYTES];

    (void)input_printable(shown, sizeof(shown), self->text + self->at, left);
    return error_set(error, "%s:%" PRId64 ":%zu: expected %s, found %s%s%s", self->path, self->line,
                     self->at + 1, expected, left > 0 ? "'" : "the end of the line",
                     left > 0 ? shown : "", left > 0 ? "'" : "");
}

static bool ends_value(char c)
{
    return c == ' ' || c == ',' || c == ':';
}

/* The length of the value at the cursor. */
static size_t value_length(const struct cursor *self)
{
    size_t end = self->at;

    while (end < self->length && !ends_value(self->text[end]))
        end++;
    return end - self->at;
}

static bool stands(const struct cursor *self, const char *text)
{
    const size_t length = strlen(text);

    return self->length - self->at >= length && !memcmp(self->text + self->at, text, length);
}

bool cursor_skips(struct cursor *self, const char *word)
{
    const size_t end = self->at + strlen(word);

    if (!stands(self, word) || (end < self->length && self->text[end] != ' '))
        return false;
    self->at = end;
    return true;
}

int cursor_word(struct cursor *self, const char *word, struct error *error)
{
    char expected[64];

    if (cursor_skips(self, word))
        return 0;
    (void)snprintf(expected, sizeof(expected), "\"%s\"", word);
    return cursor_complain(self, expected, error);
}

int cursor_blank(struct cursor *self, struct error *error)
{
    if (!stands(self, " "))
        return cursor_complain(self, "a blank", error);
    self->at++;
    return 0;
}

int cursor_end(struct cursor *self, struct error *error)
{
    return self->at == self->length ? 0 : cursor_complain(self, "the end of the line", error);
}

bool cursor_has(struct cursor *self, const char *key)
{
    const size_t length = strlen(key);

    if (self->length - self->at < length + 2 || self->text[self->at] != ' ' ||
        memcmp(self->text + self->at + 1, key, length) != 0 ||
        self->text[self->at + 1 + length] != '=')
        return false;
    self->at += length + 2;
    return true;
}

int cursor_key(struct cursor *self, const char *key, struct error *error)
{
    char expected[64];

    if (cursor_has(self, key))
        return 0;
    (void)snprintf(expected, sizeof(expected), "\" %s=\"", key);
    return cursor_complain(self, expected, error);
}

static int complain_range(const struct cursor *self, int64_t min, int64_t max, struct error *error)
{
    char expected[96];

    (void)snprintf(expected, sizeof(expected), "a whole number from %" PRId64 " to %" PRId64, min,
                   max);
    return cursor_complain(self, expected, error);
}

int cursor_number(struct cursor *self, int64_t min, int64_t max, int64_t *value,
                  struct error *error)
{
    const size_t length = value_length(self);

    if (number_parse_whole(self->text + self->at, length, min, max, value) != NUMBER_OK)
        return complain_range(self, min, max, error);
    self->at += length;
    return 0;
}

int cursor_whole(struct cursor *self, int64_t min, int64_t max, int64_t *value, struct error *error)
{
    const size_t length = value_length(self);
    const bool minus = stands(self, "-");
    int64_t size;

    if (number_parse_whole(self->text + self->at + minus, length - minus, 0, INT64_MAX, &size) !=
            NUMBER_OK ||
        (minus ? -size : size) < min || (minus ? -size : size) > max)
        return complain_range(self, min, max, error);
    *value = minus ? -size : size;
    self->at += length;
    return 0;
}

int cursor_time(struct cursor *self, int64_t min, int64_t max, int64_t *value, struct error *error)
{
    if (!cursor_skips(self, "never"))
        return cursor_whole(self, min, max, value, error);
    *value = INT64_MAX;
    return 0;
}

static bool parse_size(const char *text, size_t length, double *value)
{
    *value = (double)INFINITY;
    if (length == 3 && !memcmp(text, "inf", length))
        return true;
    *value = (double)NAN;
    if (length == 3 && !memcmp(text, "nan", length))
        return true;
    return number_parse_real(text, length, 0, DBL_MAX, value) == NUMBER_OK;
}

int cursor_real(struct cursor *self, double *value, struct error *error)
{
    const size_t length = value_length(self);
    const bool minus = stands(self, "-");

    if (!parse_size(self->text + self->at + minus, length - minus, value))
        return cursor_complain(self, "a number", error);
    if (minus)
        *value = -*value;
    self->at += length;
    return 0;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Takes the character after a backslash; 0 if there is none of that name. */
static int take_escaped(struct cursor *self)
{
    const size_t left = self->length - self->at;
    const char *at = self->text + self->at;
    int high;
    int low;

    if (left >= 1 && (at[0] == '"' || at[0] == '\\')) {
        self->at++;
        return at[0];
    }
    high = left >= 3 && at[0] == 'x' ? hex_value(at[1]) : -1;
    low = high >= 0 ? hex_value(at[2]) : -1;
    if (low < 0)
        return 0;
    self->at += 3;
    return high * 16 + low;
}

/* Takes a character of a quoted text; 0 at its closing quote or if there is none. */
static int take_character(struct cursor *self)
{
    const int c = self->at < self->length ? (unsigned char)self->text[self->at] : 0;

    if (c == '"' || c < ' ' || c == 0x7f)
        return 0;
    self->at++;
    return c == '\\' ? take_escaped(self) : c;
}

int cursor_quoted(struct cursor *self, char *value, size_t size, struct error *error)
{
    size_t used = 0;
    int c;

    assert(size > 0);
    if (!stands(self, "\""))
        return cursor_complain(self, "a text in double quotes", error);
    self->at++;
    while (used < size && (c = take_character(self)) != 0)
        value[used++] = (char)c;
    if (used == size || !stands(self, "\""))
        return cursor_complain(self, "the quote that ends a text", error);
    self->at++;
    value[used] = '\0';
    return 0;
}

int cursor_value(struct cursor *self, char *value, size_t size, struct error *error)
{
    size_t length = 0;

    if (stands(self, "\""))
        return cursor_quoted(self, value, size, error);
    while (self->at + length < self->length && self->text[self->at + length] != ' ')
        length++;
    if (length == 0 || length >= size)
        return cursor_complain(self, "a value", error);
    memcpy(value, self->text + self->at, length);
    value[length] = '\0';
    self->at += length;
    return 0;
}

int cursor_choice(struct cursor *self, const char *const words[], size_t *chosen,
                  struct error *error)
{
    char expected[512] = "one of";
    size_t used = strlen(expected);

    for (size_t i = 0; words[i]; i++) {
        if (cursor_skips(self, words[i])) {
            *chosen = i;
            return 0;
        }
        used += (size_t)snprintf(expected + used, sizeof(expected) - used, " %s", words[i]);
        assert(used < sizeof(expected));
    }
    return cursor_complain(self, expected, error);
}

int cursor_digest(struct cursor *self, uint64_t *value, struct error *error)
{
    size_t digits = 0;
    uint64_t sum = 0;

    while (digits < 16 && self->at + digits < self->length &&
           hex_value(self->text[self->at + digits]) >= 0)
        sum = sum << 4 | (uint64_t)hex_value(self->text[self->at + digits++]);
    if (digits != 16)
        return cursor_complain(self, "16 hexadecimal digits", error);
    *value = sum;
    self->at += digits;
    return 0;
}
