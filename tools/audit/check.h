/* check.h - the checks, one file for each kind of evidence. Each adds what it finds. */
#ifndef AUDIT_CHECK_H
#define AUDIT_CHECK_H

#include "tools/audit/account.h"
#include "tools/audit/case.h"
#include "tools/audit/finding.h"
#include "tools/audit/history.h"
#include "tools/audit/rules.h"

struct audit {
    const struct audit_case *given;
    const struct audit_policy *policy;
    const struct audit_history *histories; /* one for each job of the trace */
    const struct audit_account *accounts;  /* likewise; NULL if the policy knows no seconds */
    struct findings *findings;
};

/* Who holds which GPU: gpu-held-twice, outside-cluster, unknown-job, over-cap, not-as-asked, no-rate,
 * scattered, sizes-mixed, before-submission, after-retirement. */
void audit_check_layout(const struct audit *self);

/* Who waits: idle-gpus, out-of-turn. */
void audit_check_service(const struct audit *self);

/* When the scheduler looked: not-in-time-order, arrival-missed, slot-cut-short, slot-skipped. */
void audit_check_times(const struct audit *self);

/* Every record against trace and layouts: unknown-job, retired-twice, never-retired, never-started,
 * record-mismatch, not-in-time-order, start-mismatch, end-mismatch, size-mismatch,
 * gpu-seconds-mismatch, rounds-mismatch. */
void audit_check_records(const struct audit *self);

/* Conservation of work, of policies that know iterations only: work-overcredited, work-uncredited,
 * work-not-done, end-mismatch. */
void audit_check_work(const struct audit *self);

/* The same of policies that know seconds; also gpu-seconds-mismatch, record-mismatch. */
void audit_check_accounts(const struct audit *self);

/* The figures of summary.json: late-but-accepted, count-mismatch, rounds-mismatch. */
void audit_check_counts(const struct audit *self);

/* Its figures of how jobs were disturbed and how long they waited, if it has them: count-mismatch. */
void audit_check_metrics(const struct audit *self);

/* Between which times the planned finish of a retired job, overheads not counted, must lie. */
struct audit_finish {
    int64_t earliest_s;
    int64_t latest_s;
};
struct audit_finish audit_planned_finish(const struct audit *self, size_t job);

#endif
