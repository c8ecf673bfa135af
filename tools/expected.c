/* expected.c - see expected.h. */
#include "tools/expected.h"

#include "common/csv.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMN_TRACE, COLUMN_POLICY, COLUMN_ACCEPTED, COLUMN_DECLINED, COLUMN_COUNT };

static const struct csv_column columns[COLUMN_COUNT] = {
    [COLUMN_TRACE] = {{"trace"}, false},
    [COLUMN_POLICY] = {{"policy"}, false},
    [COLUMN_ACCEPTED] = {{"accepted"}, false},
    [COLUMN_DECLINED] = {{"declined"}, false},
};

struct row {
    const char *trace;
    const char *policy;
    int64_t accepted;
    int64_t declined;
};

struct expected {
    struct row *rows;
    size_t count;
    size_t capacity;
    arena_t *texts;
};

static const char *keep(struct expected *self, struct csv_cell cell)
{
    return arena_text(self->texts, cell.text, cell.length);
}

static int read_rows(struct expected *self, csv_t *csv, struct error *error)
{
    int got;

    if (csv_expect(csv, columns, COLUMN_COUNT, error) < 0)
        return -1;
    while ((got = csv_next(csv, error)) > 0) {
        struct row row = {.trace = keep(self, csv_get(csv, COLUMN_TRACE)),
                          .policy = keep(self, csv_get(csv, COLUMN_POLICY))};

        if (csv_whole(csv, COLUMN_ACCEPTED, 0, INT32_MAX, &row.accepted, error) < 0 ||
            csv_whole(csv, COLUMN_DECLINED, 0, INT32_MAX, &row.declined, error) < 0)
            return -1;
        self->rows = grow_array(self->rows, self->count, &self->capacity, sizeof(*self->rows));
        self->rows[self->count++] = row;
    }
    return got;
}

struct expected *expected_read(const char *path, struct error *error)
{
    csv_t *csv = csv_open(path, ',', error);
    struct expected *self;

    if (!csv)
        return NULL;
    self = xcalloc(1, sizeof(*self));
    self->texts = arena_new();
    if (read_rows(self, csv, error) < 0)
        expected_destroy(&self);
    csv_destroy(&csv);
    return self;
}

void expected_destroy(struct expected **self)
{
    if (!*self)
        return;
    arena_destroy(&(*self)->texts);
    free((*self)->rows);
    free(*self);
    *self = NULL;
}

int expected_find(const struct expected *self, const char *trace, const char *policy,
                  int64_t *accepted, int64_t *declined)
{
    const char *slash = strrchr(trace, '/');
    const char *name = slash ? slash + 1 : trace;
    const size_t length = strcspn(name, ".");

    for (size_t i = 0; i < self->count; i++) {
        const struct row *row = &self->rows[i];

        if (strlen(row->trace) != length || strncmp(row->trace, name, length) != 0 ||
            strcmp(row->policy, policy) != 0)
            continue;
        *accepted = row->accepted;
        *declined = row->declined;
        return 0;
    }
    return -1;
}
