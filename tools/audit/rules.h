/* rules.h - what each policy promises, as the auditor understands its specification: how many GPUs
 * a job may use, what an interval costs it, and which of the reference's quirks may show. */
#ifndef AUDIT_RULES_H
#define AUDIT_RULES_H

#include "tools/audit/case.h"

#include <stdbool.h>
#include <stdint.h>

struct audit_policy {
    const char *name;
    int64_t (*gpus_max)(const struct audit_job *job, const char *gpu_type);

    bool plans_ahead; /* ElasticFlow: jobs change at times that were planned before */

    /* Planned ends lie on the slot grid counted from the round (EF-Q27); otherwise they are exact. */
    bool plans_by_slot;

    /* Work is credited only up to the planned finish, overheads not counted (EF-Q14). */
    bool cuts_at_finish;

    /* All work is credited, and a job is retired when it is done, neither before nor after. */
    bool retires_done;

    bool charges_overhead; /* EF-Q38 */
    bool pays_always;      /* also in a round that changes nothing for the job (EF-Q20) */
    bool restarts_by_slot; /* every so many rounds as the slot has seconds (EF-Q3) */

    /* Who can be declined on arrival. */
    bool declines;
    bool declines_best_effort; /* EF-Q34 */

    /* Lateness is that of the planned finish, not of the end in the record (EF-Q33); or the end in
     * the record is not the planned one, but when the work was done. */
    bool late_by_finish;
    bool records_work_end;

    /* Arrivals are decided one at a time, each adopted at once: who was started by one decision may
     * be stopped by the next of the same round. */
    bool decides_one_by_one;

    /* A job that holds no GPU may be retired as finished (EF-Q39). */
    bool retires_idle;

    uint32_t put_right; /* quirks that this run had not, a bit for each row of a table in rules.c */
};

/* What the policy called `name` promises under `rules`: "reference", "clean" or tags with commas
 * between them. A policy that is not one of the reference's promises what any policy does. */
struct audit_policy audit_policy_under(const char *name, const char *rules);

/* `tag` as the explanation of a finding; NULL if that quirk was put right, so that it explains
 * nothing. */
const char *audit_tag(const struct audit_policy *policy, const char *tag);

/* The seconds that a job on `gpus` GPUs loses at the start of an interval, in a cluster of
 * `cluster_gpus`; `seen` if its ranks were used together before, `restart` in every S-th round. */
int64_t audit_overhead_s(int64_t cluster_gpus, int64_t gpus, bool seen, bool restart);

/* The rate on `gpus` GPUs; 0 if the table has none. */
double audit_rate(const struct audit_rates *rates, int64_t gpus);

/* The highest rate on at most `gpus_max` GPUs. */
double audit_best_rate(const struct audit_rates *rates, int64_t gpus_max);

#endif
