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
    if (self->tenures) {
        audit_check_tenures(self);
        audit_check_promises(self);
        audit_check_leases(self);
    } else if (self->accounts)
        audit_check_accounts(self);
    else
        audit_check_work(self);
    audit_check_counts(self);
    audit_check_metrics(self);
    findings_sort(self->findings);
}

/* Whether the summary says all that its policy needs to be judged. */
static int check_summary(const struct audit_case *given, const struct audit_policy *policy,
                         struct error *error)
{
    if (policy->leases && !given->summary.leasing.present)
        return error_set(error, "nothing on \"leasing\", though policy %s hands out leases",
                         policy->name);
    if (!policy->leases && !given->summary.throughputs)
        return error_set(error, "no \"throughputs\", though policy %s goes by them", policy->name);
    return 0;
}

/* CH-Q9: whoever states a deadline is held to it, of best effort or not. */
static void settle_best_effort(struct audit_case *given, const struct audit_policy *policy)
{
    for (size_t i = 0; i < given->job_count; i++) {
        struct audit_job *job = &given->jobs[i];

        if (!job->best_effort || job->deadline_count == 0)
            continue;
        job->best_effort = !policy->loses_best_effort;
        job->deadline_s = job->best_effort ? AUDIT_DEADLINE_NONE_S : job->deadlines_s[0];
        job->deadline_count = job->best_effort ? 0 : job->deadline_count;
    }
}

static void judge(const struct audit_case *given, const struct audit_policy *policy,
                  struct findings *findings)
{
    struct audit_history *histories = audit_histories_new(given, policy);
    const bool settles = policy->measure != BY_ITERATIONS && !policy->leases;
    struct audit_account *accounts = settles ? audit_accounts_new(given, policy, histories) : NULL;
    struct audit_tenures tenures = {.items = NULL};

    if (policy->leases)
        tenures = audit_tenures_new(given, histories);
    check_all(&(struct audit){.given = given,
                              .policy = policy,
                              .histories = histories,
                              .accounts = accounts,
                              .tenures = policy->leases ? &tenures : NULL,
                              .findings = findings});
    audit_tenures_free(&tenures);
    free(accounts);
    free(histories);
}

int audit_run(const struct audit_inputs *inputs, struct findings *findings,
              struct audit_totals *totals, struct error *error)
{
    struct audit_case *given = audit_case_read(inputs, error);
    struct audit_policy policy;
    struct error why;

    if (!given)
        return -1;
    policy = audit_policy_under(given->summary.policy, given->summary.rules);
    if (audit_rules_check(given->summary.rules, &why) < 0 ||
        check_summary(given, &policy, &why) < 0) {
        error_set(error, "%s/summary.json: %s", inputs->folder, why.text);
        audit_case_destroy(&given);
        return -1;
    }
    settle_best_effort(given, &policy);
    judge(given, &policy, findings);
    *totals = (struct audit_totals){
        .jobs = given->job_count, .records = given->record_count, .rounds = given->round_count};
    (void)snprintf(totals->policy, sizeof(totals->policy), "%s", given->summary.policy);
    audit_case_destroy(&given);
    return 0;
}
