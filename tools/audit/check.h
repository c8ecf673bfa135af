/* check.h - the checks, one file for each kind of evidence. Each check adds its findings. */
#ifndef AUDIT_CHECK_H
#define AUDIT_CHECK_H

#include "tools/audit/case.h"
#include "tools/audit/finding.h"
#include "tools/audit/history.h"

struct audit {
    const struct audit_case *given;
    const struct audit_history *histories; /* one for each job of the trace */
    struct findings *findings;
};

/* Adds a finding: `check` fails at `at_s` (or AUDIT_NO_TIME) for the job with this id (or NULL). If
 * a quirk of this run explains the failure, its tag is added. */
void audit_report(const struct audit *self, const char *check, int64_t at_s, const char *job,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The GPUs and their holders: gpu-held-twice, outside-cluster, unknown-job, not-as-asked, no-rate,
 * before-submission, after-retirement. The order of the rounds: not-in-time-order. */
void audit_check_layout(const struct audit *self);

/* Every record against trace and layouts: unknown-job, retired-twice, record-mismatch,
 * best-effort-mismatch, before-submission, start-mismatch, end-mismatch, size-mismatch,
 * gpu-seconds-mismatch, rounds-mismatch. */
void audit_check_records(const struct audit *self);

/* Conservation of work: work-overcredited, work-uncredited, work-not-done, end-mismatch. */
void audit_check_work(const struct audit *self);

/* Verdicts, promises and outcomes: unknown-job, decided-twice, never-decided, never-retired,
 * never-fits, declined-but-ran, before-submission, rounds-mismatch, verdict-mismatch,
 * outcome-mismatch, promise-broken. */
void audit_check_outcomes(const struct audit *self);

/* The deadline by which the end of a job with a record is judged: the promised deadline, else the
 * last deadline that the job states, else AUDIT_DEADLINE_NONE_S. */
int64_t audit_due_s(const struct audit *self, const struct audit_outcome *outcome);

/* The columns slack and history of outcomes.csv, if the file has them: outcome-mismatch,
 * history-mismatch. */
void audit_check_histories(const struct audit *self);

/* How often the promise in the history of `outcome` is withdrawn; 0 without a history. */
int64_t audit_withdrawals(const struct audit_outcome *outcome);

/* Jobs that wait for others: unknown-job, before-parent. */
void audit_check_chains(const struct audit *self);

/* The figures of summary.json: count-mismatch, rounds-mismatch. */
void audit_check_counts(const struct audit *self);

/* The figures of summary.json about disturbances and waiting, if the summary has them:
 * count-mismatch. */
void audit_check_metrics(const struct audit *self);

/* The files timeline.csv and cluster.csv, if the folder has them: timeline-mismatch,
 * unknown-job. */
void audit_check_timeline(const struct audit *self);

#endif
