/* archive.h - values as words of text: one function names the values of a module in turn, and
 * either writes them or reads them back.
 *
 * A word is a number of 64 bits; doubles come back bit for bit. An archive says nothing of what is
 * in it: a version and a checksum are kept beside it. */
#ifndef COMMON_ARCHIVE_H
#define COMMON_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct archive {
    bool reads;
    int version;      /* the version of the archive that is read; INT_MAX while writing: the present
                         version */
    bool broken;      /* the bytes read are no such archive: every later value reads as 0 */
    const char *text; /* the words to read, lent */
    size_t length;
    size_t at;
    char *bytes; /* what was written, ended with a NUL */
    size_t used;
    size_t room;
};

/* `text` is lent. */
struct archive archive_reading(const char *text, size_t length);

/* An empty archive, to be written; archive_free frees its bytes. */
struct archive archive_writing(void);
void archive_free(struct archive *self);

/* Whether all words were read, and each was of its kind. */
bool archive_is_over(const struct archive *self);

/* Writes the value at `value`, or reads it; enumerations are unsigned. */
#define ARCHIVE(self, value)                                                                       \
    _Generic((value),                                                                              \
        bool *: archive_bool,                                                                      \
        int *: archive_int,                                                                        \
        unsigned *: archive_unsigned,                                                              \
        int64_t *: archive_whole,                                                                  \
        uint64_t *: archive_number,                                                                \
        double *: archive_real)(self, value)

void archive_bool(struct archive *self, bool *value);
void archive_int(struct archive *self, int *value);
void archive_unsigned(struct archive *self, unsigned *value);
void archive_whole(struct archive *self, int64_t *value);
void archive_number(struct archive *self, uint64_t *value);
void archive_real(struct archive *self, double *value);

/* Writes `count`, or reads a count: one above `max` breaks the archive. */
size_t archive_count(struct archive *self, size_t count, size_t max);

/* A text that has room for `size` bytes. */
void archive_text(struct archive *self, char *value, size_t size);

#endif
