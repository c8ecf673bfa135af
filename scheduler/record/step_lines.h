/* step_lines.h - reads back what step_text.h writes, line by line or at once from memory. */
#ifndef RECORD_STEP_LINES_H
#define RECORD_STEP_LINES_H

#include "scheduler/record/occurrence_lines.h"

/* The occurrences of one step. */
struct step_lines {
    struct known known;
    arena_t *texts; /* of the step at hand */
    struct recorded *items;
    size_t count;
    size_t room;
};

void step_lines_open(struct step_lines *self);
void step_lines_close(struct step_lines *self);

/* Another step begins: what lines before gave is gone, but for rows and submissions. */
void step_lines_clear(struct step_lines *self);

/* Takes a line that begins with "row" or "<". 1; 0 for any other; -1 with `error`. */
int step_lines_take(struct step_lines *self, struct cursor *cursor, struct error *error);

/* Takes the whole step that is in `text`; `path` is what complaints call it. -1 with `error`. */
int step_lines_read(struct step_lines *self, const char *path, const char *text, size_t length,
                    struct error *error);

#endif
