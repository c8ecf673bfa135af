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

    /* Planned ends lie on the slot grid counted from the round, and work is credited only up to the
     * planned finish, overheads not counted (EF-Q14, EF-Q27). Otherwise ends are exact and all work
     * up to them is credited. */
    bool plans_by_slot;

    bool charges_overhead; /* EF-Q38 */

    /* Who can be declined on arrival. */
    bool declines;
    bool declines_best_effort; /* EF-Q34 */

    /* Lateness is that of the planned finish, not of the end in the record (EF-Q33). */
    bool late_by_finish;

    /* Arrivals are decided one at a time, each adopted at once: who was started by one decision may
     * be stopped by the next of the same round. */
    bool decides_one_by_one;

    /* A job that holds no GPU may be retired as finished (EF-Q39). */
    bool retires_idle;
};

/* The rules of the policy called `name`; those that any policy keeps if it is not one of the
 * reference's. */
const struct audit_policy *audit_policy_find(const char *name);

/* The seconds that a job on `gpus` GPUs loses at the start of an interval, in a cluster of
 * `cluster_gpus`; `seen` if its ranks were used together before, `restart` in every S-th round. */
int64_t audit_overhead_s(int64_t cluster_gpus, int64_t gpus, bool seen, bool restart);

/* The rate on `gpus` GPUs; 0 if the table has none. */
double audit_rate(const struct audit_rates *rates, int64_t gpus);

/* The highest rate on at most `gpus_max` GPUs. */
double audit_best_rate(const struct audit_rates *rates, int64_t gpus_max);

#endif
