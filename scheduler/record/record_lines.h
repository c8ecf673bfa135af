/* record_lines.h - the file of a record, line by line, and the check of its bytes. */
#ifndef RECORD_RECORD_LINES_H
#define RECORD_RECORD_LINES_H

#include "common/error.h"
#include "scheduler/record/cursor.h"

typedef struct record_lines record_lines_t;

/* Plain or compressed. NULL with `error`. */
record_lines_t *record_lines_open(const char *path, struct error *error);
void record_lines_close(record_lines_t **self);

/* Looks at the next line, lent until it is taken. 1; 0 at the end of the file, where an incomplete
 * last line is ignored; -1 with `error`. */
int record_lines_look(record_lines_t *self, struct cursor *cursor, struct error *error);

/* Takes the line that was looked at. */
void record_lines_take(record_lines_t *self);

/* Takes a check line, which must match all bytes before it. -1 with `error`. */
int record_lines_check(record_lines_t *self, struct error *error);

/* Says that the record breaks off here, and `where` in the run; returns -1. */
int record_lines_complain_cut(const record_lines_t *self, const char *where, struct error *error);

#endif
