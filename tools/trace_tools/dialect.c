/* dialect.c - see dialect.h. */
#include "tools/trace_tools/dialect.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

static const char *const names[] = {[DIALECT_ARTIFACT] = "artifact",
                                    [DIALECT_PUBLIC] = "public",
                                    [DIALECT_CHRONUS] = "chronus",
                                    [DIALECT_COUNT] = NULL};
static const char *const names_of_one_deadline[] = {"artifact", "public", NULL};

static const char *const columns[DIALECT_COLUMN_COUNT][DIALECT_COUNT] = {
    [DIALECT_SUBMISSION] = {[DIALECT_ARTIFACT] = "submit_time",
                            [DIALECT_PUBLIC] = "submission_time",
                            [DIALECT_CHRONUS] = "submit_time"},
    [DIALECT_ITERATIONS] = {[DIALECT_ARTIFACT] = "iteration",
                            [DIALECT_PUBLIC] = "num_iteration",
                            [DIALECT_CHRONUS] = "iterations"},
    [DIALECT_DEADLINE] = {[DIALECT_ARTIFACT] = "ddl",
                          [DIALECT_PUBLIC] = "deadline",
                          [DIALECT_CHRONUS] = "expect_time_list"},
};

/* The spellings of each column by preference, as scheduler/state/trace.h lists them. */
static const char *const by_preference[DIALECT_COLUMN_COUNT][DIALECT_COUNT] = {
    [DIALECT_SUBMISSION] = {"submission_time", "submit_time"},
    [DIALECT_ITERATIONS] = {"iteration", "num_iteration", "iterations"},
    [DIALECT_DEADLINE] = {"deadline", "ddl", "expect_time_list"},
};

const char *const *dialect_names(void)
{
    return names;
}

const char *const *dialect_names_of_one_deadline(void)
{
    return names_of_one_deadline;
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

enum dialect_column dialect_column_of(const char *name)
{
    for (int column = 0; column < DIALECT_COLUMN_COUNT; column++)
        for (int dialect = 0; dialect < DIALECT_COUNT; dialect++)
            if (!strcmp(columns[column][dialect], name))
                return (enum dialect_column)column;
    return DIALECT_COLUMN_COUNT;
}

size_t dialect_place_of(const csv_t *csv, const char *name)
{
    for (size_t place = 0; place < csv_header_count(csv); place++)
        if (!strcmp(csv_header_name(csv, place), name))
            return place;
    return SIZE_MAX;
}

size_t dialect_place(const csv_t *csv, enum dialect_column column)
{
    size_t place = SIZE_MAX;

    for (int i = 0; i < DIALECT_COUNT && by_preference[column][i] && place == SIZE_MAX; i++)
        place = dialect_place_of(csv, by_preference[column][i]);
    return place;
}

bool dialect_is_chronus(const csv_t *csv)
{
    return dialect_place(csv, DIALECT_DEADLINE) ==
           dialect_place_of(csv, columns[DIALECT_DEADLINE][DIALECT_CHRONUS]);
}
