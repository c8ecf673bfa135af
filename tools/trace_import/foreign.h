/* foreign.h - jobs as another system's trace tells them: when a job came, how long it ran, on how
 * many GPUs. What such traces say of models and deadlines differs, or is nothing; it is not kept.
 */
#ifndef TRACE_IMPORT_FOREIGN_H
#define TRACE_IMPORT_FOREIGN_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

#define FOREIGN_SUBMIT_MAX_S   1e11
#define FOREIGN_DURATION_MAX_S 1e9
#define FOREIGN_GPUS_MAX       1e6

struct foreign_job {
    const char *name; /* its id there; in the list of characters that a trace may have, and unique
                         once it is ordered */
    double submit_s;
    double duration_s; /* > 0 */
    double gpus;       /* > 0; a part of a GPU may be asked for */
};

/* Why a job of the source is no job here. */
enum foreign_reason {
    FOREIGN_WITHOUT_GPUS, /* asks for no GPU */
    FOREIGN_NEVER_RAN,    /* no start, no end, or no time between them */
    FOREIGN_REASON_COUNT
};

typedef struct foreign foreign_t;

foreign_t *foreign_new(void) __attribute__((returns_nonnull));
void foreign_destroy(foreign_t **self);

/* Adds a job, whose `name` is copied; one that asks for nothing or never ran is counted as left out
 * instead. NaN stands for what the source does not say. -1 with `error`, which names `path` and
 * `line`, if a number is beyond what a trace may hold. */
int foreign_add(foreign_t *self, const struct foreign_job *job, const char *path, int64_t line,
                struct error *error);

/* Puts the jobs in order of submission, those of one second as they came, and makes each name
 * unique: the second "a" becomes "a#2". */
void foreign_order(foreign_t *self);

size_t foreign_count(const foreign_t *self);
const struct foreign_job *foreign_at(const foreign_t *self, size_t index);

/* How many were left out for `reason`; and the reason in words: "asked for no GPU". */
size_t foreign_left_out(const foreign_t *self, enum foreign_reason reason);
const char *foreign_reason_words(enum foreign_reason reason);

#endif
