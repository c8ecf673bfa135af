/* check_work.c - conservation of work: nobody is credited with more than the GPUs it held could do,
 * and nobody is retired before its iterations are done.
 *
 * What the layouts allow is computed here (history.h); what the engine credited is in work.csv. The
 * published policies deviate from it in known ways, each of which leaves a bound:
 *
 * EF-Q14  ElasticFlow credits an interval only up to the planned finish R, which ignores the
 *         overhead O, and takes O off as well. The last interval was planned to hold just what was
 *         left, so what stays uncredited at retirement is at most O x rate. R is a whole second,
 *         and so is what is credited of every interval.
 * EF-Q13, a planned growth that never took effect, because the wake-up for it was lost
 * (ElasticFlow) EF-Q16  or its event was moved behind the end of the job (EDF): the job is believed
 * to be done. At the best rate it may have, the last interval must have been long enough for what
 * was left. EF-Q39  a job that holds no GPU is retired by an end that was planned when it did. step
 * 5  of section 7 of the specification: a job that is done before its end event is retired at once,
 * its end set to when it was done and its credit to that of the whole planned interval. It happens
 * if the plan had dead time behind a missed deadline (EF-Q41) or a change that came too late
 * (EF-Q13, EF-Q16). */
#include "tools/audit/check.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

/* All that is known of the work of one retired job. */
struct ledger {
    const struct audit *audit;
    const struct audit_job *job;
    const struct audit_record *record;
    const struct audit_history *history;
    const struct audit_interval *last;
    double required;
    double credited;

    /* Both sides add up at most a few hundred thousand doubles, each sum rounded by 2^-53 of
     * itself: a relative error far below 1e-9. */
    double slack;
};

/* The job must have been retired and have a row in work.csv. */
static struct ledger open_ledger(const struct audit *audit, size_t job)
{
    const struct audit_history *history = &audit->histories[job];
    struct ledger ledger = {.audit = audit,
                            .job = &audit->given->jobs[job],
                            .record = history->record,
                            .history = history,
                            .last = &history->last,
                            .required = (double)audit->given->jobs[job].iterations};

    assert(history->record);
    assert(history->work);
    ledger.credited = history->work->credited;
    ledger.slack = 1e-9 * (ledger.required + ledger.credited + ledger.history->iterations);
    return ledger;
}

static int64_t slot(const struct ledger *ledger)
{
    return ledger->audit->given->summary.slot_s;
}

/* The grid on which planned ends lie, counted from the round. */
static int64_t grid(const struct ledger *ledger)
{
    return ledger->audit->policy->plans_by_slot ? slot(ledger) : 1;
}

/* The seconds of the last interval that count, if the job was done at `until_s`. */
static int64_t seconds_until(const struct ledger *ledger, int64_t until_s)
{
    const int64_t end_s =
        until_s < ledger->record->retired_at_s ? until_s : ledger->record->retired_at_s;
    const int64_t worked_s = end_s - ledger->last->from_s - ledger->last->overhead_s;

    return worked_s > 0 ? worked_s : 0;
}

/* What the layouts allow up to the end in the record. */
static double allowed(const struct ledger *ledger)
{
    return ledger->history->iterations +
           (double)seconds_until(ledger, ledger->record->end_s) * ledger->last->rate;
}

/* The latest that the planned end of a retired job can have been, its overhead included. */
static int64_t latest_end(const struct ledger *ledger)
{
    return ledger->audit->policy->records_work_end ? ledger->record->retired_at_s
                                                   : ledger->record->end_s;
}

/* The earliest: EF-Q16 puts off by up to a slot what is due. */
static int64_t earliest_end(const struct ledger *ledger)
{
    return ledger->audit->policy->records_work_end ? ledger->record->retired_at_s - slot(ledger)
                                                   : ledger->record->end_s;
}

/* The most that may be credited: ElasticFlow's planned finish is at least the overhead before the
 * end, because that is where the end comes from. */
