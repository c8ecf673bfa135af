/* line.h - a line of a file, taken word by word: words have blanks or tabs between them. Whatever
 * is expected and not found is said as "FILE:LINE: expected WHAT, found WORD". */
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
    char *at;         /* what is left; ends with a NUL, and is cut into words */
    const char *word; /* the last one taken, "" at the end */
    arena_t *arena;   /* of what is kept of it */
    struct error *error;
};

bool line_has_more(struct line *self);

/* Takes the next word, which lives as long as the line; "" if there is none. */
const char *line_word(struct line *self);

/* -1, with the error of the line: what was expected in the place of the last word. */
int line_complain(const struct line *self, const char *expected);

/* Take the next word: a whole number from `min` to `max`, or a name of letters, digits and
 * `others`, which becomes the arena's. -1, with the error of the line, if it is something else than
 * `what`. */
int line_whole(struct line *self, const char *what, int64_t min, int64_t max, int64_t *number);
int line_small(struct line *self, const char *what, int32_t min, int32_t max, int32_t *number);
int line_name(struct line *self, const char *what, const char *others, const char **name);

/* Takes all that is left as ranks of GPUs, which become the arena's. */
int line_ranks(struct line *self, int32_t **ranks, size_t *count);

/* -1, with the error of the line, if anything is left. */
int line_end(struct line *self);

#endif
