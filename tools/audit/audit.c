/* audit.c - see audit.h. */
#include "tools/audit/audit.h"

#include "tools/audit/check.h"
#include "tools/audit/same_inputs.h"

#include <stdlib.h>

static void check_all(const struct audit_case *given, struct findings *findings)
{
    struct audit_history *histories = audit_histories_new(given);
    const struct audit audit = {given, histories, findings};

    audit_check_layout(&audit);
    audit_check_records(&audit);
    audit_check_work(&audit);
    audit_check_outcomes(&audit);
    audit_check_histories(&audit);
    audit_check_counts(&audit);
    audit_check_metrics(&audit);
    audit_check_timeline(&audit);
    audit_check_chains(&audit);
    findings_sort(findings);
    free(histories);
}

static struct audit_totals total(const struct audit_case *given)
{
    struct audit_totals totals = {
        .jobs = given->job_count, .records = given->record_count, .rounds = given->round_count};

    for (size_t i = 0; i < given->outcome_count; i++)
        totals.promised += audit_is_promised(&given->outcomes[i]);
    totals.unchecked = !same_inputs_known(given->document);
    (void)snprintf(totals.policy, sizeof(totals.policy), "%s", given->summary.policy);
    return totals;
}

int audit_run(const struct audit_inputs *inputs, struct findings *findings,
              struct audit_totals *totals, struct error *error)
{
    struct audit_case *given = audit_case_read(inputs, error);

    if (!given)
        return -1;
    check_all(given, findings);
    *totals = total(given);
    audit_case_destroy(&given);
    return 0;
}
