/* table.h - the notes of a rule. Each note has a name, which the rule composes of parts. */
#ifndef CHECK_TABLE_H
#define CHECK_TABLE_H

#include "tests/e2e/check/log_line.h"

typedef struct table table_t;

struct note {
    char *key;
    const struct log_line *line; /* NULL at first */
    int64_t value;               /* 0 at first */
};

table_t *table_new(void);
void table_destroy(table_t **self);

/* The note of that name. A new note is made if there is none. Notes are never moved. */
struct note *table_at(table_t *self, const char *format, ...)
    __attribute__((format(printf, 2, 3), returns_nonnull));

/* All notes, in the order in which they were made. */
size_t table_count(const table_t *self);
struct note *table_entry(const table_t *self, size_t at);

#endif
