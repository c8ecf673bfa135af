/* dialect.h - the two published spellings of a trace's header: that of the ElasticFlow artifact and
 * that of the public trace collection. Three columns differ, the rest are called the same. */
#ifndef TRACE_TOOLS_DIALECT_H
#define TRACE_TOOLS_DIALECT_H

#include <stddef.h>

enum dialect { DIALECT_ARTIFACT, DIALECT_PUBLIC, DIALECT_COUNT };

/* The columns whose names differ. */
enum dialect_column {
    DIALECT_SUBMISSION,
    DIALECT_ITERATIONS,
    DIALECT_DEADLINE,
    DIALECT_COLUMN_COUNT
};

/* "artifact" and "public", ended with NULL. */
const char *const *dialect_names(void);

/* The dialect called `name`, one of dialect_names. */
enum dialect dialect_find(const char *name);

const char *dialect_column_name(enum dialect dialect, enum dialect_column column);

/* The spelling that a reader takes when a file has both. */
const char *dialect_winning_name(enum dialect_column column);

/* Which column is called `name` in either dialect; DIALECT_COLUMN_COUNT for every other name. */
enum dialect_column dialect_column_of(const char *name);

#endif
