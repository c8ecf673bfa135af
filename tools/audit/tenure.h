/* tenure.h - when each job held its GPUs, and by what right: by a lease, from one lease round to a later
 * one, or as spare GPUs that nobody had a lease on.
 *
 * The layouts show only that a job holds GPUs. But GPUs are leased to those only who were promised a
 * deadline, spare ones go to all others, and nobody is promised one again who lost it: so the leases
 * that a job had come first, and promises.csv says how many they were. */
#ifndef AUDIT_TENURE_H
#define AUDIT_TENURE_H

#include "tools/audit/case.h"
#include "tools/audit/history.h"
#include "tools/audit/rules.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* GPUs that a job held without a break and by one right, up to its retirement at most. */
struct audit_tenure {
    int64_t from_s;
    int64_t until_s;
    bool leased;
    bool starts; /* it held none right before */
};

struct audit_tenures {
    struct audit_tenure *items; /* of each job in order of time, one job after the other */
    size_t *first;              /* by job, and behind the last of them all */
    const struct audit_promise **promises; /* by job; NULL where there is none */

    /* Short leases are no right to keep GPUs to their end, and who was promised a deadline may then have
     * spare GPUs, too. So he may by odd times: what is spare then costs no start (CH-Q6). */
    bool are_short;
    bool at_odd_times;
};

/* Of a case whose summary has leases. */
struct audit_tenures audit_tenures_new(const struct audit_case *given,
                                       const struct audit_history histories[]);
void audit_tenures_free(struct audit_tenures *self);

/* Lease rounds in `from_s` .. `until_s` - 1, that is, the leases it takes to hold GPUs so long. */
int64_t audit_lease_rounds(const struct audit_leasing *leasing, int64_t from_s, int64_t until_s);

/* What one start on `gpus` GPUs costs, in seconds. */
double audit_start_s(int64_t gpus);

/* `at_s`, or the last multiple of `every_s` before it; the first one behind it. */
int64_t audit_round_down(int64_t at_s, int64_t every_s);
int64_t audit_round_up(int64_t at_s, int64_t every_s);

/* How long a job was credited with before `tenure`, which it did not hold GPUs for: from when it was
 * last looked at, be that an admission round or the end of the tenure before (CH-Q1). */
int64_t audit_waited_s(const struct audit_policy *policy, const struct audit_leasing *leasing,
                       const struct audit_tenure *tenure, int64_t ended_s);

#endif
