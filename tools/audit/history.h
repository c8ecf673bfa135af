/* history.h - the intervals in which each job held GPUs by the layouts, and the work that its GPUs
 * could do. The policy decides how much of an interval is overhead: from zero to the longest
 * overhead of a job of that size. */
#ifndef AUDIT_HISTORY_H
#define AUDIT_HISTORY_H

#include "tools/audit/case.h"

#include <stdbool.h>
#include <stdint.h>

/* The time from a round whose layout has the job to the next round. */
struct audit_interval {
    int64_t from_s;
    int64_t until_s;
    int64_t gpus;
    int64_t own_gpus;  /* 0 if the GPUs are counted for another job */
    double rate;       /* iterations/s; 1 if the work is counted in seconds on these GPUs */
    double overhead_s; /* longest overhead of the interval */
};

struct audit_history {
    const struct audit_record *record;   /* first record of the job; NULL if there is none */
    const struct audit_work *work;       /* first work of the job; NULL if there is none */
    const struct audit_outcome *outcome; /* first outcome of the job; NULL if there is none */
    bool held;
    int64_t first_held_s;
    int64_t gpu_seconds;
    double most;        /* work in all intervals without any overhead */
    double most_by_end; /* the same work up to the end in the record */
    double least; /* work in all intervals but the last, if each begins with the longest overhead */
    struct audit_interval last;
};

/* The history of each job of the trace, in an array that the caller frees. */
struct audit_history *audit_histories_new(const struct audit_case *given);

/* Whether the job had no work, so that it was done when it started. */
bool audit_is_empty(const struct audit_record *record);

/* Whether a round took place at `at_s`. The rounds must be in order of time. */
bool audit_is_round(const struct audit_case *given, int64_t at_s);

/* Iterations/s on `gpus` GPUs, 0 if no rate was measured. */
double audit_rate(const struct audit_rates *rates, int64_t gpus);

/* All GPUs of a job in a layout. */
struct audit_holding {
    size_t job;
    int64_t gpus;
    bool shares; /* the GPUs are counted for another job */
};

/* Sets `current`, by job, to the last row of grants.csv for the job up to `at_s`, or leaves it NULL
 * before the job's first row. `*next` is the first row that was not read yet. */
void audit_follow_grants(const struct audit_case *given, int64_t at_s, size_t *next,
                         const struct audit_grant *current[]);

/* Sums up the runs of each job in `round`. `holdings` has room for all runs. `place` has an entry
 * for each job of the trace, all SIZE_MAX before and after the call. Runs of unknown jobs are
 * skipped. Returns the number of holdings. */
size_t audit_holdings(const struct audit_case *given, const struct audit_round *round,
                      struct audit_holding holdings[], size_t place[]);

/* Whether jobs share GPUs in `round` or in the round before, so that some GPU has several
 * holders. */
bool audit_shares(const struct audit_case *given, const struct audit_round *round);

/* How many GPUs of `run` the job of `run` held in the round before `round`. */
int64_t audit_kept(const struct audit_case *given, const struct audit_round *round,
                   const struct audit_run *run);

/* The largest number of runs in a round. */
size_t audit_runs_most(const struct audit_case *given);

#endif
