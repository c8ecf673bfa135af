/* clang-format off */
/* report.h - the results of a run: jobs.csv, rounds.csv, work.csv and summary.json in a folder,
 * and the figures that are compared.
 *
 *   jobs.csv      retired_at,job_id,gpus_at_end,submit_time,start_time,end_time,deadline,best_effort
 *                 in the order of retirement; a job that never ran is absent. retired_at is the round
 *                 that saw its end, under a policy that retires so the end itself; end_time has a
 *                 fraction where starts cost one
 *   rounds.csv    time,layout after each placement: JOB@RANKxGPUS for each run of GPUs, JOB being
 *                 the row of the trace from 0, RANK the first GPU counted through all nodes;
 *                 JOB&JOB@RANKxGPUS where jobs share GPUs, which are counted for the first
 *   work.csv      job_id,measure,asked,credited,gpu_seconds in the order of retirement: what the job
 *                 was done by ("iterations" or "seconds"), how much of that it asked for, how much
 *                 the run credited, and the GPU time that it took
 *   outcomes.csv  see outcome_report.h
 *   timeline.csv, cluster.csv  see timeline_report.h
 *   summary.json  the inputs and the figures below
 *
 * A policy may add files of its own (policies/policy_report.h), a run on a real cluster or in a
 * world that is not as the tables have it
 *
 *   disturbances.csv  time,event,job_id,node,cause of all that went otherwise than planned
 *
 * or of one whose policy gives grants of its own
 *
 *   grants.csv    see grant_report.h
 *
 * and, if it was interrupted, "interrupted": true in summary.json: the files then end with the last
 * round. */
/* clang-format on */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "common/error.h"
#include "scheduler/bound/trace_bounds.h"
#include "scheduler/policies/policy_figures.h"
#include "scheduler/report/files_read.h"
#include "scheduler/report/outcome_report.h"
#include "scheduler/report/timeline_report.h"
#include "scheduler/report/use_curve.h"
#include "scheduler/state/cluster.h"
#include "scheduler/state/job.h"
#include "scheduler/state/world_setting.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* The most queues that a policy may have. */
#define REPORT_QUEUES_MAX 8

/* Figures of a policy's own. */
struct own_figures {
    const struct policy_figures *table; /* NULL for none; `values` is then undefined */
    _Alignas(max_align_t) char values[POLICY_FIGURES_BYTES];
};

/* The figures of a run. Times in seconds of the trace. */
struct figures {
    int64_t jobs;
    int64_t deadline_jobs; /* number of jobs with a deadline */
    struct outcome_figures outcomes;
    double on_time_share; /* on time / deadline_jobs; 0 without such jobs */
    int64_t accepted;     /* started and not found late: the artifact's counter */
    int64_t declined;
    int64_t finished;
    double deadline_satisfaction; /* accepted / deadline_jobs; 0 without such jobs */
    double jct_mean_s;            /* mean over finished jobs, from submission to end */
    double jct_p99_s;             /* nearest rank */
    int64_t makespan_s;           /* from first submission to last retirement */
    double gpu_utilisation;       /* GPU seconds held / (GPUs x makespan) */
    int64_t rounds;
    double wall_s;
    bool interrupted; /* the run was stopped early */

    /* See docs/metrics.md. */
    int64_t preemptions;
    int64_t migrations;
    int64_t resizes;
    double queueing_delay_mean_s; /* over jobs that ever held GPUs; 0 without such jobs */
    double queueing_delay_p99_s;
    int64_t finish_time_fairness_jobs; /* number of finished jobs with a known run time alone */
    double finish_time_fairness_mean;  /* mean over these jobs; NaN without any */
    double finish_time_fairness_p99;
    double finish_time_fairness_max;
    double fair_share; /* share of these jobs that ended no later than on a fair share */
    int queues;        /* number of queues of the policy; if 0, the fields below are undefined */
    int64_t attained_service_gpu_s[REPORT_QUEUES_MAX];
    int64_t demotions;
    bool has_bounds; /* bounds were wanted; otherwise `bounds` is undefined */
    struct trace_bounds bounds;
    struct use_curve use; /* GPUs used over time */
    struct own_figures own;
};

/* The names in the setting of a run. */
struct setting_names {
    const char *policy;
    const char *rules; /* "reference", "clean" or tags of quirks */
    const char *trace;
    const char *cluster;
    const char *gpu_type;    /* NULL if pools have their own */
    const char *throughputs; /* path of the file or folder, NULL for none or several */
    const char *placement;
    const char *admission; /* NULL for the policy's own */
    const struct cluster_spec *spec;
    int switches;
    int nodes;
    int gpus;
    int64_t slot_s;
    int64_t restart_threshold;         /* rounds */
    const struct world_setting *world; /* NULL for a world as in the tables */
    struct files_read files;
    const json_t *options;        /* given options, by name; or NULL */
    const json_t *policy_options; /* options of the policy that differ from the default, by name; or
                                     NULL */
};

