/* run_logs.h - what all processes of a run wrote, in the order in which it happened. */
#ifndef CHECK_RUN_LOGS_H
#define CHECK_RUN_LOGS_H

#include "tests/e2e/check/findings.h"
#include "tests/e2e/check/log_line.h"

/* A line that is none of a log: a sentence for people, a failed assertion. */
struct other_line {
    const char *file;
    size_t number;
    const char *text;
};

struct run_logs {
    arena_t *arena;
    struct log_line
        *lines; /* by rising stamps; lines of one file with the same stamp as they stand there */
    size_t line_count;
    size_t line_capacity;
    struct other_line *others;
    size_t other_count;
    size_t other_capacity;
};

struct run_logs *run_logs_new(void);
void run_logs_destroy(struct run_logs **self);

/* Adds the file at `path`, or all files of the folder there and of the folders in it. Lines that
 * begin as those of a log do but are torn are findings. -1, with `error`, if it cannot be read. */
int run_logs_add(struct run_logs *self, const char *path, findings_t *findings,
                 struct error *error);

/* Puts the lines in order, when all have been added. */
void run_logs_sort(struct run_logs *self);

#endif
