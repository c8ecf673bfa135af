/* decision.h - the decision of one step of the engine: a value that drivers carry out, keep and
 * compare. All pointers in it are lent until the next step. */
#ifndef ENGINE_DECISION_H
#define ENGINE_DECISION_H

#include "scheduler/state/cluster.h"
#include "scheduler/state/job.h"
#include "scheduler/state/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A job with its verdict: on its arrival, or a later promise. */
struct decided {
    const struct job *job;
    struct verdict verdict;
};

/* A job that is done. */
struct retirement {
    const struct job *job;
    int64_t on_record_s;       /* retirement time on record: that of this round, or the job's end */
    enum work_measure done_by; /* not MEASURE_EITHER */
    bool late;
};

/* A job that holds GPUs. */
struct holding {
    const struct job *job;
    struct grant grant; /* expected overhead before it goes on */
    int overhead_s;     /* expected iterations/s after the overhead */
};

/* Why a job holds no GPU any more. */
enum freed_why { FREED_PAUSED, FREED_DONE, FREED_FAILED, FREED_CANCELLED };

struct release {
    const struct job *job;
    enum freed_why why;
};

/* A deviation from the plan, and its consequences. */
enum disturbance_kind {
    DISTURBANCE_NODE_UP,
    DISTURBANCE_NODE_DRAINING,
    DISTURBANCE_NODE_DOWN,
    DISTURBANCE_HELD,     /* a job is not tried again */
    DISTURBANCE_SLIPS,    /* a job is not expected to meet its deadline any more */
    DISTURBANCE_AT_RISK,  /* a promise stands, with less than its margin for slow trainers */
    DISTURBANCE_BEHIND,   /* a job made less progress than expected */
    DISTURBANCE_FALLS,    /* a job is promised a later step of its deadline from now on */
    DISTURBANCE_ORPHANED, /* a job never starts, as a job that it waits for did not do its work */
    DISTURBANCE_LAPSED,   /* a held quote expired unused */
};

struct disturbance {
    enum disturbance_kind kind;
    const struct job *job; /* NULL for a disturbance of a node */
    int node;              /* -1 for a disturbance of a job */
    int64_t foreseen_s;    /* slips: the expected end, NEVER_S if open */
    const char *cause;
    enum withdrawal_cause why; /* slips, falls, orphaned: kind of the cause; `cause` is its
                                  sentence */
};

/* Whether the disturbance withdraws a promise. */
static inline bool disturbance_withdraws(const struct disturbance *self)
{
    return self->job && (self->kind == DISTURBANCE_SLIPS || self->kind == DISTURBANCE_ORPHANED) &&
           self->job->promise.state == PROMISE_WITHDRAWN;
}

/* The word in disturbances.csv, in records and in the scheduler's log. */
const char *disturbance_word(const struct disturbance *self);

struct decision {
    int64_t now_s;
    int64_t elapsed_s;  /* since the round before */
    int64_t next_s;     /* when the next round is due, NEVER_S if nothing is */
    int64_t round;      /* from 1; 0 if the step came without a round */
    bool restart;       /* all trainers restart */
    size_t live_before; /* number of jobs live in the interval that ended */

    const struct decided *decided;
    size_t decided_count;
    const struct retirement *retired;
    size_t retired_count;
    const struct job *const *live; /* in the order of service; NULL if some were set aside */
    const uint64_t *live_numbers;  /* numbers of `live`, so that no record is read for them; may be
                                      NULL */
    size_t live_count;
    /* Listed only if the engine's setting wants it. */
    const struct holding *holdings; /* from now on, in the order of service */
    size_t holding_count;
    const struct release *released; /* held GPUs in the last decision, and hold none now */
    size_t released_count;
    const struct disturbance *disturbances;
    size_t disturbance_count;
    const cluster_t *cluster; /* the layout */
};

#endif