typedef struct report report_t;

/* Starts a report into `folder`, created if missing; without a folder it only counts. Files appear
 * when the report is committed. NULL, with `error` set, if the folder cannot be written or, unless
 * `forced`, has other files than results (result_folder.h). */
report_t *report_new(const char *folder, bool forced, struct error *error);

/* Starts files with `names`, ended with NULL, lent in that order; at most POLICY_FILES_MAX.
 * `*files` is NULL if the report only counts. -1, with `error`, if a file cannot be written. */
int report_keep_own(report_t *self, const char *const names[], output_t *const **files,
                    struct error *error);

/* Ends the report; removes uncommitted files, and the folder if it was created for them. */
void report_destroy(report_t **self);

/* Starts disturbances.csv, for a run that may be disturbed. -1, with `error`, if it cannot be
 * written. */
int report_keep_disturbances(report_t *self, struct error *error);

/* Keeps grants.csv, and adds what the jobs of `live` hold. */
int report_keep_grants(report_t *self, struct error *error);
void report_grants(report_t *self, int64_t now_s, const struct job *const live[], size_t count);

/* At `now_s`: `event` is a word of disturbance_word, with the job or the node (or -1) that it is
 * about. */
void report_disturbance(report_t *self, int64_t now_s, const char *event, const struct job *job,
                        int node, const char *cause);

/* `job` got its verdict at `now_s`; its submission is lent until the report is committed. */
void report_decided(report_t *self, const struct job *job, int64_t now_s,
                    const struct verdict *verdict);

/* `job`, which has a verdict, was retired, done by iterations or seconds, with `retired_s` as its
 * time on record: the round that saw its end, or the end itself. Its end and the GPUs that it still
 * holds are final. */
void report_retired(report_t *self, const struct job *job, int64_t retired_s,
                    enum work_measure done_by);

/* The promise of `job` was withdrawn, for `why` and in words for `cause`. */
void report_withdrawn(report_t *self, const struct job *job, int64_t now_s,
                      enum withdrawal_cause why, const char *cause);

/* The promise of `job` stands, and is at risk, for `cause`. */
void report_at_risk(report_t *self, const struct job *job, int64_t now_s, const char *cause);

/* The promise of `job` fell at `now_s` to a later step of its deadline. */
void report_falls(report_t *self, const struct job *job, int64_t now_s, enum withdrawal_cause why,
                  const char *cause);

/* `job`, which is over, will never start, for `cause`. */
void report_orphaned(report_t *self, const struct job *job, int64_t now_s, const char *cause);

/* `job` failed for good or was cancelled. */
void report_ended_early(report_t *self, const struct job *job);

/* The layout of the round at `now_s`. */
void report_round(report_t *self, int64_t now_s, const cluster_t *cluster);

/* The `count` allocations that the round at `now_s` changed, and the use of the cluster
 * afterwards. */
void report_changes(report_t *self, int64_t now_s, const struct allocation_change changes[],
                    size_t count);
void report_use(report_t *self, int64_t now_s, const struct cluster_use *use);

/* Adds to the figures with which chance promised jobs lost no more than `losses` nodes. */
void report_survival(const report_t *self, const struct failure_rate *rate, int losses,
                     struct figures *figures);

/* Completes the figures that the report itself counted: finished, outcomes, jct_*, rounds, use. */
void report_count(report_t *self, struct figures *figures);

/* Gives all files their names. -1, with `error` set and no file incomplete, if a file cannot be
 * written; written files are then kept aside, and `error` says where. */
int report_commit(report_t *self, const struct setting_names *names, const struct figures *figures,
                  struct error *error);

/* The folder of its files until the commit, see result_folder.h; NULL if the report only counts. */
const char *report_stage(const report_t *self);

/* Keeps the files of a run that cannot go on: they stay beside the results, and `error` says
 * where. */
void report_keep(report_t *self, struct error *error);

/* Says on stderr, after the name of `program`, where results are; does nothing if `folder` is
 * NULL. */
void report_tell(const char *program, const char *folder);

/* Warns on stderr, after the name of `program`, of suspicious figures of the run. */
void report_warn(const char *program, const struct figures *figures);

/* The object of summary.json; the caller owns it. */
json_t *report_summary(const struct setting_names *names, const struct figures *figures);

#endif
