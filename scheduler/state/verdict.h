/* verdict.h - what a job is told when it has arrived, and perhaps once more. */
#ifndef STATE_VERDICT_H
#define STATE_VERDICT_H

#include "scheduler/state/job.h"

#include <stdint.h>

enum verdict_kind {
    VERDICT_PROMISED,    /* it will end by its deadline */
    VERDICT_BEST_EFFORT, /* it runs, and nothing is promised */
    VERDICT_DECLINED,    /* it never runs */

    /* It was told that it runs, and is promised now that it will end by its deadline. */
    VERDICT_PROMISED_LATER,
};

enum verdict_reason {
    REASON_FITS,        /* a plan meets all deadlines with it */
    REASON_NO_DEADLINE, /* it has none */
    REASON_NO_PROMISES, /* the policy promises nothing */
    REASON_NO_ROOM,     /* no plan was found that meets all deadlines with it */
    REASON_TOO_LARGE,   /* it asks for more GPUs than there are */
};

struct verdict {
    enum verdict_kind kind;
    enum verdict_reason reason;
    int64_t promised_s; /* the deadline that is promised, DEADLINE_NONE_S for none */
    int64_t earliest_s; /* the earliest one that would be, DEADLINE_NONE_S where that is unknown */
};

/* `job` runs, and is promised its deadline if it has one. */
static inline struct verdict verdict_promise(const struct job *job)
{
    if (job->submission->best_effort)
        return (struct verdict){VERDICT_BEST_EFFORT, REASON_NO_DEADLINE, DEADLINE_NONE_S,
                                DEADLINE_NONE_S};
    return (struct verdict){VERDICT_PROMISED, REASON_FITS, job->submission->deadline_s,
                            DEADLINE_NONE_S};
}

static inline bool verdict_promises(const struct verdict *verdict)
{
    return verdict->kind == VERDICT_PROMISED || verdict->kind == VERDICT_PROMISED_LATER;
}

/* `job` runs, without a promise for `reason` if it has a deadline. */
static inline struct verdict verdict_try(const struct job *job, enum verdict_reason reason)
{
    return (struct verdict){VERDICT_BEST_EFFORT,
                            job->submission->best_effort ? REASON_NO_DEADLINE : reason,
                            DEADLINE_NONE_S, DEADLINE_NONE_S};
}

static inline struct verdict verdict_decline(enum verdict_reason reason)
{
    return (struct verdict){VERDICT_DECLINED, reason, DEADLINE_NONE_S, DEADLINE_NONE_S};
}

#endif
