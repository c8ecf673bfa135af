/* check_work.c - conservation of work. A job is credited with at most the work that its GPUs could
 * do, and at least the work that they certainly did. The job ends when its work is done.
 *
 * Work is counted in iterations, or in seconds on the GPUs that the job asks for, as work.csv
 * says. */
#include "tools/audit/check.h"

#include <inttypes.h>

struct ledger {
    const struct audit *audit;
    const struct audit_record *record;
    const struct audit_history *history;
    double asked;
    double credited;

    /* The rounding error allowed in comparisons. Each sum has at most a few hundred thousand
     * doubles, each rounded by 2^-53 of the sum, so that the relative error is far below 1e-9. */
    double slack;
};

static void report(const struct ledger *ledger, const char *check, const char *text)
{
    audit_report(ledger->audit, check, ledger->record->retired_at_s, ledger->record->id,
                 "%s: %.6g of %.0f %s credited, %.6g possible", text, ledger->credited,
                 ledger->asked, ledger->history->work->in_seconds ? "seconds" : "iterations",
                 ledger->history->most);
}

/* Whether the job is credited with more iterations than it can have done by the round after its
 * end. Such a round credits all work until its own time, and an end is rounded up to a whole
 * second. */
static bool is_more_than_asked(const struct ledger *ledger)
{
    const struct audit_interval *last = &ledger->history->last;
    const double beyond_s = (double)last->until_s - ledger->record->ended_s + 1;

    return !ledger->history->work->in_seconds && beyond_s > 0 &&
           ledger->credited >= ledger->asked + beyond_s * last->rate + ledger->slack;
}

static void check_credit(const struct ledger *ledger)
{
    const struct audit_history *history = ledger->history;

    if (ledger->credited > history->most + ledger->slack)
        report(ledger, "work-overcredited", "credited with more than its GPUs could do");
    else if (is_more_than_asked(ledger))
        report(ledger, "work-overcredited", "credited with more than it asked for");
    else if (ledger->credited < history->least - ledger->slack)
        report(ledger, "work-uncredited", "credited with less than its GPUs did");
}

static void check_done(const struct ledger *ledger)
{
    if (ledger->history->most < ledger->asked - ledger->slack)
        report(ledger, "work-not-done", "retired before its work was done");
    else if (ledger->credited < ledger->asked - ledger->slack)
        report(ledger, "work-uncredited", "retired with less credit than its work");
}

/* A job ends within the last interval in which it held GPUs, and not before its GPUs can have done
 * its work. */
static void check_end(const struct ledger *ledger)
{
    const struct audit_interval *last = &ledger->history->last;
    const struct audit_record *record = ledger->record;
    const bool inside = ledger->history->held && record->ended_s >= (double)last->from_s &&
                        record->ended_s <= (double)last->until_s;

    if (!inside)
        audit_report(ledger->audit, "end-mismatch", record->retired_at_s, record->id,
                     "end_time is %.12g, but it held GPUs last from %" PRId64 " to %" PRId64 " s",
                     record->ended_s, last->from_s, last->until_s);
    else if (ledger->history->most >= ledger->asked - ledger->slack &&
             ledger->history->most_by_end < ledger->asked - ledger->slack)
        report(ledger, "end-mismatch", "its end is before its work was done");
}

void audit_check_work(const struct audit *self)
{
    for (size_t i = 0; i < self->given->job_count; i++) {
        const struct audit_history *history = &self->histories[i];

        if (history->record && history->work) {
            struct ledger ledger = {.audit = self, .record = history->record, .history = history};

            ledger.asked = (double)history->work->asked;
            ledger.credited = history->work->credited;
            ledger.slack = 1e-9 * (ledger.asked + ledger.credited + history->most);
            check_credit(&ledger);
            check_done(&ledger);
            check_end(&ledger);
        }
    }
}
