/* foreign.h - jobs as another system's trace tells them: when a job came, how long it ran, on how
 * many GPUs. What such traces say of models and deadlines differs, or is nothing; it is not kept.
 */
#ifndef TRACE_IMPORT_FOREIGN_H
#define TRACE_IMPORT_FOREIGN_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FOREIGN_SUBMIT_MAX_S   1e11
#define FOREIGN_DURATION_MAX_S 1e9
#define FOREIGN_GPUS_MAX       1e6

/* Why a job of the source is no job here. */
enum foreign_reason {
    FOREIGN_WITHOUT_DURATION, /* the source does not say how long it ran */
    FOREIGN_WITHOUT_GPUS,
    FOREIGN_WITHOUT_SUBMISSION,
    FOREIGN_NEVER_RAN, /* no time between start and end */
    FOREIGN_RUNNING,   /* a start and no end */
    FOREIGN_PENDING,   /* neither */
    FOREIGN_CANCELLED, /* an end and no start */
    FOREIGN_REASON_COUNT
};

struct foreign_job {
    const char *name; /* its id there; in the list of characters that a trace may have, and unique
                         once it is ordered */
    double submit_s;
    double duration_s;           /* > 0 */
    double gpus;                 /* > 0; a part of a GPU may be asked for */
    enum foreign_reason unknown; /* why there is no duration, if there is none */
    const char *user;            /* NULL or "" for none, as every text below */
    const char *virtual_cluster; /* or partition, or queue */
};

typedef struct foreign foreign_t;

foreign_t *foreign_new(void) __attribute__((returns_nonnull));
void foreign_destroy(foreign_t **self);

/* Adds a job, whose texts are copied; one that asks for nothing or never ran is counted as left out
 * instead. NaN stands for what the source does not say. -1 with `error`, which names `path` and
 * `line`, if a number is beyond what a trace may hold. */
int foreign_add(foreign_t *self, const struct foreign_job *job, const char *path, int64_t line,
                struct error *error);

/* Puts the jobs in order of submission, those of one second as they came, and makes each name
 * unique: the second "a" becomes "a#2". */
void foreign_order(foreign_t *self);

size_t foreign_count(const foreign_t *self);
const struct foreign_job *foreign_at(const foreign_t *self, size_t index);

/* Whether any job has a user, or a virtual cluster. */
bool foreign_has_users(const foreign_t *self);
bool foreign_has_virtual_clusters(const foreign_t *self);

/* How many were left out for `reason`; and the reason in words, for so many: "asks for no GPU". */
size_t foreign_left_out(const foreign_t *self, enum foreign_reason reason);
const char *foreign_reason_words(enum foreign_reason reason, size_t count);

/* How long the job ran from `start_s` to `end_s`, NaN for one that the source does not say. A
 * `state` that says that the job is over, as "CANCELLED by 1000", makes it neither pending nor
 * running; NULL for none. */
void foreign_span(struct foreign_job *job, double start_s, double end_s, const char *state);

#endif
