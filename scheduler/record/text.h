/* text.h - builds lines of a record: words, and ` KEY=VALUE` with numbers that read back exactly
 * and texts in double quotes. */
#ifndef RECORD_TEXT_H
#define RECORD_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    char *bytes; /* no NUL at the end */
    size_t used;
    size_t room;
};

void text_free(struct text *self);

void text_bytes(struct text *self, const char *bytes, size_t length);
void text_word(struct text *self, const char *word);
void text_whole(struct text *self, int64_t value);
void text_number(struct text *self, uint64_t value);

/* Appends the fewest digits that read back as the same double; "nan", "inf" and "-inf" as well. */
void text_real(struct text *self, double value);

/* Whether both are the same double, bit for bit. */
bool text_real_is_same(double a, double b);

/* Appends a text in double quotes: `"` and `\` after a backslash, control characters as \xHH. */
void text_quoted(struct text *self, const char *value);

/* A time, or "never" for INT64_MAX. */
void text_time(struct text *self, int64_t value);

void text_key_word(struct text *self, const char *key, const char *value);
void text_key_whole(struct text *self, const char *key, int64_t value);
void text_key_number(struct text *self, const char *key, uint64_t value);
void text_key_real(struct text *self, const char *key, double value);
void text_key_quoted(struct text *self, const char *key, const char *value);
void text_key_time(struct text *self, const char *key, int64_t value);

/* 16 hexadecimal digits. */
void text_key_digest(struct text *self, const char *key, uint64_t value);
void text_digest(struct text *self, uint64_t value);

#endif
