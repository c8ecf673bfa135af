/* run_logs.h - the log lines of all processes of a run, in the order of their time. */
#ifndef CHECK_RUN_LOGS_H
#define CHECK_RUN_LOGS_H

#include "tests/e2e/check/findings.h"
#include "tests/e2e/check/log_line.h"

/* A line that belongs to no log: a sentence for people, or a failed assertion. */
struct other_line {
    const char *file;
    size_t number;
    const char *text;
};

struct run_logs {
    arena_t *arena;
    struct log_line
        *lines; /* by rising stamps; lines of one file with the same stamp keep their order */
    size_t line_count;
    size_t line_capacity;
    struct other_line *others;
    size_t other_count;
    size_t other_capacity;
};

struct run_logs *run_logs_new(void);
void run_logs_destroy(struct run_logs **self);

/* Adds the file at `path`, or all files below the folder `path`. Lines that begin like a log line
 * but are torn become findings. -1, with `error`, if a file cannot be read. */
int run_logs_add(struct run_logs *self, const char *path, findings_t *findings,
                 struct error *error);

/* Sorts the lines, after all files were added. */
void run_logs_sort(struct run_logs *self);

#endif