static double creditable(const struct ledger *ledger)
{
    const bool by_finish = ledger->audit->policy->cuts_at_finish;
    const int64_t until_s = latest_end(ledger) - (by_finish ? ledger->last->overhead_s : 0);

    return ledger->history->iterations +
           (double)seconds_until(ledger, until_s) * ledger->last->rate;
}

/* Whether `end_s` can be an end that was planned in the round before the retirement. */
static bool is_on_grid(const struct ledger *ledger, int64_t end_s)
{
    const int64_t planned_s = end_s - ledger->last->from_s - ledger->last->overhead_s;

    return planned_s >= 0 && planned_s % grid(ledger) == 0;
}

/* Ends that are not on the slot grid come without step 5 as well: a job that was planned to shrink
 * within the slot, which everything is put off to the end of (EF-Q16), works on as it is. */
static bool worked_too_long(const struct ledger *ledger)
{
    return !ledger->audit->policy->plans_by_slot && !ledger->history->may_be_cut &&
           ledger->credited <= creditable(ledger) + ledger->slack;
}

/* Step 5. From the credit follows the planned end that was given up, and from that what was left
 * when the interval began: 0 if the numbers do not fit, else the planned end. */
static int64_t end_given_up(const struct ledger *ledger)
{
    const struct audit_record *record = ledger->record;
    const struct audit_interval *last = ledger->last;
    const double length_s = (double)(record->retired_at_s - last->from_s - last->overhead_s);
    /* The reference's end of the work leaves its overhead out. */
    const int64_t done_s =
        ledger->audit->policy->records_work_end ? record->end_s - last->overhead_s : record->end_s;
    double surplus_s;
    double left;
    int64_t end_s;

    if (!(last->rate > 0) || ledger->credited <= ledger->required || worked_too_long(ledger))
        return 0;
    surplus_s = (ledger->credited - ledger->required) / last->rate;
    if (surplus_s > 1e12)
        return 0;
    /* The end in the record is that of the work, rounded up to a second. */
    end_s = done_s + (int64_t)floor(surplus_s + ledger->slack / last->rate);
    left = ((double)(end_s - last->from_s) - surplus_s) * last->rate;
    if (end_s <= record->retired_at_s || left < 0 || !is_on_grid(ledger, end_s) ||
        left > length_s * last->rate + ledger->slack ||
        ledger->required - left > ledger->history->iterations + ledger->slack)
        return 0;
    if (!ledger->history->may_be_cut &&
        ledger->required - left < ledger->history->iterations - ledger->slack)
        return 0;
    return end_s;
}

static void report(const struct ledger *ledger, const char *check, const char *tag,
                   const char *text)
{
    findings_add(
        ledger->audit->findings,
        &(struct finding_place){check, tag, ledger->record->retired_at_s, ledger->record->id},
        "%s: %.6g of %.0f iterations credited, %.6g possible until its end", text, ledger->credited,
        ledger->required, allowed(ledger));
}

/* What a plan was changed too late for: a wake-up that was lost, or, where none is, the slot that
 * everything due is put off to. */
static const char *tag_of_late_change(const struct ledger *ledger)
{
    const struct audit_policy *policy = ledger->audit->policy;
    const char *lost =
        policy->plans_ahead && policy->plans_by_slot ? audit_tag(policy, "EF-Q13") : NULL;

    return lost ? lost : "EF-Q16";
}

static const char *tag_of_early_end(const struct ledger *ledger, int64_t planned_end_s)
{
    const struct audit_policy *policy = ledger->audit->policy;
    const bool late = planned_end_s - ledger->last->overhead_s > ledger->job->deadline_s;

    if (policy->plans_by_slot && late && audit_tag(policy, "EF-Q41"))
        return "EF-Q41";
    return tag_of_late_change(ledger);
}

/* An end is planned in the round before, after it, and due when it is retired; EF-Q16: or up to one
 * slot before, when it was moved to the slot's end with everything else. */
