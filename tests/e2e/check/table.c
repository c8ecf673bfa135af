/* table.c - see table.h. A balanced tree of libc finds the entries. */
#include "tests/e2e/check/table.h"

#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table {
    void *tree;
    struct note **entries;
    size_t count;
    size_t capacity;
};

table_t *table_new(void)
{
    return xcalloc(1, sizeof(table_t));
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct note *)a)->key, ((const struct note *)b)->key);
}

void table_destroy(table_t **self)
{
    table_t *table = *self;

    if (!table)
        return;
    for (size_t i = 0; i < table->count; i++) {
        (void)tdelete(table->entries[i], &table->tree, by_key);
        free(table->entries[i]->key);
        free(table->entries[i]);
    }
    free(table->entries);
    free(table);
    *self = NULL;
}

struct note *table_at(table_t *self, const char *format, ...)
{
    char key[4096];
    struct note *entry = xcalloc(1, sizeof(*entry));
    struct note **found;
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(key, sizeof(key), format, arguments);
    va_end(arguments);
    entry->key = key;
    found = (struct note **)tsearch(entry, &self->tree, by_key);
    if (!found)
        abort();
    if (*found != entry) {
        free(entry);
        return *found;
    }
    entry->key = xstrdup(key);
    self->entries = grow_array(self->entries, self->count, &self->capacity, sizeof(*self->entries));
    self->entries[self->count++] = entry;
    return entry;
}

size_t table_count(const table_t *self)
{
    return self->count;
}

struct note *table_entry(const table_t *self, size_t at)
{
    return self->entries[at];
}
