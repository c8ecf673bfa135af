/* check_work.c - conservation of work: no job is credited with more than the GPUs that it held
 * could do, nor with less than they did for certain; it ends when its work is done, and not before.
 *
 * Work is iterations, or seconds on the GPUs that the job asks for, as work.csv says. */
#include "tools/audit/check.h"

#include <inttypes.h>

struct ledger {
    const struct audit *audit;
    const struct audit_record *record;
    const struct audit_history *history;
    double asked;
    double credited;

    /* Both sides add up at most a few hundred thousand doubles, each sum rounded by 2^-53 of
     * itself: a relative error far below 1e-9. */
    double slack;
};

static void report(const struct ledger *ledger, const char *check, const char *text)
{
    audit_report(ledger->audit, check, ledger->record->retired_at_s, ledger->record->id,
                 "%s: %.6g of %.0f %s credited, %.6g possible", text, ledger->credited,
                 ledger->asked, ledger->history->work->in_seconds ? "seconds" : "iterations",
                 ledger->history->most);
}

/* The iterations that were asked for are done at the end, which is a whole second. Credit may go on
 * until the round that sees the end. */
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

/* An end lies in the last interval for which the job held GPUs, and not before they did its
 * work. */
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
