/* decision.h - what came of one step of the engine: a value that drivers carry out, keep and
 * compare.
 *
 * Everything in it is lent until the next step. */
#ifndef ENGINE_DECISION_H
#define ENGINE_DECISION_H

#include "scheduler/state/cluster.h"
#include "scheduler/state/job.h"
#include "scheduler/state/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A job, and what it is told: on its arrival, or that it is promised after all. */
struct decided {
    const struct job *job;
    struct verdict verdict;
};

/* A job that is done. */
struct retirement {
    const struct job *job;
    int64_t on_record_s;       /* when it is on record as retired: this round, or its end */
    enum work_measure done_by; /* not MEASURE_EITHER */
    bool late;
};

/* A job that holds GPUs. */
struct holding {
    const struct job *job;
    struct grant grant; /* with the rate that is expected of the job once the overhead is paid */
    int overhead_s;     /* that it is expected to pay before it goes on */
};

/* Why a job holds no GPU any more. */
enum freed_why { FREED_PAUSED, FREED_DONE, FREED_FAILED, FREED_CANCELLED };

struct release {
    const struct job *job;
    enum freed_why why;
};

/* Something that went otherwise than planned, and what follows from it. */
enum disturbance_kind {
    DISTURBANCE_NODE_UP,
    DISTURBANCE_NODE_DRAINING,
    DISTURBANCE_NODE_DOWN,
    DISTURBANCE_HELD,     /* a job is not tried again */
    DISTURBANCE_SLIPS,    /* a job is not expected to keep its deadline any more */
    DISTURBANCE_AT_RISK,  /* a promise stands, with less than its margin for slow trainers */
    DISTURBANCE_BEHIND,   /* a job did less than was expected of it */
    DISTURBANCE_FALLS,    /* a job is promised a later step of its deadline from now on */
    DISTURBANCE_ORPHANED, /* a job never starts, as one that it waits for did not do its work */
    DISTURBANCE_LAPSED,   /* a quote that was held is over, and was not taken */
};

struct disturbance {
    enum disturbance_kind kind;
    const struct job *job; /* NULL where it is about a node */
    int node;              /* -1 where it is about a job */
    int64_t foreseen_s;    /* slips: the end that is foreseen, NEVER_S if that is open */
    const char *cause;
    enum withdrawal_cause why; /* slips, falls, orphaned: for what, as its cause says in full */
};

/* Whether it is news of a promise that does not stand any more. */
static inline bool disturbance_withdraws(const struct disturbance *self)
{
    return self->job && (self->kind == DISTURBANCE_SLIPS || self->kind == DISTURBANCE_ORPHANED) &&
           self->job->promise.state == PROMISE_WITHDRAWN;
}

/* The word that users read, of disturbances.csv, of records and of the scheduler's log. */
const char *disturbance_word(const struct disturbance *self);

struct decision {
    int64_t now_s;
    int64_t elapsed_s;  /* since the round before */
    int64_t next_s;     /* when the next round is due, NEVER_S if nothing is */
    int64_t round;      /* from 1; 0 if the step came without a round */
    bool restart;       /* all trainers restart */
    size_t live_before; /* jobs were live in the interval that ended */

    const struct decided *decided;
    size_t decided_count;
    const struct retirement *retired;
    size_t retired_count;
    const struct job *const *live; /* in the order of service; NULL if some were set aside */
    const uint64_t *live_numbers;  /* theirs, so that no record is read for them; may be NULL */
    size_t live_count;
    /* Only if the setting of the engine wants them listed. */
    const struct holding *holdings; /* from now on, in the order of service */
    size_t holding_count;
    const struct release *released; /* held GPUs in the last decision, and hold none now */
    size_t released_count;
    const struct disturbance *disturbances;
    size_t disturbance_count;
    const cluster_t *cluster; /* the layout */
};

#endif
