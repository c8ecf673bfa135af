/* check_account.c - conservation of work for jobs of fixed size: what a job was credited with is what
 * the time on its GPUs was good for, it ends when that is all that it asked for, and that is seen when
 * the policy looks.
 *
 * The account (account.h) says in seconds what the layouts allow. A job that is done by its iterations
 * does as many in a second as its table says. Where the published policies deviate:
 *
 * TI-Q1, a Tiresias job is retired at an end that leaves its overhead out, and if that comes before
 * TI-Q2  anything else, the overhead is never charged: so much of its work is missing.
 * TI-Q4  It holds its GPUs for a slot at least, and is credited with that.
 * TI-Q11 An end that was forecast for the time of an arrival happens with it, whatever was forecast
 *        since.
 * GA-Q7  Gandiva moves jobs between nodes before it credits the interval that just ended, and credits
 *        those that it finds there.
 * GA-Q9  It looks at arrivals only while there are some, and sees ends when it looks.
 * TH-Q6  A Themis job whose iterations run out has its end moved to the end of the slot. */
#include "tools/audit/account.h"
#include "tools/audit/check.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

/* One job's account, in the measure that work.csv has for it. */
struct book {
    const struct audit *audit;
    const struct audit_job *job;
    const struct audit_record *record;
    const struct audit_history *history;
    const struct audit_account *account;
    bool in_seconds;
    double rate; /* work that is done in a second */
    double asked;
    double credited;
    double slack;
};

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static double rate_of(const struct book *book, bool in_seconds)
{
    return in_seconds ? 1 : audit_rate(book->job->rates, book->job->gpus);
}

static double asked_of(const struct book *book, bool in_seconds)
{
    return (double)(in_seconds ? book->job->duration_s : book->job->iterations);
}

/* See struct ledger of check_work.c; whole seconds add up exactly. */
static double slack_of(const struct book *book, bool in_seconds)
{
    const double slot_s = (double)book->audit->given->summary.slot_s;

    return in_seconds ? 0 : 1e-9 * (asked_of(book, false) + slot_s * rate_of(book, false));
}

/* The job must have been retired and have a row in work.csv. */
static struct book open_book(const struct audit *audit, size_t job)
{
    const struct audit_history *history = &audit->histories[job];
    struct book book = {.audit = audit,
                        .job = &audit->given->jobs[job],
                        .record = history->record,
                        .history = history,
                        .account = &audit->accounts[job]};

    assert(history->record);
    assert(history->work);
    book.in_seconds = history->work->in_seconds;
    book.credited = history->work->credited;
    book.rate = rate_of(&book, book.in_seconds);
    book.asked = asked_of(&book, book.in_seconds);
    book.slack = slack_of(&book, book.in_seconds);
    return book;
}

static struct finding_place place_of(const struct book *book, const char *check, const char *tag)
{
    return (struct finding_place){check, tag, book->history->retired_s, book->record->id};
}

/* What up to `worked_s` seconds before the last interval and the rest of that are good for. */
static double work_of(const struct book *book, int64_t worked_s, int64_t owed_s)
{
    const int64_t last_s = book->account->length_s - owed_s;

    return (double)(worked_s + (last_s > 0 ? last_s : 0)) * book->rate;
}

static double least_work(const struct book *book)
{
    return work_of(book, book->account->worked_s.least, book->account->owed_s.most);
}

static double most_work(const struct book *book)
{
    return work_of(book, book->account->worked_s.most, book->account->owed_s.least);
}

static void report_work(const struct book *book, const char *check, const char *tag,
                        const char *text)
{
    const struct finding_place place = place_of(book, check, tag);

    findings_add(book->audit->findings, &place,
                 "%s: %.10g of %.10g %s credited, %.10g to %.10g possible", text, book->credited,
                 book->asked, book->in_seconds ? "seconds" : "iterations", least_work(book),
                 most_work(book));
}

static void check_credit(const struct book *book)
{
    if (book->credited > most_work(book) + book->slack)
        report_work(book, "work-overcredited", NULL, "credited with more than its GPUs could do");
    else if (book->credited < least_work(book) - book->slack)
        report_work(book, "work-uncredited", NULL, "credited with less than its GPUs did");
}

