/* audit.c - see audit.h. */
#include "tools/audit/audit.h"

#include "tools/audit/check.h"

#include <stdio.h>
#include <stdlib.h>

static void check_all(const struct audit *self)
{
    audit_check_layout(self);
    audit_check_service(self);
    audit_check_times(self);
    audit_check_records(self);
    if (self->accounts)
        audit_check_accounts(self);
    else
        audit_check_work(self);
    audit_check_counts(self);
    audit_check_metrics(self);
    findings_sort(self->findings);
}

int audit_run(const struct audit_inputs *inputs, struct findings *findings,
              struct audit_totals *totals, struct error *error)
{
    struct audit_case *given = audit_case_read(inputs, error);
    struct audit_account *accounts = NULL;
    struct audit_history *histories;
    struct audit_policy policy;
    struct error why;

    if (!given)
        return -1;
    if (audit_rules_check(given->summary.rules, &why) < 0) {
        error_set(error, "%s/summary.json: %s", inputs->folder, why.text);
        audit_case_destroy(&given);
        return -1;
    }
    policy = audit_policy_under(given->summary.policy, given->summary.rules);
    histories = audit_histories_new(given, &policy);
    if (policy.measure != BY_ITERATIONS)
        accounts = audit_accounts_new(given, &policy, histories);
    check_all(&(struct audit){.given = given,
                              .policy = &policy,
                              .histories = histories,
                              .accounts = accounts,
                              .findings = findings});
    *totals = (struct audit_totals){
        .jobs = given->job_count, .records = given->record_count, .rounds = given->round_count};
    (void)snprintf(totals->policy, sizeof(totals->policy), "%s", given->summary.policy);
    free(accounts);
    free(histories);
    audit_case_destroy(&given);
    return 0;
}
