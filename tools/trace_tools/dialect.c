/* dialect.c - see dialect.h. */
#include "tools/trace_tools/dialect.h"

#include <assert.h>
#include <string.h>

static const char *const names[] = {
    [DIALECT_ARTIFACT] = "artifact", [DIALECT_PUBLIC] = "public", [DIALECT_COUNT] = NULL};

static const char *const columns[DIALECT_COLUMN_COUNT][DIALECT_COUNT] = {
    [DIALECT_SUBMISSION] =
        {[DIALECT_ARTIFACT] = "submit_time", [DIALECT_PUBLIC] = "submission_time"},
    [DIALECT_ITERATIONS] = {[DIALECT_ARTIFACT] = "iteration", [DIALECT_PUBLIC] = "num_iteration"},
    [DIALECT_DEADLINE] = {[DIALECT_ARTIFACT] = "ddl", [DIALECT_PUBLIC] = "deadline"},
};

/* As scheduler/state/trace.h lists them: the first of two spellings wins. */
static const char *const winners[DIALECT_COLUMN_COUNT] = {
    [DIALECT_SUBMISSION] = "submission_time",
    [DIALECT_ITERATIONS] = "iteration",
    [DIALECT_DEADLINE] = "deadline",
};

const char *const *dialect_names(void)
{
    return names;
}

enum dialect dialect_find(const char *name)
{
    enum dialect dialect = DIALECT_ARTIFACT;

    while (names[dialect] && strcmp(names[dialect], name) != 0)
        dialect++;
    assert(dialect < DIALECT_COUNT);
    return dialect;
}

const char *dialect_column_name(enum dialect dialect, enum dialect_column column)
{
    assert(column < DIALECT_COLUMN_COUNT);
    return columns[column][dialect];
}

const char *dialect_winning_name(enum dialect_column column)
{
    assert(column < DIALECT_COLUMN_COUNT);
    return winners[column];
}

enum dialect_column dialect_column_of(const char *name)
{
    for (int column = 0; column < DIALECT_COLUMN_COUNT; column++)
        for (int dialect = 0; dialect < DIALECT_COUNT; dialect++)
            if (!strcmp(columns[column][dialect], name))
                return (enum dialect_column)column;
    return DIALECT_COLUMN_COUNT;
}
