/* archive.c - see archive.h. A word is written in hexadecimal digits and ended with a blank. */
#include "common/archive.h"

#include "common/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define WORD_BYTES 17 /* 16 digits and a blank */

struct archive archive_reading(const char *text, size_t length)
{
    return (struct archive){.reads = true, .version = INT_MAX, .text = text, .length = length};
}

struct archive archive_writing(void)
{
    return (struct archive){.reads = false, .version = INT_MAX};
}

void archive_free(struct archive *self)
{
    free(self->bytes);
    self->bytes = NULL;
}

bool archive_is_over(const struct archive *self)
{
    return !self->broken && self->at == self->length;
}

/* ---- words ---- */

static void write_word(struct archive *self, uint64_t word)
{
    static const char digits[] = "0123456789abcdef";
    char *end;

    while (self->used + WORD_BYTES + 1 > self->room) {
        self->room = self->room > 0 ? 2 * self->room : 4096;
        self->bytes = xrealloc(self->bytes, self->room);
    }
    end = self->bytes + self->used;
    for (int shift = word == 0 ? 0 : (63 - __builtin_clzl(word)) / 4 * 4; shift >= 0; shift -= 4)
        *end++ = digits[word >> shift & 15];
    *end++ = ' ';
    *end = '\0';
    self->used = (size_t)(end - self->bytes);
}

/* The value of a hexadecimal digit, -1 for any other character. */
static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static uint64_t read_word(struct archive *self)
{
    const size_t begin = self->at;
    uint64_t word = 0;
    int digit;

    while (self->at < self->length && (digit = digit_of(self->text[self->at])) >= 0) {
        word = word << 4 | (uint64_t)digit;
        self->at++;
    }
    if (self->at == begin || self->at - begin >= WORD_BYTES || self->at == self->length ||
        self->text[self->at++] != ' ')
        self->broken = true;
    return self->broken ? 0 : word;
}

void archive_number(struct archive *self, uint64_t *value)
{
    if (self->broken)
        *value = 0;
    else if (self->reads)
        *value = read_word(self);
    else
        write_word(self, *value);
}

/* ---- values ---- */

void archive_whole(struct archive *self, int64_t *value)
{
    uint64_t word = (uint64_t)*value;

    archive_number(self, &word);
    *value = (int64_t)word;
}

static uint64_t archive_up_to(struct archive *self, uint64_t value, uint64_t max)
{
    archive_number(self, &value);
    if (value <= max)
        return value;
    self->broken = true;
    return 0;
}

void archive_bool(struct archive *self, bool *value)
{
    *value = archive_up_to(self, *value, 1) != 0;
}

void archive_unsigned(struct archive *self, unsigned *value)
{
    *value = (unsigned)archive_up_to(self, *value, UINT_MAX);
}

void archive_int(struct archive *self, int *value)
{
    unsigned word = (unsigned)*value;

    archive_unsigned(self, &word);
    *value = (int)word;
}

void archive_real(struct archive *self, double *value)
{
    uint64_t word;

    memcpy(&word, value, sizeof(word));
    archive_number(self, &word);
    memcpy(value, &word, sizeof(word));
}

size_t archive_count(struct archive *self, size_t count, size_t max)
{
    return archive_up_to(self, count, max);
}

void archive_text(struct archive *self, char *value, size_t size)
{
    const size_t length = archive_count(self, self->reads ? 0 : strlen(value), size - 1);

    for (size_t i = 0; i < length; i++)
        value[i] = (char)archive_up_to(self, (unsigned char)value[i], UCHAR_MAX);
    value[length] = '\0';
}
