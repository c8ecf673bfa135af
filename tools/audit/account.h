/* account.h - what the layouts say that a job did under a policy that knows seconds: how long it held
 * the GPUs it asked for, and how much of that its overheads took. Where a quirk leaves open what a job
 * was credited with, the account says the least and the most. */
#ifndef AUDIT_ACCOUNT_H
#define AUDIT_ACCOUNT_H

#include "tools/audit/case.h"
#include "tools/audit/history.h"
#include "tools/audit/rules.h"

#include <stdbool.h>
#include <stdint.h>

struct audit_bounds {
    int64_t least;
    int64_t most;
};

struct audit_account {
    /* Up to the last round before its retirement. */
    struct audit_bounds worked_s; /* overheads taken off */
    struct audit_bounds held_s;

    /* The interval that ends with the retirement. */
    bool ran; /* in it, or may have */
    int64_t from_s;
    int64_t length_s;
    struct audit_bounds owed_s; /* overhead */
    bool restarted;             /* it began with a restart of all trainers */

    /* The round in which it must have ended, but did not; 0 if there is none. */
    int64_t passed_over_s;
};

/* One for each job of the trace, as an array that the caller frees. */
struct audit_account *audit_accounts_new(const struct audit_case *given,
                                         const struct audit_policy *policy,
                                         const struct audit_history histories[]);

/* How much of the overhead `owed_s` is known to the forecast of an end. TI-Q1: none of it, but in a
 * restart. */
int64_t audit_believed_overhead(const struct audit_policy *policy, int64_t owed_s, bool restarted);

/* When an end that is forecast at `at_s` for `end_s` is seen, for policies that forecast. TI-Q4: not
 * before the slot is over. */
int64_t audit_end_is_seen_s(const struct audit_policy *policy, const struct audit_case *given,
                            int64_t at_s, int64_t end_s);

#endif
