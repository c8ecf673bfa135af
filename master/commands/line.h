/* line.h - a line of a file, taken word by word: words have blanks or tabs between them. A missing
 * or wrong word is reported as "FILE:LINE: expected WHAT, found WORD". */
#ifndef MASTER_LINE_H
#define MASTER_LINE_H

#include "common/error.h"
#include "common/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line {
    const char *path;
    int64_t number;
    char *at;         /* the rest of the line; ends with a NUL, and is cut into words */
    const char *word; /* the last word taken, "" at the end */
    arena_t *arena;   /* holds names and arrays taken from the line */
    struct error *error;
};

bool line_has_more(struct line *self);

/* Takes the next word, which lives as long as the line; "" at the end. */
const char *line_word(struct line *self);

/* -1, with the error of the line: `expected` should stand where the last word is. */
int line_complain(const struct line *self, const char *expected);

/* Take the next word: a whole number from `min` to `max`, or a name of letters, digits and
 * `others`, copied into the arena. -1, with an error that expects `what`, for any other word. */
int line_whole(struct line *self, const char *what, int64_t min, int64_t max, int64_t *number);
int line_small(struct line *self, const char *what, int32_t min, int32_t max, int32_t *number);
int line_name(struct line *self, const char *what, const char *others, const char **name);

/* Takes the rest of the line as ranks of GPUs, in an array of the arena. */
int line_ranks(struct line *self, int32_t **ranks, size_t *count);

/* -1, with the error of the line, if any word is left. */
int line_end(struct line *self);

#endif
