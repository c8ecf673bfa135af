/* foreign.h - jobs of another system's trace: submission, run time and GPUs. Models and deadlines
 * are not kept, because such traces say little about them. */
#ifndef TRACE_IMPORT_FOREIGN_H
#define TRACE_IMPORT_FOREIGN_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FOREIGN_SUBMIT_MAX_S   1e11
#define FOREIGN_DURATION_MAX_S 1e9
#define FOREIGN_GPUS_MAX       1e6

/* The reasons for which a job of the source is left out. */
enum foreign_reason {
    FOREIGN_WITHOUT_DURATION, /* the source does not say how long the job ran */
    FOREIGN_WITHOUT_GPUS,
    FOREIGN_WITHOUT_SUBMISSION,
    FOREIGN_NEVER_RAN, /* no time between start and end */
    FOREIGN_RUNNING,   /* the job has a start and no end */
    FOREIGN_PENDING,   /* the job has neither a start nor an end */
    FOREIGN_CANCELLED, /* the job has an end and no start */
    FOREIGN_REASON_COUNT
};

struct foreign_job {
    const char *name; /* id in the source, with characters that a trace allows; unique after
                         foreign_order */
    double submit_s;
    double duration_s;           /* > 0 */
    double gpus;                 /* > 0; a part of a GPU may be asked for */
    enum foreign_reason unknown; /* reason for a missing duration */
    const char *user;            /* NULL or "" for none, as for the texts below */
    const char *virtual_cluster; /* the source's virtual cluster, partition or queue */
};

typedef struct foreign foreign_t;

foreign_t *foreign_new(void) __attribute__((returns_nonnull));
void foreign_destroy(foreign_t **self);

/* Adds a job, whose texts are copied. A job that asks for no GPU or never ran is counted as left
 * out instead. A missing number is NaN. Returns -1 with `error`, which names `path` and `line`, if
 * a number exceeds the limits of a trace. */
int foreign_add(foreign_t *self, const struct foreign_job *job, const char *path, int64_t line,
                struct error *error);

/* Sorts the jobs by submission, equal times in their order in the source, and makes names unique:
 * the second "a" becomes "a#2". */
void foreign_order(foreign_t *self);

size_t foreign_count(const foreign_t *self);
const struct foreign_job *foreign_at(const foreign_t *self, size_t index);

/* Whether any job has a user, or a virtual cluster. */
bool foreign_has_users(const foreign_t *self);
bool foreign_has_virtual_clusters(const foreign_t *self);

/* foreign_left_out: the number of jobs left out for `reason`. foreign_reason_words: the reason in
 * words, for `count` jobs: "asks for no GPU". */
size_t foreign_left_out(const foreign_t *self, enum foreign_reason reason);
const char *foreign_reason_words(enum foreign_reason reason, size_t count);

/* Sets the run time of the job from `start_s` to `end_s`, NaN for a missing time. A `state` of an
 * ended job, such as "CANCELLED by 1000", says that the job is neither pending nor running; NULL if
 * the state is unknown. */
void foreign_span(struct foreign_job *job, double start_s, double end_s, const char *state);

#endif
