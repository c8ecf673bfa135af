/* job.h - how the run of a submission goes: the engine's record of a job.
 *
 * What a policy remembers of a job is in a table of the policy's own, by job->row. */
#ifndef STATE_JOB_H
#define STATE_JOB_H

#include "scheduler/state/scaling.h"
#include "scheduler/state/submission.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum job_state {
    JOB_SUBMITTED, /* in the trace, not yet decided on */
    JOB_DECLINED,
    JOB_PENDING, /* admitted, never started */
    JOB_RUNNING, /* started, also while it holds no GPU */
    JOB_DONE,
    JOB_FAILED, /* on a real cluster: not tried again */
};

/* The most queues that a policy may have. */
#define QUEUES_MAX 8

/* What a job is done by: its iterations, or the seconds that the trace says it takes. */
enum work_measure { MEASURE_ITERATIONS, MEASURE_SECONDS };

/* What a policy writes down about a job for its next round. */
struct job_note {
    int queue; /* of a multilevel feedback queue, 0 serves first */

    /* Finish-time fairness: work done on a fair share so far, in iterations per unit of share, and
     * what was left and what the share was a round ago, 0 before the first. */
    double fair_work;
    double left_before;
    double share_before;
};

struct job {
    const struct submission *submission;
    uint64_t arrival; /* place in the order of arrival, from 0 */

    /* How the run goes; only the engine and the backend write it. */
    enum job_state state;
    const struct scaling *scaling;
    enum work_measure done_by; /* once it is done */
    double iterations_left;
    double iterations_credited;
    int64_t attained_s;   /* time on its GPUs, overheads aside */
    int64_t resumed_s;    /* since when it holds GPUs without a break */
    bool was_turned_away; /* found no place in the round of its arrival */
    struct job_note note;
    int level;        /* what it holds now: scaling->gpus[level] GPUs */
    int overhead_s;   /* of the interval that is running */
    int64_t start_s;  /* when it was started first */
    int64_t end_s;    /* when its end is due in the event queue; 0 if it never was planned */
    int64_t finish_s; /* when its last iteration is planned, overheads aside */
    double early_s;   /* once it is done: it ended this fraction of a second before end_s */
    int64_t done_s;   /* when its last iteration was done; kept only where that counts (EF-Q33) */
    int64_t gpu_seconds; /* held so far */
    int held;            /* its place in the layout of the cluster, -1 for none */
    bool cached;         /* its ranks ran together before: see backend_sim.h */
    bool visited;
    uint64_t ranks;        /* a digest of the GPUs it holds, 0 for none; and of the round before: */
    uint64_t ranks_before; /* both are kept only where changes are charged (EF-Q20) */
    size_t place;          /* in the view of the round */
    struct event *event;   /* in which its end is due; NULL if in none */
    struct job *event_next;
    struct job *event_previous;

    /* On a real cluster, see engine/disturbance.c. */
    bool assigned;  /* holds GPUs under the orders in force */
    bool disturbed; /* its trainers did otherwise than modelled, and its books follow them since */
    double pace;    /* in the interval that ended: real by expected progress; 0 before the first */
    double uncredited_s; /* of attained_s: what slow trainers did beyond whole seconds, below 1 */
    int64_t disturbed_s; /* when it was last */
    bool was_on_time;
    bool at_risk; /* was admitted, or on time, and is not expected to be any more */
};

/* Negative if `a` comes before `b`, positive if behind, by what they ask for: larger jobs first, equal
 * ones in the order of their arrival. */
static inline int job_compare_size(const struct job *a, const struct job *b)
{
    const int more = a->submission->gpus_requested - b->submission->gpus_requested;

    if (more != 0)
        return more > 0 ? -1 : 1;
    return a->arrival < b->arrival ? -1 : a->arrival > b->arrival;
}

/* When a job that is done ended, to the fraction of a second. */
static inline double job_ended_s(const struct job *job)
{
    return (double)job->end_s - job->early_s;
}

static inline int job_gpus(const struct job *job)
{
    return job->level > 0 ? job->scaling->gpus[job->level] : 0;
}

#endif
