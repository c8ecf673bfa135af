/* case.h - the inputs of an audit: the trace and cluster that the scheduler got, and the results
 * that it wrote.
 *
 * The readers are the auditor's own. They complain only about unreadable files; the checks judge
 * the contents. Times are whole seconds. */
#ifndef AUDIT_CASE_H
#define AUDIT_CASE_H

#include "common/error.h"
#include "common/memory.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AUDIT_DEADLINE_NONE_S INT64_MAX
#define AUDIT_NO_JOB          SIZE_MAX
#define AUDIT_LEVELS_MAX      32
#define AUDIT_DEADLINES_MAX   16

/* How fast one model trains at one global batch size. */
struct audit_rates {
    const char *model;
    int64_t batch_size;
    int count;
    int64_t gpus[AUDIT_LEVELS_MAX];
    double iters_per_s[AUDIT_LEVELS_MAX]; /* NaN where nothing was measured. A measured rate may be
                                             0 */
};

struct audit_rate_table {
    struct audit_rates *items;
    size_t count;
    size_t capacity;
    const char *path; /* path of the file or folder; NULL for none */
};

/* A row of the trace. */
struct audit_job {
    const char *id;
    const char *model;
    int64_t submit_s;
    int64_t deadline_s; /* AUDIT_DEADLINE_NONE_S for best effort */
    int64_t iterations;
    int64_t batch_size;
    int64_t gpus;       /* GPUs that the job asks for, 0 if the trace does not say */
    int64_t duration_s; /* duration on those GPUs, -1 if the trace does not say */
    bool best_effort;
    bool promise_or_decline;
    const char *after; /* ids of its parents, which must be done first; NULL for none */
    int64_t value;     /* value of meeting its deadline */
    const struct audit_rates *rates; /* NULL if there are no throughputs */

    /* Rising deadlines: one for a job with a plain deadline, several for a soft deadline, none for
     * best effort. A best-effort row that states a deadline keeps it nevertheless (CH-Q9). */
    const int64_t *deadlines_s;
    int64_t past_deadline_s; /* a deadline before the submission, for which the submission stands in
                                `deadlines_s`; -1 if there is none */
    const int64_t *values;   /* value by each deadline, in tenths; NULL if `value` holds for all */
    size_t deadline_count;
};

/* A row of jobs.csv. */
struct audit_record {
    const char *id;
    size_t job; /* row in the trace, AUDIT_NO_JOB for an unknown id */
    int64_t retired_at_s;
    int64_t gpus_at_end;
    int64_t submit_s;
    int64_t start_s;
    int64_t end_s;  /* rounded up */
    double ended_s; /* may be a fraction: policies with leases end jobs between whole seconds */
    int64_t deadline_s;
    bool best_effort;
};

/* A row of work.csv. */
struct audit_work {
    const char *id;
    size_t job;
    bool in_seconds; /* work is counted in seconds, not in iterations */
    int64_t asked;
    double credited;
    int64_t gpu_seconds;
};

enum audit_verdict { AUDIT_PROMISED, AUDIT_BEST_EFFORT, AUDIT_DECLINED, AUDIT_PROMISED_LATER };
enum audit_reason {
    AUDIT_FITS,
    AUDIT_NO_DEADLINE,
    AUDIT_NO_PROMISES,
    AUDIT_NO_ROOM,
    AUDIT_TOO_LARGE,
    AUDIT_JOBS_TO_COME,
    AUDIT_PROMISE_SHARE,
    AUDIT_PARENT,
    AUDIT_NODES_END,
    AUDIT_FAILED_UNDECIDED, /* the job failed before its decision */
};
enum audit_end {
    AUDIT_NO_END, /* the job was declined */
    AUDIT_ON_TIME,
    AUDIT_LATE,
    AUDIT_DONE,
    AUDIT_FAILED,
    AUDIT_CANCELLED,
    AUDIT_UNFINISHED,
};

/* A row of outcomes.csv. */
struct audit_outcome {
    const char *id;
    size_t job;
    int64_t decided_s;
    enum audit_verdict verdict;
    enum audit_reason reason;
    int64_t promised_s; /* AUDIT_DEADLINE_NONE_S if the cell is empty */
    enum audit_end end;
    const char *reason_word;
    bool has_slacks;     /* the file has the column */
    int64_t slack_s;     /* AUDIT_DEADLINE_NONE_S if the cell is empty */
    const char *history; /* NULL in files without the column */
};

static inline bool audit_is_promised(const struct audit_outcome *outcome)
{
    return outcome->verdict == AUDIT_PROMISED || outcome->verdict == AUDIT_PROMISED_LATER;
}

/* A row of grants.csv. */
struct audit_grant {
    int64_t at_s;
    size_t job;
    int64_t gpus;
    double rate;
    int64_t overhead_s;
};

/* JOB@RANKxGPUS of rounds.csv. JOB&JOB@RANKxGPUS makes one run for each of its jobs. */
struct audit_run {
    size_t job;  /* row in the trace; may lie beyond its end */
    bool shares; /* the GPUs are counted for the first of the jobs that share them */
    int64_t rank;
    int64_t gpus;
};

/* A row of rounds.csv. */
struct audit_round {
    int64_t at_s;
    int64_t line; /* line in the file */
    size_t first_run;
    size_t run_count;
};

/* In the order of their words in result_files.c. A change with a reason from AUDIT_NODE_LOST on, or
 * with AUDIT_PREEMPTED, may leave the job without GPUs. */
