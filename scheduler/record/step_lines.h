/* step_lines.h - reads back what step_text.h writes, line by line or at once from memory. */
#ifndef RECORD_STEP_LINES_H
#define RECORD_STEP_LINES_H

#include "scheduler/record/occurrence_lines.h"

/* The occurrences of one step. */
struct step_lines {
    struct known known;
    arena_t *texts; /* texts of the current step */
    struct recorded *items;
    size_t count;
    size_t room;
};

void step_lines_open(struct step_lines *self);
void step_lines_close(struct step_lines *self);

/* Begins another step: occurrences of earlier lines are dropped, submissions and rows stay. */
void step_lines_clear(struct step_lines *self);

/* Takes a line that begins with "row" or "<". 1; 0 for any other; -1 with `error`. */
int step_lines_take(struct step_lines *self, struct cursor *cursor, struct error *error);

/* Reads the whole step in `text`; complaints call it `path`. -1 with `error`. */
int step_lines_read(struct step_lines *self, const char *path, const char *text, size_t length,
                    struct error *error);

#endif
