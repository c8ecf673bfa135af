/* verdict.h - what a job is told when it has arrived, and perhaps once more. */
#ifndef STATE_VERDICT_H
#define STATE_VERDICT_H

#include "scheduler/state/job.h"

#include <stddef.h>
#include <stdint.h>

enum verdict_kind {
    VERDICT_PROMISED,    /* it will end by its deadline */
    VERDICT_BEST_EFFORT, /* it runs, and nothing is promised */
    VERDICT_DECLINED,    /* it never runs */

    /* The job was told that it runs, and is promised now that it will end by its deadline. */
    VERDICT_PROMISED_LATER,
};

enum verdict_reason {
    REASON_FITS,        /* a plan meets all deadlines with it */
    REASON_NO_DEADLINE, /* it has none */
    REASON_NO_PROMISES, /* the policy promises nothing */
    REASON_NO_ROOM,     /* no plan was found that meets all deadlines with it */
    REASON_TOO_LARGE,   /* it asks for more GPUs than there are */

    /* The job fits beside all promises, but jobs that are expected to come need the GPUs. */
    REASON_JOBS_TO_COME,

    /* With it more would be promised ahead to its user, or a group of the user's, than may be. */
    REASON_PROMISE_SHARE,

    REASON_PARENT, /* a job that it waits for did not end as it has to */

    /* Alone on the nodes it would be late, as some of these are known to leave before. */
    REASON_NODES_END,

    REASON_FAILED, /* the job failed before the policy decided on it */
};

/* GPU time that the last arrivals need. All zero: not looked at. */
struct demand_seen {
    double gpus;    /* so many at a time in the mean: GPU-hours per hour */
    int64_t over_s; /* for so long up to now, > 0 */
};

/* By how much a promise would be beyond a share, in GPU-seconds; see docs/promises.md. */
struct share_seen {
    const struct job_share *of; /* the submission's; NULL: not denied for a share */
    double may;                 /* be promised ahead */
    double is;
    double more;    /* that the job needs */
    int64_t free_s; /* from then on there is room for a job like this one, at the latest;
                       DEADLINE_NONE_S: it needs more than the share */
};

#define SEEN_BYTES  160
#define SHARE_BYTES (SEEN_BYTES + 128)

/* The rate, for people, in at most SEEN_BYTES: its share is of `gpus` GPUs, which are there. */
void demand_seen_text(const struct demand_seen *seen, int gpus, char *text, size_t size);

/* The same for people, in GPU-hours, in at most SHARE_BYTES; without the time. */
void share_seen_text(const struct share_seen *seen, char *text, size_t size);

/* By what a promise was denied, for other reasons than those to which promises are made; all zero
 * otherwise. */
struct denial {
    struct demand_seen rate;
    struct share_seen share;
    int64_t known_until_s; /* the nodes that it needs are known until then */
};

struct verdict {
    enum verdict_kind kind;
    enum verdict_reason reason;
    int64_t promised_s; /* the deadline that is promised, DEADLINE_NONE_S for none */
    int64_t earliest_s; /* the earliest one that would be, DEADLINE_NONE_S where that is unknown */
    struct demand_seen seen; /* with REASON_JOBS_TO_COME, else zero */
    struct share_seen share; /* with REASON_PROMISE_SHARE, else zero */
    int64_t known_until_s;   /* with REASON_NODES_END, else 0: when too few nodes are left */
};

static inline struct denial denial_of(const struct verdict *verdict)
{
    return (struct denial){verdict->seen, verdict->share, verdict->known_until_s};
}

/* Without a promise. */
static inline struct verdict verdict_without(enum verdict_kind kind, enum verdict_reason reason)
{
    return (struct verdict){.kind = kind,
                            .reason = reason,
                            .promised_s = DEADLINE_NONE_S,
                            .earliest_s = DEADLINE_NONE_S};
}

/* `job` runs, and is promised its deadline if it has one. */
static inline struct verdict verdict_promise(const struct job *job)
{
    if (job->submission->best_effort)
        return verdict_without(VERDICT_BEST_EFFORT, REASON_NO_DEADLINE);
    return (struct verdict){.kind = VERDICT_PROMISED,
                            .reason = REASON_FITS,
                            .promised_s = job->submission->deadline_s,
                            .earliest_s = DEADLINE_NONE_S};
}

/* The same for that step of a soft deadline. */
static inline struct verdict verdict_promise_step(const struct job *job, int step)
{
    struct verdict verdict = verdict_promise(job);

    if (submission_is_soft(job->submission))
        verdict.promised_s = job->submission->levels[step].deadline_s;
    return verdict;
}

static inline bool verdict_promises(const struct verdict *verdict)
{
    return verdict->kind == VERDICT_PROMISED || verdict->kind == VERDICT_PROMISED_LATER;
}

/* `job` runs, without a promise for `reason` if it has a deadline. */
static inline struct verdict verdict_try(const struct job *job, enum verdict_reason reason)
{
    return verdict_without(VERDICT_BEST_EFFORT,
                           job->submission->best_effort ? REASON_NO_DEADLINE : reason);
}

static inline struct verdict verdict_decline(enum verdict_reason reason)
{
    return verdict_without(VERDICT_DECLINED, reason);
}

#endif
