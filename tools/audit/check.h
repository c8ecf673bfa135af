/* check.h - the checks, one file for each kind of evidence. Each adds what it finds. */
#ifndef AUDIT_CHECK_H
#define AUDIT_CHECK_H

#include "tools/audit/account.h"
#include "tools/audit/case.h"
#include "tools/audit/finding.h"
#include "tools/audit/history.h"
#include "tools/audit/rules.h"
#include "tools/audit/tenure.h"

struct audit {
    const struct audit_case *given;
    const struct audit_policy *policy;
    const struct audit_history *histories; /* one for each job of the trace */
    const struct audit_account *accounts;  /* likewise; NULL if no account settles its credit */
    const struct audit_tenures *tenures;   /* NULL if the policy hands out no leases */
    struct findings *findings;
};

/* Who holds which GPU: gpu-held-twice, outside-cluster, unknown-job, over-cap, not-as-asked, no-rate,
 * scattered, sizes-mixed, before-submission, after-retirement. */
void audit_check_layout(const struct audit *self);

/* Who waits: idle-gpus, out-of-turn. */
void audit_check_service(const struct audit *self);

/* When the scheduler looked: not-in-time-order, arrival-missed, slot-cut-short, slot-skipped,
 * off-check. */
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

/* The same of policies that hand out leases; by what right and for how long a job held its GPUs:
 * out-of-slot, leases-mismatch, wait-mismatch, work-overcredited, work-uncredited, starts-mismatch,
 * end-mismatch. */
void audit_check_tenures(const struct audit *self);

/* What jobs were promised, and what became of it: promise-broken, promise-withdrawn, promise-mismatch,
 * deadline-rounded, class-mismatch, unknown-job, retired-twice. */
void audit_check_promises(const struct audit *self);

/* The lease rounds, and the figures of leases in summary.json: lease-mismatch, not-in-time-order,
 * count-mismatch. */
void audit_check_leases(const struct audit *self);

/* The figures of summary.json: late-but-accepted, count-mismatch, rounds-mismatch. */
void audit_check_counts(const struct audit *self);

/* Its figures of how jobs were disturbed and how long they waited, if it has them: count-mismatch. */
void audit_check_metrics(const struct audit *self);

/* All that is known of a job that leases are handed out to. */
struct audit_tenant {
    const struct audit_job *job;
    const struct audit_record *record;
    const struct audit_promise *promise;
    const struct audit_tenure *tenures;
    size_t count;
    bool declined; /* certainly never promised a lease boundary */
    bool certain;  /* its leases are those that `tenures` says */
};

/* Whether there is a record and a promise for row `job`, so that the checks of leases make sense. */
bool audit_find_tenant(const struct audit *self, size_t job, struct audit_tenant *tenant);

/* Whether the job of `tenant` certainly was never promised a lease boundary. */
bool audit_was_declined(const struct audit *self, const struct audit_tenant *tenant);

/* The class that a job has at its end, as far as the layouts tell. */
struct audit_fate {
    bool certain;
    enum audit_class class; /* CLASS_ACCEPTED: the one that it was given at first */
};
struct audit_fate audit_fate_of(const struct audit *self, const struct audit_tenant *tenant);

/* Between which times the planned finish of a retired job, overheads not counted, must lie. */
struct audit_finish {
    int64_t earliest_s;
    int64_t latest_s;
};
struct audit_finish audit_planned_finish(const struct audit *self, size_t job);

#endif