static void check_end(const struct ledger *ledger)
{
    const struct audit_record *record = ledger->record;
    const int64_t from_s = ledger->last->from_s;
    const struct finding_place place = {"end-mismatch", NULL, record->retired_at_s, record->id};
    const bool moved = record->retired_at_s == from_s + slot(ledger);

    if (record->end_s > record->retired_at_s || record->end_s <= from_s ||
        (record->end_s < record->retired_at_s && !moved &&
         !ledger->audit->policy->records_work_end))
        findings_add(ledger->audit->findings, &place,
                     "end_time is %" PRId64 ", but the rounds are at %" PRId64 " and %" PRId64 " s",
                     record->end_s, from_s, record->retired_at_s);
    else if (ledger->last->gpus > 0 && !ledger->audit->policy->records_work_end &&
             !is_on_grid(ledger, record->end_s))
        findings_add(ledger->audit->findings, &place,
                     "end_time is %" PRId64 ", which is no end that a plan of %" PRId64
                     " s can have with an overhead of %" PRId64 " s",
                     record->end_s, from_s, ledger->last->overhead_s);
}

/* The most iterations that a growth which never took effect can have been good for. It was due at
 * the end of another job, and that end comes later than this job's only by the difference of their
 * overheads: for so long the job was believed to run at its best rate. Without a slot grid it can
 * have been due at any time of the slot that everything was put off to the end of (EF-Q16). */
static double growth_lost(const struct ledger *ledger)
{
    const struct audit *audit = ledger->audit;
    const struct audit_policy *policy = audit->policy;
    const int64_t gpus = audit->given->cluster.gpus;
    const int64_t cap = policy->gpus_max(ledger->job, audit->given->summary.gpu_type);
    const double best = audit_best_rate(ledger->job->rates, cap < gpus ? cap : gpus);
    int64_t longer_s = audit_overhead_s(gpus, gpus, false, true) - ledger->last->overhead_s;

    if (!policy->charges_overhead)
        return 0;
    if (policy->plans_ahead && !policy->plans_by_slot && slot(ledger) > longer_s)
        longer_s = slot(ledger);
    return (double)longer_s * (best - ledger->last->rate);
}

static void check_done(const struct ledger *ledger)
{
    const struct audit_policy *policy = ledger->audit->policy;
    const double missing = ledger->required - ledger->credited;

    if (ledger->last->gpus == 0) {
        const char *tag = policy->retires_idle ? "EF-Q39" : NULL;

        if (missing > ledger->slack || !tag)
            report(ledger, "work-not-done", tag, "retired while it held no GPU");
    } else if (allowed(ledger) < ledger->required - ledger->slack) {
        const bool explained =
            allowed(ledger) + growth_lost(ledger) >= ledger->required - ledger->slack;
        const char *tag = policy->plans_ahead ? tag_of_late_change(ledger) : "EF-Q45";

        report(ledger, "work-not-done", explained ? tag : NULL, "retired before its work was done");
    } else if (policy->cuts_at_finish && missing > ledger->slack) {
        const double cut = (double)ledger->last->overhead_s * ledger->last->rate;
        /* Where the end in the record is that of the work, the planned one may have been too early. */
        const double early = policy->records_work_end ? growth_lost(ledger) : 0;
        const bool explained = missing <= cut + early + ledger->slack;

        report(ledger, "work-uncredited", explained ? "EF-Q14" : NULL,
               "work was done that was not credited");
    }
}

/* The whole seconds of the last interval that were credited; -1 if that is no whole number. Only if
 * nothing was cut off before. */
static int64_t seconds_credited(const struct ledger *ledger)
{
    const double seconds = (ledger->credited - ledger->history->iterations) / ledger->last->rate;
    const double whole = nearbyint(seconds);

    assert(!ledger->history->may_be_cut);
    if (!(fabs(seconds - whole) <= ledger->slack / ledger->last->rate) || fabs(whole) > 1e12)
        return -1;
    return (int64_t)whole;
}

/* Without a planned finish to cut it at, the credit is exactly what the layouts allow. With one, it
 * ends at a whole second, less than a slot before the end from which the overhead is taken. */
