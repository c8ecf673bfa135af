/* clang-format off */
/* timeline_report.h - the GPUs of jobs over time, and the use of the cluster.
 *
 *   timeline.csv  time,job_id,pool,gpus,reason
 *                 a line for each change of the allocation of a job, in order of time: the round
 *                 that changed the allocation, the pool that the job is in or was in last, the GPUs
 *                 that the job holds from then on, 0 for none, and why:
 *                   start      its first GPUs
 *                   restart    GPUs again after it held none
 *                   grow       more than before
 *                   shrink     fewer than before, but some
 *                   move       as many, but others
 *                   preempted  none, and it is not over
 *                   node-lost  none, or others, since a node that it stood on left or drains
 *                   done, failed, cancelled, suspended   none, and it is over
 *   cluster.csv   time,gpus_up,gpus_used,jobs_running,jobs_waiting,efficiency
 *                 a line for each round, in order of time: GPUs of nodes that are up and those of
 *                 them that jobs hold, jobs that hold GPUs and admitted ones that hold none, and
 *                 the cluster efficiency, which the published artifact calls "ce": the sum over the
 *                 jobs that hold GPUs of their rate over their rate on one GPU, divided by the GPUs
 *                 of the cluster; empty where a job has no such rates */
/* clang-format on */
#ifndef REPORT_TIMELINE_REPORT_H
#define REPORT_TIMELINE_REPORT_H

#include "common/output.h"
#include "scheduler/state/submission.h"

#include <stddef.h>
#include <stdint.h>

/* Why an allocation changes. */
enum change_reason {
    CHANGE_START,
    CHANGE_RESTART,
    CHANGE_GROW,
    CHANGE_SHRINK,
    CHANGE_MOVE,
    CHANGE_PREEMPTED,
    CHANGE_NODE_LOST,
    CHANGE_DONE,
    CHANGE_FAILED,
    CHANGE_CANCELLED,
    CHANGE_SUSPENDED,
};

struct allocation_change {
    const struct submission *submission;
    const char *pool; /* name of the pool */
    size_t id_length; /* length of the submission's id */
    size_t pool_length;
    int gpus_before;
    int gpus; /* GPUs of the job from now on */
    enum change_reason reason;
};

/* The use of the cluster after a round. */
struct cluster_use {
    int gpus_up;
    int gpus_used;
    int64_t jobs_running; /* number of jobs that hold GPUs */
    int64_t jobs_waiting; /* number of admitted jobs that hold none */
    double efficiency;    /* NaN if unknown */
};

/* Writes the header of each file. */
void timeline_report_begin(output_t *timeline, output_t *cluster);

/* The `count` changes of the round at `now_s`. */
void timeline_report_changes(output_t *out, int64_t now_s, const struct allocation_change changes[],
                             size_t count);

/* The last line of cluster.csv, without its time; all zeros before the first line. */
struct use_line {
    struct cluster_use use;
    size_t length;
    char text[160];
};

/* The line of the round at `now_s`. Most rounds leave the use, and so `last`, unchanged. */
void timeline_report_use(output_t *out, int64_t now_s, const struct cluster_use *use,
                         struct use_line *last);

#endif
