/* log_line.h - the parts of a log line in the format of common/log.h. */
#ifndef CHECK_LOG_LINE_H
#define CHECK_LOG_LINE_H

#include "common/error.h"
#include "common/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log_word {
    const char *key;
    const char *value; /* without the quotes around it */
};

/* The texts live as long as the arena that log_line_read was given. */
struct log_line {
    const char *file;
    size_t number;    /* number of the line in the file, from 1 */
    int64_t stamp_us; /* monotonic clock */
    const char *program;
    const char *name; /* name of the process among those of the program, "" if it has none */
    const char *event;
    int64_t job; /* run in the upper half, job in the lower; -1 for none, as in the next three */
    int64_t incarnation;
    int64_t node;
    int64_t gpu;
    size_t word_count; /* words behind these fields */
    struct log_word *words;
};

/* Whether `text` begins like a log line. Other lines are output of a program beside its log. */
bool log_line_looks_like(const char *text);

/* Reads `text` into `line`. -1, with `error`, if `text` is not in the format of a log. */
int log_line_read(const char *text, arena_t *arena, struct log_line *line, struct error *error);

/* The value of `key`. NULL, or `otherwise`, if the line has no such word or its value is no whole
 * number. */
const char *log_line_text(const struct log_line *line, const char *key);
int64_t log_line_whole(const struct log_line *line, const char *key, int64_t otherwise);

/* Whether the line tells `event` of `program`. */
bool log_line_is(const struct log_line *line, const char *program, const char *event);

#endif
