/* verdict.h - the verdict that a job gets after its arrival, and perhaps a second one. */
#ifndef STATE_VERDICT_H
#define STATE_VERDICT_H

#include "scheduler/state/job.h"

#include <stddef.h>
#include <stdint.h>

enum verdict_kind {
    VERDICT_PROMISED,    /* the job will end by its deadline */
    VERDICT_BEST_EFFORT, /* the job runs without a promise */
    VERDICT_DECLINED,    /* the job never runs */

    /* The job had the verdict best effort, and is promised its deadline now. */
    VERDICT_PROMISED_LATER,
};

enum verdict_reason {
    REASON_FITS,        /* a plan meets all deadlines, this one included */
    REASON_NO_DEADLINE, /* the job has no deadline */
    REASON_NO_PROMISES, /* the policy promises nothing */
    REASON_NO_ROOM,     /* no plan was found that meets all deadlines, this one included */
    REASON_TOO_LARGE,   /* the job asks for more GPUs than there are */

    /* The job fits beside all promises, but jobs that are expected to come need the GPUs. */
    REASON_JOBS_TO_COME,

    /* The promise would go beyond the share of its user, or of a group of the user. */
    REASON_PROMISE_SHARE,

    REASON_PARENT, /* a parent of the job did not end as it has to */

    /* The job would be late even alone on the nodes, as some are known to leave before. */
    REASON_NODES_END,

    REASON_FAILED, /* the job failed before the policy decided on it */
};

/* GPU time that recent arrivals need. All zero if it was not looked at. */
struct demand_seen {
    double gpus;    /* mean GPUs in use: GPU-hours per hour */
    int64_t over_s; /* length of the time looked at, up to now; > 0 */
};

/* By how much a promise would be beyond a share, in GPU-seconds; see docs/promises.md. */
struct share_seen {
    const struct job_share *of; /* share of the submission; NULL: no share denied the promise */
    double may;                 /* limit of the share */
    double is;
    double more;    /* need of the job */
    int64_t free_s; /* when there is room for such a job at the latest; DEADLINE_NONE_S: never */
};

#define SEEN_BYTES  160
#define SHARE_BYTES (SEEN_BYTES + 128)

/* Writes the rate for people, in at most SEEN_BYTES, with its part of the `gpus` GPUs that are
 * up. */
void demand_seen_text(const struct demand_seen *seen, int gpus, char *text, size_t size);

/* Writes the figures of a share for people, in GPU-hours and at most SHARE_BYTES, without the
 * time. */
void share_seen_text(const struct share_seen *seen, char *text, size_t size);

/* The cause for which a promise was denied. All zero for other reasons. */
struct denial {
    struct demand_seen rate;
    struct share_seen share;
    int64_t known_until_s; /* until when enough nodes are known to stay */
};

struct verdict {
    enum verdict_kind kind;
    enum verdict_reason reason;
    int64_t promised_s; /* promised deadline, DEADLINE_NONE_S for none */
    int64_t earliest_s; /* earliest deadline that would be promised, DEADLINE_NONE_S if unknown */
    struct demand_seen seen; /* with REASON_JOBS_TO_COME, else zero */
    struct share_seen share; /* with REASON_PROMISE_SHARE, else zero */
    int64_t known_until_s;   /* with REASON_NODES_END: when too few nodes are left; else 0 */
};

static inline struct denial denial_of(const struct verdict *verdict)
{
    return (struct denial){verdict->seen, verdict->share, verdict->known_until_s};
}

/* A verdict without a promise. */
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

/* As verdict_promise for step `step` of a soft deadline. */
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
