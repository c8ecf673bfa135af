/* holds.h - from when to when a trainer held a GPU for an incarnation of a job. */
#ifndef CHECK_HOLDS_H
#define CHECK_HOLDS_H

#include "tests/e2e/check/run_logs.h"

struct hold {
    const struct log_line *begin;
    const struct log_line *end; /* its release, or where its trainer's death was seen; NULL: none */
    int64_t pid;                /* of the trainer, -1 if its log does not say */
};

struct holds {
    struct hold *items; /* by their begin */
    size_t count;
    size_t capacity;
};

/* The holds of a run whose lines are in order. */
struct holds *holds_new(const struct run_logs *logs);
void holds_destroy(struct holds **self);

/* Whether it lasted at that moment. */
bool hold_lasts(const struct hold *self, int64_t stamp_us);

/* The process that a line says is gone, whichever process saw it; -1 if the line says nothing of
 * the kind. */
int64_t line_of_death(const struct log_line *line);

#endif
