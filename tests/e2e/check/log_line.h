/* log_line.h - one line of a log as common/log.h lays it out, taken apart. */
#ifndef CHECK_LOG_LINE_H
#define CHECK_LOG_LINE_H

#include "common/error.h"
#include "common/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log_word {
    const char *key;
    const char *value; /* without its quotes */
};

/* Texts live as long as the arena that the line was read into. */
struct log_line {
    const char *file;
    size_t number;    /* of the line, from 1 */
    int64_t stamp_us; /* monotonic */
    const char *program;
    const char *name; /* of the one of its kind, "" without */
    const char *event;
    int64_t job; /* with its run in the upper half; this and the next three: -1 for none */
    int64_t incarnation;
    int64_t node;
    int64_t gpu;
    size_t word_count; /* behind those */
    struct log_word *words;
};

/* Whether `text` begins as a line of a log does; others are what a program said besides. */
bool log_line_looks_like(const char *text);

/* Takes `text` apart. -1, with `error`, if it is not laid out as it should be. */
int log_line_read(const char *text, arena_t *arena, struct log_line *line, struct error *error);

/* A word of the line: NULL, or `otherwise`, if it is not there or is no whole number. */
const char *log_line_text(const struct log_line *line, const char *key);
int64_t log_line_whole(const struct log_line *line, const char *key, int64_t otherwise);

/* Whether it is `event` of `program`. */
bool log_line_is(const struct log_line *line, const char *program, const char *event);

#endif
