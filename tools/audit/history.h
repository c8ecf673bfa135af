/* history.h - what the layouts say of each job: when it held GPUs, and what it could have done with
 * them. How much of an interval overheads take is the policy's affair; all lie between nothing and
 * the longest overhead that a job of its size can have. */
#ifndef AUDIT_HISTORY_H
#define AUDIT_HISTORY_H

#include "tools/audit/case.h"

#include <stdbool.h>
#include <stdint.h>

/* From one round that has the job in its layout to the next round. */
struct audit_interval {
    int64_t from_s;
    int64_t until_s;
    int64_t gpus;
    double rate; /* iterations/s, or 1 if the job is measured in seconds on its GPUs */
};

struct audit_history {
    const struct audit_record *record;   /* the first one; NULL if there is none */
    const struct audit_work *work;       /* likewise */
    const struct audit_outcome *outcome; /* likewise */
    bool held;
    int64_t first_held_s;
    int64_t gpu_seconds;
    double most;        /* work that the intervals allow if nothing costs an overhead */
    double most_by_end; /* the same up to the end in the record */
    double least;       /* of all intervals but the last, if each costs the longest overhead */
    struct audit_interval last;
};

/* One for each job of the trace, as an array that the caller frees. */
struct audit_history *audit_histories_new(const struct audit_case *given);

/* Whether the job asked for nothing, so that it was done when it started. */
bool audit_is_empty(const struct audit_record *record);

/* Whether there is a round at `at_s`, if they are in order of time. */
bool audit_is_round(const struct audit_case *given, int64_t at_s);

/* Iterations/s on so many GPUs, 0 where nothing was measured. */
double audit_rate(const struct audit_rates *rates, int64_t gpus);

/* A job in a layout: all its GPUs together. */
struct audit_holding {
    size_t job;
    int64_t gpus;
};

/* Sums up the runs of each job in `round`. `holdings` has room for one for each run, `place` one
 * for each job of the trace, all SIZE_MAX, and is left so. Runs of unknown jobs are passed over.
 * Returns how many there are. */
size_t audit_holdings(const struct audit_case *given, const struct audit_round *round,
                      struct audit_holding holdings[], size_t place[]);

/* The most runs that a round has. */
size_t audit_runs_most(const struct audit_case *given);

#endif
