/* job.h - how the run of a submission goes: the engine's record of a job.
 *
 * What a policy remembers of a job is in a table of its own, see plan/side_table.h. */
#ifndef STATE_JOB_H
#define STATE_JOB_H

#include "scheduler/state/grant.h"
#include "scheduler/state/promise.h"
#include "scheduler/state/scaling.h"
#include "scheduler/state/speed.h"
#include "scheduler/state/submission.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NOT_STARTED_S INT64_MAX

enum job_state {
    JOB_SUBMITTED, /* not yet decided on */
    JOB_DECLINED,
    JOB_PENDING, /* admitted, never started */
    JOB_RUNNING, /* started, also while it holds no GPU */
    JOB_DONE,
    JOB_FAILED,    /* not tried again */
    JOB_CANCELLED, /* by its user */
    JOB_SUSPENDED, /* by its user, who may submit it again */
};

/* The measure that a job is done by: its iterations, the seconds that it is stated to take, or
 * either of them, whichever comes first. */
enum work_measure { MEASURE_ITERATIONS, MEASURE_SECONDS, MEASURE_EITHER };

/* Where the policy wants a job, if it chooses: on GPUs side by side, from `rank` on, with the nodes
 * counted in an order of the policy's, or as the cluster has them if that is NULL. */
struct seat {
    bool chosen;
    int rank;
    const int *nodes; /* positions; the policy's */
};

/* Only the engine writes it. What each round reads of each job, thousands that wait included, comes
 * first and side by side. */
struct job {
    const struct submission *submission;
    const struct scaling *scaling; /* in the pool of its grant */
    uint64_t number;               /* of the submission */
    uint32_t row; /* among the jobs that are not over yet: used again once this job is */
    enum job_state state;
    int64_t finish_s; /* when its last iteration is planned, overheads aside */
    int64_t end_s;    /* when its end is due; 0 if it never was planned. Once it is done: its end */
    size_t place;     /* in the view of the round */
    struct grant grant; /* what it holds now; its pool: where it is, was last, or could begin */
    bool ended;         /* told in this step: it was done before it lost its GPUs */
    bool deviates;      /* it did otherwise than expected, and its books follow what it did since */
    bool was_in_time;   /* expected to keep its deadline before the last disturbance */
    bool is_retuned;    /* its batch size changes in this round, which is a start */
    bool slips;         /* was in time, and is not expected to be any more */
    int held;           /* its place in the layout of the cluster, -1 for none */
    struct promise promise;
    struct exposure exposure; /* from the last round on; all zero without nodes in reserve */
    struct seat seat;
    uint64_t arrival; /* place in the order of arrival, from 0 */

    const struct scaling *scalings; /* in each pool; without levels where it cannot run */
    double iterations_left;
    double iterations_credited;
    int64_t attained_s;   /* time on its GPUs, overheads aside */
    int64_t gpu_seconds;  /* held so far */
    int64_t node_seconds; /* of the fewest nodes that have them */
    int64_t resumed_s;    /* since when it holds GPUs without a break */
    int64_t start_s;      /* when it was started first, or NOT_STARTED_S */
    double early_s;       /* once it is done: it ended this fraction of a second before end_s */
    int overhead_s;       /* of the interval that is running */
    int late_s;           /* that its last start, resize or move took beyond its charge */
    double pace; /* in the last interval that was told of: real by expected progress, 0 before */
    struct speed *speed;    /* as it was heard of, NULL for as profiled; the table's */
    uint64_t parents_ended; /* a bit for each of its submission that it need not wait for */
    int lost_parent;        /* place from 1 of the first that did not end as it has to; 0: none */
    enum job_state lost_state; /* of that parent */
    uint64_t deviated_step;    /* of the engine, in which it last did */
    const char *trouble;       /* why, lent until the next step */
};

/* Whether the job waits for a parent of its submission, or for any. */
static inline bool job_waits_for(const struct job *job, size_t parent)
{
    return !(job->parents_ended >> parent & 1);
}

static inline bool job_waits(const struct job *job)
{
    for (size_t i = 0; i < job->submission->parent_count; i++)
        if (job_waits_for(job, i))
            return true;
    return false;
}

/* Whether the job is admitted and not over. */
static inline bool job_is_live(const struct job *job)
{
    return job->state == JOB_PENDING || job->state == JOB_RUNNING;
}

static inline bool job_is_over(const struct job *job)
{
    return job->state != JOB_SUBMITTED && !job_is_live(job);
}

/* The scaling of the job on GPUs of `pool`. */
static inline const struct scaling *job_scaling(const struct job *job, int pool)
{
    return pool == job->grant.pool ? job->scaling : &job->scalings[pool];
}

/* The deadline in force: the one that it was promised last, or else the last that it has. */
static inline int64_t job_due_s(const struct job *job)
{
    return job->promise.state == PROMISE_NONE ? submission_last_s(job->submission)
                                              : job->promise.deadline_s;
}

static inline int job_gpus(const struct job *job)
{
    return job->grant.gpus;
}

static inline bool job_holds(const struct job *job)
{
    return job->grant.gpus > 0;
}

/* The iterations that its profile does in the time that the job takes for those that it has left.
 */
static inline double job_profiled_left(const struct job *job)
{
    return job->iterations_left / speed_factor(job->speed);
}

/* Whether the job has trained long enough to tell its own speed. One of which nothing is heard does
 * as its profile says. */
static inline bool job_speed_is_known(const struct job *job)
{
    const struct speed *speed = job->speed;

    return !speed || (speed->heard == 0 && speed->worked_s == 0)
               ? job->attained_s >= (int64_t)SPEED_WINDOWS_KNOWN * SPEED_WINDOW_S
               : speed->heard >= SPEED_WINDOWS_KNOWN;
}

/* Whether the job, which is over, has trained long enough to tell a lag, which is `*lag`. */
static inline bool job_tells_lag(const struct job *job, double *lag)
{
    const struct speed *speed = job->speed;
    const bool is_heard = speed && speed->heard > 0;

    *lag = is_heard ? speed_seen(speed) : 0;
    return is_heard || (!(speed && speed->worked_s > 0) && job->attained_s >= SPEED_WINDOW_S);
}

/* When the job was started first; 0 if it never was. */
static inline int64_t job_started_s(const struct job *job)
{
    return job->start_s == NOT_STARTED_S ? 0 : job->start_s;
}

/* When a job that is done ended, to the fraction of a second. */
static inline double job_ended_s(const struct job *job)
{
    return (double)job->end_s - job->early_s;
}

/* Negative if `a` comes before `b`, positive if after, by what they ask for: larger jobs first,
 * equal ones in the order of their arrival. */
static inline int job_compare_size(const struct job *a, const struct job *b)
{
    const int more = a->submission->gpus_requested - b->submission->gpus_requested;

    if (more != 0)
        return more > 0 ? -1 : 1;
    return a->arrival < b->arrival ? -1 : a->arrival > b->arrival;
}

#endif
