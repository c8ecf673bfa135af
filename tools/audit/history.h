/* history.h - what the layouts alone say of each job: when it held GPUs, and what it could have
 * done with them. */
#ifndef AUDIT_HISTORY_H
#define AUDIT_HISTORY_H

#include "tools/audit/case.h"
#include "tools/audit/rules.h"

#include <stdbool.h>
#include <stdint.h>

/* From one round to the next, or to the retirement. */
struct audit_interval {
    int64_t from_s;
    int64_t gpus;
    int64_t overhead_s;
    double rate;
};

struct audit_history {
    const struct audit_record *record; /* the first one; NULL if there is none */
    const struct audit_work *work;     /* likewise */
    int64_t retired_s; /* the round that took it off the cluster; only with a record */
    bool held;
    int64_t first_held_s;
    int64_t last_held_s;
    int64_t gpu_seconds; /* up to its retirement */

    /* The iterations that all intervals but the last allow, their overheads taken off: an interval
     * that is shorter than its overhead allows none (EF-Q15). */
    double iterations;

    /* Whether some of that may have been cut off at a planned finish (EF-Q14). A cut leaves at most
     * what can be done in the longest overhead; as long as more is left, there was none. */
    bool may_be_cut;

    struct audit_interval last; /* the one that ends with the retirement; 0 GPUs if it held none */
};

/* One for each job of the trace, as an array that the caller frees. */
struct audit_history *audit_histories_new(const struct audit_case *given,
                                          const struct audit_policy *policy);

/* How many rounds there are before `at_s`, if they are in order of time. */
size_t audit_rounds_before(const struct audit_case *given, int64_t at_s);

bool audit_is_round(const struct audit_case *given, int64_t at_s);

/* A job in a layout: all its GPUs together. */
struct audit_holding {
    size_t job;
    int64_t first_rank;
    int64_t gpus;
    uint64_t ranks; /* a digest of which ones */
};

/* Sums up the runs of each job in `round`. `holdings` has room for one for each run, `place` one
 * for each job of the trace, all SIZE_MAX, and is left so. Runs of unknown jobs are passed over.
 * Returns how many there are. */
size_t audit_holdings(const struct audit_case *given, const struct audit_round *round,
                      struct audit_holding holdings[], size_t place[]);

/* The most runs that a round has. */
size_t audit_runs_most(const struct audit_case *given);

#endif
