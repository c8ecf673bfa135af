/* chronus_report.c - what Chronus reports besides: promises and lease rounds. */
#include "scheduler/reference/lease_stages.h"
#include "scheduler/report/policy_report.h"
#include "scheduler/solver/milp_solver.h"

#include <stdio.h>

static int keep_leases(report_t *report, struct error *error)
{
    return report_keep_leases(report, error);
}

static void tell_promise(report_t *report, void *opened, const struct job *job, bool late)
{
    struct chronus_memory *memory = opened;

    report_promise(report, lease_of(memory->book, job), late);
}

static void tell_round(report_t *report, void *opened, int64_t now_s)
{
    const struct chronus_memory *memory = opened;

    if (memory->book->round_held)
        report_lease_round(report, now_s, &memory->book->round);
}

static void count(void *opened, struct figures *figures)
{
    const struct chronus_memory *memory = opened;
    const struct milp_solver *solver = memory->leasing.solver;

    figures->lends = true;
    figures->leases.leasing = memory->leasing;
    (void)snprintf(figures->leases.solver, sizeof(figures->leases.solver), "%s",
                   solver ? solver->name : "none");
}

const struct policy_report chronus_report = {keep_leases, tell_promise, tell_round, count};
