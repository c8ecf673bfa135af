/* dialect.h - the published spellings of a trace's header: the spelling of the ElasticFlow
 * artifact, that of the public trace collection, and that of Chronus, which the artifact writes for
 * its baseline. Three columns differ in name. The deadline of Chronus differs in meaning too, see
 * trace.h. */
#ifndef TRACE_TOOLS_DIALECT_H
#define TRACE_TOOLS_DIALECT_H

#include "common/csv.h"

#include <stdbool.h>
#include <stddef.h>

enum dialect { DIALECT_ARTIFACT, DIALECT_PUBLIC, DIALECT_CHRONUS, DIALECT_COUNT };

/* The columns whose names differ. */
enum dialect_column {
    DIALECT_SUBMISSION,
    DIALECT_ITERATIONS,
    DIALECT_DEADLINE,
    DIALECT_COLUMN_COUNT
};

/* dialect_names: all names. dialect_names_of_one_deadline: the names of the dialects with a single
 * deadline for each job, "artifact" and "public". Both lists end with NULL. */
const char *const *dialect_names(void);
const char *const *dialect_names_of_one_deadline(void);

/* The dialect called `name`, one of dialect_names. */
enum dialect dialect_find(const char *name);

const char *dialect_column_name(enum dialect dialect, enum dialect_column column);

/* The column that has the spelling `name` in some dialect; DIALECT_COLUMN_COUNT for other names. */
enum dialect_column dialect_column_of(const char *name);

/* dialect_place_of: the place of the column `name` in the file. dialect_place: the place of a
 * column in the spelling that a reader prefers. Both are SIZE_MAX for a missing column. */
size_t dialect_place_of(const csv_t *csv, const char *name);
size_t dialect_place(const csv_t *csv, enum dialect_column column);

/* Whether a reader takes the trace for one of Chronus. */
bool dialect_is_chronus(const csv_t *csv);

#endif
