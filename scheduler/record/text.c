/* text.c - see text.h. */
#include "scheduler/record/text.h"

#include "common/memory.h"
#include "common/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX    20
#define ROOM_AT_FIRST 4096

/* A double holds each whole number up to this one. */
#define WHOLE_REAL_MAX 9007199254740992.0

static const char hex_digits[] = "0123456789abcdef";

void text_free(struct text *self)
{
    free(self->bytes);
    *self = (struct text){.bytes = NULL};
}

/* Makes room for `length` more bytes. Returns where they go. */
static char *take(struct text *self, size_t length)
{
    char *at;

    if (self->used + length > self->room) {
        self->room = 2 * (self->used + length) + ROOM_AT_FIRST;
        self->bytes = xrealloc(self->bytes, self->room);
    }
    at = self->bytes + self->used;
    self->used += length;
    return at;
}

void text_bytes(struct text *self, const char *bytes, size_t length)
{
    if (length > 0)
        memcpy(take(self, length), bytes, length);
}

void text_word(struct text *self, const char *word)
{
    text_bytes(self, word, strlen(word));
}

void text_number(struct text *self, uint64_t value)
{
    char digits[DIGITS_MAX];
    size_t start = sizeof(digits);

    do {
        digits[--start] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    text_bytes(self, digits + start, sizeof(digits) - start);
}

void text_whole(struct text *self, int64_t value)
{
    if (value < 0)
        text_word(self, "-");
    text_number(self, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void text_real(struct text *self, double value)
{
    char chars[NUMBER_TEXT_BYTES];

    if (fabs(value) <= WHOLE_REAL_MAX && value == floor(value) && !signbit(value)) {
        text_number(self, (uint64_t)value);
        return;
    }
    text_word(self, isnan(value) ? "nan" : number_print_real(value, chars));
}

static uint64_t bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

bool text_real_is_same(double a, double b)
{
    return bits_of(a) == bits_of(b);
}

static void text_escaped(struct text *self, unsigned char c)
{
    char *at;

    if (c >= ' ' && c != 0x7f) {
        at = take(self, 2);
        at[0] = '\\';
        at[1] = (char)c;
        return;
    }
    at = take(self, 4);
    at[0] = '\\';
    at[1] = 'x';
    at[2] = hex_digits[c >> 4];
    at[3] = hex_digits[c & 15];
}

void text_quoted(struct text *self, const char *value)
{
    text_word(self, "\"");
    for (; *value; value++) {
        const unsigned char c = (unsigned char)*value;

        if (c < ' ' || c == 0x7f || c == '"' || c == '\\')
            text_escaped(self, c);
        else
            text_bytes(self, value, 1);
    }
    text_word(self, "\"");
}

void text_time(struct text *self, int64_t value)
{
    if (value == INT64_MAX)
        text_word(self, "never");
    else
        text_whole(self, value);
}

void text_digest(struct text *self, uint64_t value)
{
    char *at = take(self, 16);

    for (int i = 0; i < 16; i++)
        at[i] = hex_digits[value >> (60 - 4 * i) & 15];
}

static void text_key(struct text *self, const char *key)
{
    text_word(self, " ");
    text_word(self, key);
    text_word(self, "=");
}

void text_key_word(struct text *self, const char *key, const char *value)
{
    text_key(self, key);
    text_word(self, value);
}

void text_key_whole(struct text *self, const char *key, int64_t value)
{
    text_key(self, key);
    text_whole(self, value);
}

void text_key_number(struct text *self, const char *key, uint64_t value)
{
    text_key(self, key);
    text_number(self, value);
}

void text_key_real(struct text *self, const char *key, double value)
{
    text_key(self, key);
    text_real(self, value);
}

void text_key_quoted(struct text *self, const char *key, const char *value)
{
    text_key(self, key);
    text_quoted(self, value);
}

void text_key_time(struct text *self, const char *key, int64_t value)
{
    text_key(self, key);
    text_time(self, value);
}

void text_key_digest(struct text *self, const char *key, uint64_t value)
{
    text_key(self, key);
    text_digest(self, value);
}
