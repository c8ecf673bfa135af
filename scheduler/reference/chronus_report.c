/* chronus_report.c - the additional reports of Chronus: promises and lease rounds. */
#include "scheduler/policies/policy_report.h"
#include "scheduler/reference/lease_report.h"
#include "scheduler/reference/lease_stages.h"

static void *open_report(output_t *const files[])
{
    return lease_report_new(files ? files[0] : NULL, files ? files[1] : NULL);
}

static void close_report(void *self)
{
    lease_report_t *report = self;

    lease_report_destroy(&report);
}

static void tell_round(void *self, void *opened, int64_t now_s)
{
    const struct chronus_memory *memory = opened;

    if (memory->book->round_held)
        lease_report_round(self, now_s, &memory->book->round);
}

static void tell_promise(void *self, void *opened, const struct job *job, bool late)
{
    struct chronus_memory *memory = opened;

    lease_report_promise(self, lease_of(memory->book, job), late);
}

static void count(void *self, void *figures)
{
    lease_report_count(self, figures);
}

const struct policy_report chronus_report = {.files = {"promises.csv", "leases.csv"},
                                             .open = open_report,
                                             .close = close_report,
                                             .round = tell_round,
                                             .retired = tell_promise,
                                             .count = count};