enum audit_change_reason {
    AUDIT_START,
    AUDIT_RESTART,
    AUDIT_GROW,
    AUDIT_SHRINK,
    AUDIT_MOVE,
    AUDIT_PREEMPTED,
    AUDIT_NODE_LOST,
    AUDIT_CHANGE_DONE,
    AUDIT_CHANGE_FAILED,
    AUDIT_CHANGE_CANCELLED,
    AUDIT_CHANGE_SUSPENDED,
};

/* A row of timeline.csv. */
struct audit_change {
    const char *id;
    size_t job;
    int64_t at_s;
    int64_t line; /* line in the file */
    int64_t gpus;
    const char *pool;
    enum audit_change_reason reason;
};

/* A row of cluster.csv. */
struct audit_use {
    int64_t at_s;
    int64_t line; /* line in the file */
    int64_t gpus_up;
    int64_t gpus_used;
    int64_t jobs_running;
    int64_t jobs_waiting;
    double efficiency; /* NaN if the cell is empty */
};

/* Figures of disturbances and waiting, as docs/metrics.md defines them. */
struct audit_metrics {
    bool present; /* false for summaries of older versions */
    int64_t preemptions;
    int64_t migrations;
    int64_t resizes;
    double queueing_delay_mean_s;
    double queueing_delay_p99_s;
    size_t queues;         /* number of queues of the policy, 0 if it has none */
    int64_t service_gpu_s; /* attained service in all queues */
};

/* How a simulated world differed from its tables. */
struct audit_world {
    bool loses_work; /* nodes fail */
    double slowest;  /* real speed by profiled speed, of the slowest job */
    double fastest;
    double overhead_factor;
};

/* The fields of summary.json. */
struct audit_summary {
    struct audit_world world;
    struct audit_metrics metrics;
    const char *policy;
    const char *rules; /* "reference" if the summary names none */
    const char *trace;
    const char *cluster; /* NULL without a file */
    const char *gpu_type;
    const char *throughputs; /* NULL for none */
    int64_t switches;
    int64_t nodes;
    int64_t gpus;
    int64_t jobs;
    int64_t deadline_jobs;
    bool promises; /* the policy promises deadlines */
    int64_t on_time;
    int64_t promised;
    int64_t promised_at_arrival;
    int64_t promised_later;
    int64_t
        withdrawn; /* jobs whose promise was withdrawn. Both are -1 in summaries of older runs */
    int64_t withdrawals;
    int64_t broken;
    int64_t best_effort_on_time;
    double on_time_share;
    double value_on_time;
    int64_t accepted;
    int64_t declined;
    int64_t finished;
    int64_t makespan_s;
    int64_t rounds;
    double deadline_satisfaction;
    double jct_mean_s;
    double jct_p99_s;
    double gpu_utilisation;
};

/* The fields of the cluster file. */
struct audit_cluster {
    int64_t switches;
    int64_t nodes; /* nodes of all switches */
    int64_t gpus_per_node;
    int64_t gpus; /* GPUs of all nodes */
};

struct audit_case {
    arena_t *texts;
    json_t *document; /* summary.json */
    struct audit_summary summary;
    struct audit_cluster cluster;
    struct audit_rate_table rates;
    struct audit_job *jobs;
    size_t job_count;
    struct audit_record *records;
    size_t record_count;
    struct audit_work *works;
    size_t work_count;
    struct audit_outcome *outcomes;
    size_t outcome_count;
    struct audit_round *rounds;
    size_t round_count;
    struct audit_run *runs;
    size_t run_count;
    size_t run_capacity;
    bool has_timeline; /* timeline.csv and cluster.csv, which older runs left out */
    struct audit_change *changes;
    size_t change_count;
    struct audit_use *uses;
    size_t use_count;
    struct audit_grant *grants; /* in the order of time */
    size_t grant_count;
    bool has_grants; /* the policy gave grants of its own */
    size_t *by_id;   /* rows of the trace ordered by id */
    int64_t first_submit_s;
    bool states_values; /* the trace states values of jobs */
};

/* The files to read; NULL takes the file that summary.json names. */
struct audit_inputs {
    const char *folder;
    const char *trace;
    const char *cluster;
    const char *throughputs;
    const char *gpu_type;
};

/* Reads everything. NULL, with `error` set, if a file cannot be read. */
struct audit_case *audit_case_read(const struct audit_inputs *inputs, struct error *error);
void audit_case_destroy(struct audit_case **self);

/* The row of the trace whose id is `id`, AUDIT_NO_JOB if there is none. */
size_t audit_case_find(const struct audit_case *self, const char *id);

/* The id of a row of the trace, or "#ROW" (in `text`) for one that does not exist. */
struct audit_row_name {
    char text[32];
};
const char *audit_case_name(const struct audit_case *self, size_t job, struct audit_row_name *name);

/* The path of `file` relative to `folder`, in which the run was started; relative to the current
 * folder if `folder` is NULL or has no such file. */
const char *audit_seen_from(struct audit_case *self, const char *folder, const char *file);

/* The parts of audit_case_read, one for each kind of file. */
int audit_read_summary(struct audit_case *self, const char *folder, struct error *error);
int audit_read_cluster(struct audit_case *self, const char *path, struct error *error);
int audit_read_rates(struct audit_case *self, const char *path, const char *gpu_type,
                     struct error *error);
int audit_read_trace(struct audit_case *self, const char *path, struct error *error);
int audit_read_results(struct audit_case *self, const char *folder, struct error *error);

#endif