/* TI-Q11: jobs arrive in the round that retires the job, and it ran before the last round already. */
static const char *tag_of_stale_end(const struct book *book)
{
    const struct audit_case *given = book->audit->given;
    const int64_t at_s = book->history->retired_s;
    const size_t before = audit_rounds_before(given, at_s);
    const int64_t before_s = before > 0 ? given->rounds[before - 1].at_s : -1;

    if (!book->audit->policy->keeps_stale_ends || book->account->held_s.most == 0)
        return NULL;
    for (size_t i = 0; i < given->job_count; i++)
        if (given->jobs[i].submit_s > before_s && given->jobs[i].submit_s <= at_s)
            return "TI-Q11";
    return NULL;
}

/* TI-Q2: an overhead that the end left out was never charged; or it was, behind the end (TI-Q1). */
static const char *tag_of_missing_work(const struct book *book)
{
    if (!book->audit->policy->ignores_overhead)
        return tag_of_stale_end(book);
    return book->audit->policy->forgives_rest ? "TI-Q2" : "TI-Q1";
}

/* How much more than it asked for a job may be credited with that is seen to be done in time. */
static double surplus_max(const struct book *book)
{
    const int64_t slot_s = book->audit->given->summary.slot_s;

    if (book->audit->policy->rhythm == RHYTHM_SPACED)
        return book->audit->policy->holds_for_slot ? 0 : 1;
    return (double)slot_s * book->rate + book->slack;
}

static void check_done(const struct book *book)
{
    const double surplus = book->credited - book->asked;
    const char *excuse = book->audit->policy->rhythm == RHYTHM_SPACED ? "TI-Q4" : "GA-Q9";

    if (!book->account->ran)
        report_work(book, "work-not-done", NULL, "retired while it held no GPU");
    else if (surplus < -book->slack)
        report_work(book, "work-not-done", tag_of_missing_work(book),
                    "retired before its work was done");
    else if (surplus > surplus_max(book))
        report_work(book, "work-overcredited", audit_tag(book->audit->policy, excuse),
                    "held its GPUs on when it was done");
}

/* When the last `left` of the work was done. Who has nothing to do, as a job of duration 0, is done
 * with the first credit, however much of its overhead the interval leaves unpaid. */
static int64_t done_s(const struct book *book, double left, double rate, int64_t owed_s)
{
    const struct audit_account *account = book->account;
    const int64_t believed_s =
        audit_believed_overhead(book->audit->policy, owed_s, account->restarted);

    if (book->audit->policy->takes_turns && left <= 0)
        return account->from_s + least_of(believed_s, account->length_s);
    return account->from_s + believed_s + (int64_t)ceil(left / rate);
}

/* Between which times the work in one measure was done, or believed to be. */
static struct audit_bounds done_between(const struct book *book, bool in_seconds)
{
    const struct audit_account *account = book->account;
    const double rate = rate_of(book, in_seconds);
    const double asked = asked_of(book, in_seconds);
    const double slack = slack_of(book, in_seconds);
    const double least = asked - (double)account->worked_s.most * rate;
    const double most = asked - (double)account->worked_s.least * rate;

    return (struct audit_bounds){done_s(book, least - slack, rate, account->owed_s.least),
                                 done_s(book, most + slack, rate, account->owed_s.most)};
}

/* The end is when the work was done. TH-Q6: with iterations it is the end of the slot, whatever comes
 * before; otherwise what runs out first ends the job. */
static void check_end_is_work(const struct book *book)
{
    const bool either = book->audit->policy->measure == BY_EITHER;
    const bool moves = book->audit->policy->ends_with_slot && !book->in_seconds;
    const int64_t end_s = book->record->end_s;
    const bool moved = moves && end_s == book->history->retired_s;
    const struct finding_place place =
        place_of(book, "end-mismatch",
                 moved ? audit_tag(book->audit->policy, "TH-Q6") : tag_of_stale_end(book));
    struct audit_bounds done = done_between(book, book->in_seconds);

    if (moves && !moved)
        done.least = done.most = book->history->retired_s;
    if (either && !moves)
        done.most = least_of(done.most, done_between(book, !book->in_seconds).most);
    if (end_s < done.least || end_s > done.most)
        findings_add(book->audit->findings, &place,
                     "end_time is %" PRId64 ", but its work was done at %" PRId64, end_s,
                     end_s < done.least ? done.least : done.most);
}

