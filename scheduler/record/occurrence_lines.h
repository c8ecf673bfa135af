/* occurrence_lines.h - the lines of a record that tell what happened: jobs, their rows of
 * throughput tables, and occurrences, written and read. Each that is read is checked against the
 * limits that other inputs have. */
#ifndef RECORD_OCCURRENCE_LINES_H
#define RECORD_OCCURRENCE_LINES_H

#include "common/error.h"
#include "common/memory.h"
#include "scheduler/record/cursor.h"
#include "scheduler/record/record_reader.h"
#include "scheduler/record/submission_line.h"
#include "scheduler/state/cluster_spec.h"

#include <stddef.h>

/* The cluster and the jobs that lines refer to. */
struct known {
    struct cluster_spec cluster;
    arena_t *kept; /* holds submissions, rows and their texts */
    const struct throughput_row **rows;
    size_t row_count;
    size_t row_room;
};

void known_free(struct known *self);

/* Reads a line that begins with "row". -1 with `error`. */
int row_read(struct known *known, struct cursor *cursor, struct error *error);

/* Reads a line that begins with "<". Texts needed only during the step go to `texts`. -1 with
 * `error`. */
int occurrence_read(struct known *known, arena_t *texts, struct cursor *cursor,
                    struct recorded *recorded, struct error *error);

/* Write such lines, with their ends. `numbers` has the rows of the submission, if there is one. */
void row_write(const struct throughput_row *row, size_t number, struct text *text);
void occurrence_write(const struct recorded *recorded, struct row_numbers *numbers,
                      struct text *text);

#endif
