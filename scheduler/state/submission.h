/* submission.h - what a user submits: a training run, its work and perhaps its deadline.
 *
 * A submission never changes. How its run goes is in state/job.h. Times are whole seconds of the
 * trace's own clock: that is the unit of the traces, of the throughput tables and of every formula
 * of the published policies, which round to it. */
#ifndef STATE_SUBMISSION_H
#define STATE_SUBMISSION_H

#include "scheduler/state/cluster_spec.h"
#include "scheduler/state/throughput.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The deadline of a job that has none. */
#define DEADLINE_NONE_S INT64_MAX

/* Later than this no time in an input may be; all arithmetic on times stays exact. */
#define TIME_MAX_S     ((int64_t)1000000000000)
#define ITERATIONS_MAX ((int64_t)1000000000000)

/* A deadline of a job, and what it is worth to meet it, in tenths. */
struct job_level {
    int64_t deadline_s;
    int64_t value;
};

/* The value of a job's only deadline where none is stated; and the most that
 * the value of a job may be, each so many tenths. */
#define LEVEL_VALUE_FULL 10
#define VALUE_MAX        ((int64_t)1000)

/* With what chance a promise holds: that of all promises, or whatever comes. */
#define CONFIDENCE_AS_SET 0
#define CONFIDENCE_NONE   (-1)

/* The highest, in per cent. */
#define CONFIDENCE_MAX 99.9

/* The rows of a job in the tables of several pools; NULL where a table has none. */
struct pool_rows {
    const struct throughput_row *of[CLUSTER_POOLS_MAX];
};

#define SHARE_NAME_MAX 128 /* bytes */

/* The share of the cluster that may be promised ahead at one time to all jobs with a share of this
 * name, see state/promise_shares.h and docs/promises.md. */
struct job_share {
    const char *name;  /* a user, or "@" and a group */
    double of;         /* of what the cluster has; above 0, at most 1 */
    int64_t horizon_s; /* in so many seconds */
};

/* How a parent ended before the engine is told of its child. */
enum parent_end {
    PARENT_OPEN, /* not yet, as far as is known */
    PARENT_DONE,
    PARENT_LOST, /* without having done its work */
};

/* A job that has to end before another one, its child, may start. */
struct parent {
    uint64_t number;
    const char *id;
    bool any; /* however the parent ends; otherwise only once its work is done */
    enum parent_end end;
};

#define PARENTS_MAX 64 /* of a job */

/* A text that a user says of a job, and by which nothing plans. */
struct job_text {
    const char *field; /* its name in documents */
    const char *text;
};

#define JOB_TEXTS_MAX 8

struct submission {
    const char *id;  /* what the user calls it */
    uint64_t number; /* of this job alone, for ever; a trace numbers its rows from 0, a run
                        on a real cluster as protocol/job_number.h has it */
    const struct throughput_row *throughput; /* NULL if the trace was read without tables */
    const struct pool_rows *pool_rows;       /* NULL unless it was read for several pools */
    const char *model;
    int64_t submit_s;
    int64_t deadline_s; /* DEADLINE_NONE_S for best effort */
    int64_t iterations;
    int64_t iterations_done; /* before this submission: it was suspended since */
    uint32_t line;           /* of the trace file */
    int batch_size;
    int gpus_requested; /* 0 if the trace does not say */
    bool best_effort;
    bool promise_or_decline; /* without a promise at its arrival it had better not run */
    double confidence;       /* per cent, of its promise; CONFIDENCE_AS_SET, or CONFIDENCE_NONE */
    int64_t duration_s;      /* what the trace says the job took, -1 if it does not say */

    /* The deadlines of the job, rising: one, or several if the job is soft, which is worth less
     * after each. A job of best effort has none, or one that its trace states all the same. */
    const struct job_level *levels;
    size_t level_count;

    const struct job_share *shares; /* that a promise to the job counts for; none if not limited */
    size_t share_count;
    const struct parent *parents; /* NULL for none */
    size_t parent_count;
    const struct job_text *texts; /* NULL for none */
    size_t text_count;

    /* Of a quote that is held, 0 for a job: its deadline is kept until then, when it lapses unless
     * it was taken before. It holds no GPU. */
    int64_t quoted_until_s;
};

/* Whether it is a quote that is held. */
static inline bool submission_is_quote(const struct submission *job)
{
    return job->quoted_until_s > 0;
}

/* With what chance its promise is to hold, in per cent, where that of all promises is `as_set`; 0:
 * none is asked for. */
static inline double submission_confidence(const struct submission *job, double as_set)
{
    if (job->confidence == CONFIDENCE_AS_SET)
        return as_set;
    return job->confidence > 0 ? job->confidence : 0;
}

/* Whether the job has several deadlines, and is worth less after each. */
static inline bool submission_is_soft(const struct submission *job)
{
    return !job->best_effort && job->level_count > 1;
}

/* The last of its deadlines, until which the job is worth something; DEADLINE_NONE_S for a job of
 * best effort. */
static inline int64_t submission_last_s(const struct submission *job)
{
    return submission_is_soft(job) ? job->levels[job->level_count - 1].deadline_s : job->deadline_s;
}

/* The submissions of a trace, in the order of their arrival. */
typedef struct submissions submissions_t;

submissions_t *submissions_new(void);
void submissions_destroy(submissions_t **self);

/* Adds a copy of `job`, its texts, levels, rows and parents included. */
void submissions_append(submissions_t *self, const struct submission *job);

/* Keeps a copy of `row`, of a job that no table knows, as long as the submissions; its model is
 * that of the table's caller, copied too. */
const struct throughput_row *submissions_keep_row(submissions_t *self,
                                                  const struct throughput_row *row);

/* Puts them in order of arrival; those that arrive together keep the order of the trace. */
void submissions_sort(submissions_t *self);

size_t submissions_count(const submissions_t *self);
struct submission *submissions_at(submissions_t *self, size_t index);

/* The first one with the id of one before it, and that one in `first`; NULL if there is
 * none. */
const struct submission *submissions_repeated(const submissions_t *self,
                                              const struct submission **first);

#endif