/* Gandiva counts back from the round in which it finds more done than was asked. */
static void check_end_is_credit(const struct book *book)
{
    const int64_t surplus_s = (int64_t)(book->credited - book->asked);
    const struct finding_place place = place_of(book, "end-mismatch", NULL);

    if (book->audit->policy->takes_turns &&
        book->record->end_s != book->history->retired_s - surplus_s)
        findings_add(book->audit->findings, &place,
                     "end_time is %" PRId64 ", but it was credited with %" PRId64
                     " s too much at %" PRId64,
                     book->record->end_s, surplus_s, book->history->retired_s);
}

/* A forecast end is seen when it is due, any other in the round behind it. */
static void check_end_is_seen(const struct book *book)
{
    const struct audit_account *account = book->account;
    const int64_t end_s = book->record->end_s;
    const int64_t retired_s = book->history->retired_s;
    const struct finding_place place = place_of(book, "end-mismatch", tag_of_stale_end(book));
    const bool forecast = book->audit->policy->rhythm == RHYTHM_SPACED;
    const int64_t due_s =
        audit_end_is_seen_s(book->audit->policy, book->audit->given, account->from_s, end_s);

    if (forecast ? retired_s != due_s : end_s > retired_s)
        findings_add(book->audit->findings, &place, "ended at %" PRId64 " s, seen at %" PRId64 " s",
                     end_s, retired_s);
    if (account->passed_over_s > 0)
        findings_add(book->audit->findings, &place, "was not retired at %" PRId64 " s",
                     account->passed_over_s);
}

/* Nobody may be retired an interval too late; whose end is forecast, see passed_over_s. */
static bool was_done_before(const struct book *book, bool in_seconds)
{
    const double done = (double)book->account->worked_s.least * rate_of(book, in_seconds);
    const double asked = asked_of(book, in_seconds);

    if (book->audit->policy->rhythm == RHYTHM_SPACED || book->account->held_s.least == 0)
        return false;
    return in_seconds ? done >= asked : done > asked + slack_of(book, false);
}

static void check_end_is_first(const struct book *book)
{
    const bool either = book->audit->policy->measure == BY_EITHER;
    const struct finding_place place = place_of(book, "end-mismatch", NULL);

    if (was_done_before(book, book->in_seconds) ||
        (either && was_done_before(book, !book->in_seconds)))
        findings_add(book->audit->findings, &place, "was done at %" PRId64 " s already",
                     book->account->from_s);
}

/* TH-Q6: in the slot in which the iterations run out they alone count. */
static void check_measure(const struct book *book)
{
    const struct finding_place place = place_of(book, "record-mismatch", NULL);
    const double done = work_of(book, book->account->worked_s.least, book->account->owed_s.most) /
                        book->rate * rate_of(book, false);

    if (book->in_seconds && book->audit->policy->ends_with_slot &&
        done > asked_of(book, false) + slack_of(book, false))
        findings_add(book->audit->findings, &place,
                     "measured in seconds, but its iterations ran out");
}

/* GA-Q7: who is credited with time of others is credited with their GPUs, too. */
static void check_gpu_seconds(const struct book *book)
{
    const struct audit_account *account = book->account;
    const int64_t found = book->history->work->gpu_seconds;
    const int64_t least = (account->held_s.least + account->length_s) * book->job->gpus;
    const int64_t most = (account->held_s.most + account->length_s) * book->job->gpus;
    const bool possible = found >= least && found <= most && found % book->job->gpus == 0;
    const struct finding_place place =
        place_of(book, "gpu-seconds-mismatch",
                 possible && book->audit->policy->adjusts_first ? "GA-Q7" : NULL);

    if (found != book->history->gpu_seconds)
        findings_add(book->audit->findings, &place, "gpu_seconds is %" PRId64 ", held %" PRId64,
                     found, book->history->gpu_seconds);
}

static void check_book(const struct book *book)
{
    check_gpu_seconds(book);
    check_measure(book);
    check_credit(book);
    check_done(book);
    if (!book->account->ran || !(book->rate > 0))
        return;
    check_end_is_work(book);
    check_end_is_credit(book);
    check_end_is_seen(book);
    check_end_is_first(book);
}

void audit_check_accounts(const struct audit *self)
{
    for (size_t i = 0; i < self->given->job_count; i++)
        if (self->histories[i].record && self->histories[i].work && self->given->jobs[i].gpus > 0) {
            const struct book book = open_book(self, i);

            check_book(&book);
        }
}