static bool is_credited_enough(const struct ledger *ledger)
{
    const struct audit_interval *last = ledger->last;
    int64_t seconds;

    if (!ledger->audit->policy->cuts_at_finish)
        return ledger->credited >= allowed(ledger) - ledger->slack;
    if (ledger->history->may_be_cut || !(last->rate > 0))
        return true;
    seconds = seconds_credited(ledger);
    return seconds >= 0 &&
           seconds > earliest_end(ledger) - 2 * last->overhead_s - last->from_s - grid(ledger);
}

static void check_credit(const struct ledger *ledger)
{
    if (ledger->credited > creditable(ledger) + ledger->slack)
        report(ledger, "work-overcredited", NULL, "credited with more than its GPUs could do");
    else if (!is_credited_enough(ledger))
        report(ledger, "work-uncredited", NULL, "credited with less than its GPUs did");
}

/* The first second by which the layouts allow all iterations; rounding may hide one. */
static bool is_first_possible_end(const struct ledger *ledger)
{
    const double before =
        ledger->history->iterations +
        (double)(seconds_until(ledger, ledger->record->end_s) - 1) * ledger->last->rate;

    return allowed(ledger) >= ledger->required - ledger->slack &&
           before < ledger->required + ledger->slack;
}

/* Where a job is retired when it is done, nothing has to be explained. */
static void check_honest_end(const struct ledger *ledger)
{
    const struct audit_record *record = ledger->record;

    if (fabs(ledger->credited - ledger->required) > ledger->slack)
        report(ledger,
               ledger->credited > ledger->required ? "work-overcredited" : "work-uncredited", NULL,
               "retired with another credit than its work");
    else if (allowed(ledger) < ledger->required - ledger->slack)
        report(ledger, "work-not-done", NULL, "retired before its work was done");
    else if (record->end_s <= ledger->last->from_s || record->end_s > record->retired_at_s ||
             !is_first_possible_end(ledger))
        report(ledger, "end-mismatch", NULL, "its end is not when its work was done");
}

static void check_ledger(const struct ledger *ledger)
{
    const int64_t given_up_s = end_given_up(ledger);

    if (ledger->audit->policy->retires_done) {
        check_honest_end(ledger);
        return;
    }
    if (given_up_s > 0) {
        report(ledger, "work-overcredited", tag_of_early_end(ledger, given_up_s),
               "done before its planned end and credited up to that");
        return;
    }
    check_end(ledger);
    check_credit(ledger);
    check_done(ledger);
}

void audit_check_work(const struct audit *self)
{
    for (size_t i = 0; i < self->given->job_count; i++)
        if (self->histories[i].record && self->histories[i].work) {
            const struct ledger ledger = open_ledger(self, i);

            check_ledger(&ledger);
        }
}

/* The end is the planned finish, rounded up to the slot grid, and the overhead. The credit of the last
 * interval ends at the finish, so that it tells the very second if nothing was cut off before, and
 * no interval was shorter than its overhead. */
struct audit_finish audit_planned_finish(const struct audit *self, size_t job)
{
    const struct audit_history *history = &self->histories[job];
    struct audit_finish finish = {history->record->end_s, history->record->end_s};
    struct ledger ledger;
    int64_t given_up_s;
    int64_t seconds;

    if (!self->policy->late_by_finish || !history->work || !(history->last.rate > 0))
        return finish;
    ledger = open_ledger(self, job);
    if (self->policy->retires_done) {
        /* The plan may have had it shrink, had it not been done before. */
        finish.earliest_s = history->last.from_s + 1;
        finish.latest_s = AUDIT_DEADLINE_NONE_S;
        return finish;
    }
    given_up_s = end_given_up(&ledger);
    if (given_up_s > 0)
        finish.latest_s = given_up_s;
    finish.latest_s -= history->last.overhead_s;
    finish.earliest_s = finish.latest_s - grid(&ledger) + 1;
    if (given_up_s > 0 || history->may_be_cut)
        return finish;
    seconds = seconds_credited(&ledger);
    if (seconds > 0 && is_credited_enough(&ledger))
        finish.earliest_s = finish.latest_s =
            history->last.from_s + history->last.overhead_s + seconds;
    return finish;
}
