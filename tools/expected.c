/* expected.c - see expected.h. */
#include "tools/expected.h"

#include "common/csv.h"
#include "common/memory.h"
#include "scheduler/policies/policy.h"

#include <inttypes.h>
#include <stdio.h>
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

/* The length of a trace's name without the endings that tell its format. */
static size_t name_length(const char *name)
{
    static const char *const endings[] = {".gz", ".zst", ".xz", ".bz2", ".csv", ".txt"};
    size_t length = strlen(name);

    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        const size_t ending = strlen(endings[i]);

        if (length > ending && !strncmp(name + length - ending, endings[i], ending))
            length -= ending;
    }
    return length;
}

static bool is_same_trace(const char *one, const char *other)
{
    return name_length(one) == name_length(other) && !strncmp(one, other, name_length(one));
}

static const struct row *find(const struct expected *self, const char *trace, const char *policy)
{
    for (size_t i = 0; i < self->count; i++)
        if (is_same_trace(self->rows[i].trace, trace) && !strcmp(self->rows[i].policy, policy))
            return &self->rows[i];
    return NULL;
}

static int add_row(struct expected *self, const csv_t *csv, struct row *row, struct error *error)
{
    const struct policy *policy = policy_find(row->policy);

    if (!policy)
        return csv_complain(csv, COLUMN_POLICY, "the name of a policy", error);
    row->policy = policy->name;
    if (find(self, row->trace, row->policy))
        return csv_complain(csv, COLUMN_POLICY, "one row for each policy on a trace", error);
    self->rows = grow_array(self->rows, self->count, &self->capacity, sizeof(*self->rows));
    self->rows[self->count++] = *row;
    return 0;
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
            csv_whole(csv, COLUMN_DECLINED, 0, INT32_MAX, &row.declined, error) < 0 ||
            add_row(self, csv, &row, error) < 0)
            return -1;
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
    const struct row *row = find(self, slash ? slash + 1 : trace, policy);

    if (!row)
        return -1;
    *accepted = row->accepted;
    *declined = row->declined;
    return 0;
}

bool expected_agrees(const struct expected *self, const struct cell *cell, char *text, size_t size)
{
    int64_t accepted;
    int64_t declined;

    (void)snprintf(text, size, "-");
    if (!self || expected_find(self, cell->simulation.trace, cell->simulation.policy, &accepted,
                               &declined) < 0)
        return true;
    (void)snprintf(text, size, "%" PRId64 "/%" PRId64, accepted, declined);
    return accepted == cell->figures.accepted && declined == cell->figures.declined;
}
