/* holds.h - the times in which a trainer held a GPU for an incarnation of a job. */
#ifndef CHECK_HOLDS_H
#define CHECK_HOLDS_H

#include "tests/e2e/check/run_logs.h"

struct hold {
    const struct log_line *begin;
    const struct log_line
        *end;    /* line of the release, or of the trainer's death; NULL if there is none */
    int64_t pid; /* process of the trainer, -1 if the trainer's log does not name it */
};

struct holds {
    struct hold *items; /* sorted by begin */
    size_t count;
    size_t capacity;
};

/* The holds of a run whose log lines are sorted. */
struct holds *holds_new(const struct run_logs *logs);
void holds_destroy(struct holds **self);

/* Whether the hold lasts at `stamp_us`. */
bool hold_lasts(const struct hold *self, int64_t stamp_us);

/* The process that ended according to the line, whichever process wrote the line; -1 if the line
 * tells no end. */
int64_t line_of_death(const struct log_line *line);

#endif
