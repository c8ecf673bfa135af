/* outcome_report.h - what every job was told, what became of it, and the counts of both.
 *
 *   outcomes.csv  decided_at,job_id,verdict,reason,promised,outcome,slack,history
 *                 a line for each job that was decided on, in that order: the round that decided;
 *                 promised, best-effort, declined, or promised-later for a job that was promised
 *                 after its arrival; why (fits, no-deadline, no-promises, no-room,
 *                 too-large, jobs-to-come, promise-share, nodes-end, failed); the deadline that was
 *                 promised, empty for none; and on-time or late if the job has a deadline and
 *                 ended, done if it has none and ended, failed if it is not tried again,
 *                 cancelled by its user, unfinished if the run ended before it, empty for a job
 *                 that was declined; whole seconds from the end to the deadline,
 *                 < 0 if late, empty where there is no outcome of the two; and all that it was
 *                 told, with " | " between: "AT promised by DEADLINE", "AT withdrawn: CAUSE, TEXT"
 *                 with a word of withdrawal_words, "AT falls: CAUSE, TEXT" for a promise that
 *                 falls to a later step of its deadline, "AT promised again by DEADLINE", or
 *                 "AT best-effort: REASON" and "AT declined: REASON", with the rate that was seen
 *                 where the reason is jobs-to-come, and what was promised
 *                 ahead where the reason is promise-share, and until when nodes are known
 *                 where the reason is nodes-end. If any job has a soft deadline: in a last
 *                 column, value, that of the step in which each job ended, 0 for a job that
 *                 met none
 *
 * A job is on time if its end in jobs.csv, overheads included, is not after its promised deadline
 * or, without a promise, the deadline in jobs.csv, the last one of a soft deadline. */
#ifndef REPORT_OUTCOME_REPORT_H
#define REPORT_OUTCOME_REPORT_H

#include "common/output.h"
#include "scheduler/planner/survival.h"
#include "scheduler/state/promise.h"
#include "scheduler/state/verdict.h"

#include <stdbool.h>
#include <stdint.h>

/* How nodes in reserve protect the promises. */
struct survival_figures {
    int losses;    /* number of nodes that each promise survives losing; 0: the other figures are
                      unknown */
    double mtbf_s; /* mean seconds between failures of a node */
    double chance; /* mean probability, over jobs with a promise, that a job loses no more nodes
                      than `losses`, for the time that it held nodes with its promise */
    struct failures seen;
};

/* In a run that was not interrupted, on_time = promised - broken + best_effort_on_time. */
struct outcome_figures {
    bool promises; /* the policy does; set by the engine */
    int64_t on_time;
    int64_t promised; /* number of jobs promised at arrival, or later */
    int64_t promised_at_arrival;
    int64_t promised_later;
    int64_t withdrawn;   /* number of jobs whose promise was withdrawn, whatever their outcome */
    int64_t withdrawals; /* number of withdrawals: a promise made again can be withdrawn again */
    int64_t broken;      /* promised, and late or failed */
    int64_t best_effort_on_time; /* number of jobs on time without a promise */
    int64_t failed;              /* number of jobs that failed for good */
    int64_t soft_jobs;           /* number of jobs with several deadlines */
    int64_t falls;            /* number of promises that fell to a later step of a soft deadline */
    double value_on_time;     /* value kept: that of the step in which each job ended */
    double gpu_hours_on_time; /* the least GPU hours of these jobs, without overheads */
    struct survival_figures survival;
};

typedef struct outcome_report outcome_report_t;

outcome_report_t *outcome_report_new(void);
void outcome_report_destroy(outcome_report_t **self);

/* `job` got a verdict at `now_s`; its submission is lent until the report was written. */
void outcome_report_decided(outcome_report_t *self, const struct job *job, int64_t now_s,
                            const struct verdict *verdict);

/* The promise of `job` was withdrawn at `now_s`, for the cause `why`; `cause`, which is copied, is
 * its sentence. */
void outcome_report_withdrawn(outcome_report_t *self, const struct job *job, int64_t now_s,
                              enum withdrawal_cause why, const char *cause);

/* The promise of `job` stands, and is at risk from `now_s` on; `cause`, which is copied, says why.
 */
void outcome_report_at_risk(outcome_report_t *self, const struct job *job, int64_t now_s,
                            const char *cause);

/* The promise of `job` fell at `now_s` to its present deadline; `cause` is copied. */
void outcome_report_falls(outcome_report_t *self, const struct job *job, int64_t now_s,
                          enum withdrawal_cause why, const char *cause);

/* `job`, which is over, will never start; `cause` is copied. */
void outcome_report_orphaned(outcome_report_t *self, const struct job *job, int64_t now_s,
                             const char *cause);

/* `job`, which was decided on, is over: done, failed or cancelled. */
void outcome_report_ended(outcome_report_t *self, const struct job *job);

/* Counts all outcome figures except `promises`. */
void outcome_report_count(const outcome_report_t *self, struct outcome_figures *figures);

/* Computes the probabilities that jobs lost no more than `losses` nodes, if nodes fail at `rate`;
 * sets all but `seen`. */
void outcome_report_survival(const outcome_report_t *self, const struct failure_rate *rate,
                             int losses, struct survival_figures *figures);

/* Writes outcomes.csv, as the jobs stand. */
void outcome_report_write(const outcome_report_t *self, output_t *out);

#endif
