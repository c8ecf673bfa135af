/* check_promises.c - what jobs were promised, in promises.csv: the deadline that each is judged by, whether
 * it was met, and what became of the job. Whoever is still accepted at its end must have met it. */
#include "tools/audit/check.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Estimates are so many times what they come to. */
#define MARGIN 1.1

static const char *const class_names[] = {[CLASS_ACCEPTED] = "accepted",
                                          [CLASS_UNACCEPTED] = "unaccepted",
                                          [CLASS_LOWEST] = "lowest",
                                          [CLASS_BEST_EFFORT] = "best-effort"};

/* One promise, and all that it can be held against. */
struct claim {
    const struct audit *audit;
    struct audit_tenant tenant;
};

static struct finding_place place_of(const struct claim *claim, const char *check, const char *tag)
{
    return (struct finding_place){check, tag, claim->tenant.record->retired_at_s,
                                  claim->tenant.job->id};
}

static void report_row(const struct audit *self, int64_t at_s, const char *id, const char *text)
{
    findings_add(self->findings, &(struct finding_place){"promise-mismatch", NULL, at_s, id}, "%s",
                 text);
}

/* A row for each record, in the same order. */
static void check_order(const struct audit *self)
{
    const struct audit_case *given = self->given;
    size_t row = 0;

    for (; row < given->promise_count && row < given->record_count; row++)
        if (strcmp(given->promises[row].id, given->records[row].id) != 0)
            report_row(self, given->records[row].retired_at_s, given->records[row].id,
                       "retired when promises.csv has another job");
    for (size_t i = row; i < given->record_count; i++)
        report_row(self, given->records[i].retired_at_s, given->records[i].id,
                   "retired, but not in promises.csv");
    for (size_t i = row; i < given->promise_count; i++)
        report_row(self, AUDIT_NO_TIME, given->promises[i].id,
                   "in promises.csv, but was not retired then");
}

static void check_rows(const struct audit *self)
{
    const struct audit_case *given = self->given;

    check_order(self);
    for (size_t i = 0; i < given->promise_count; i++) {
        const struct audit_promise *promise = &given->promises[i];

        if (promise->job == AUDIT_NO_JOB)
            findings_add(self->findings,
                         &(struct finding_place){"unknown-job", NULL, AUDIT_NO_TIME, promise->id},
                         "in promises.csv, but the trace has no such job");
        else if (self->tenures->promises[promise->job] != promise)
            findings_add(self->findings,
                         &(struct finding_place){"retired-twice", NULL, AUDIT_NO_TIME, promise->id},
                         "promises.csv has it twice");
    }
}

/* One start in each lease is foreseen. */
static double estimate_s(const struct claim *claim)
{
    const struct audit_job *job = claim->tenant.job;
    const double lease_s = (double)claim->audit->given->summary.leasing.lease_s;
    return trunc((double)job->duration_s * (1 + audit_start_s(job->gpus) / lease_s) * MARGIN);
}

static void check_estimate(const struct claim *claim)
{
    const struct finding_place place = place_of(claim, "promise-mismatch", NULL);
    const int64_t said_s = claim->tenant.promise->estimated_s;

    if ((double)said_s != estimate_s(claim))
        findings_add(claim->audit->findings, &place, "estimated_s is %" PRId64 ", expected %.15g",
                     said_s, estimate_s(claim));
}

/* The end of the last lease that is over by deadline number `index`. */
static int64_t rounded_s(const struct claim *claim, size_t index)
{
    return audit_round_down(claim->tenant.job->deadlines_s[index],
                            claim->audit->given->summary.leasing.lease_s);
}

/* Whether the job can have been admitted to what it was promised: its last deadline, rounded (CH-Q18: put
 * right, the first that it fits). `stated_s` is what that is rounded from. */
static bool is_admitted(const struct claim *claim, int64_t *stated_s)
{
    const size_t count = claim->tenant.job->deadline_count;

    for (size_t i = claim->audit->policy->admits_to_last && count > 0 ? count - 1 : 0; i < count;
         i++)
        if (claim->tenant.promise->promised_s == rounded_s(claim, i)) {
            *stated_s = claim->tenant.job->deadlines_s[i];
            return true;
        }
    return false;
}

/* A job that was never admitted is held to its first deadline, as it stands in the trace. With short
 * leases it may be accepted all the same, when it can be done before the next lease round. */
static bool is_declined(const struct claim *claim)
{
    const struct audit_job *job = claim->tenant.job;
    const bool accepted = claim->tenant.promise->class == CLASS_ACCEPTED;

    return (!accepted || claim->audit->tenures->are_short) && job->deadline_count > 0 &&
           claim->tenant.promise->promised_s == job->deadlines_s[0];
}

bool audit_was_declined(const struct audit *self, const struct audit_tenant *tenant)
{
    const struct claim claim = {.audit = self, .tenant = *tenant};
    int64_t stated_s;

    return tenant->job->deadline_count == 0 ||
           (is_declined(&claim) && !is_admitted(&claim, &stated_s));
}

static void check_promised(const struct claim *claim)
{
    const struct audit_promise *promise = claim->tenant.promise;
    const size_t count = claim->tenant.job->deadline_count;
    const struct finding_place place = place_of(claim, "promise-mismatch", NULL);
    int64_t stated_s;

    if (count == 0 && promise->promised_s != AUDIT_DEADLINE_NONE_S)
        findings_add(claim->audit->findings, &place, "promised %" PRId64 ", but has no deadline",
                     promise->promised_s);
    else if (count > 0 && promise->promised_s == AUDIT_DEADLINE_NONE_S)
        findings_add(claim->audit->findings, &place, "promised nothing, but has a deadline");
    else if (count > 0 && !is_admitted(claim, &stated_s) && !is_declined(claim))
        findings_add(
            claim->audit->findings, &place,
            "promised %" PRId64 ", expected %" PRId64 ", or %" PRId64 " if it was never accepted",
            promise->promised_s, rounded_s(claim, count - 1), claim->tenant.job->deadlines_s[0]);
    else if (promise->leases > 0 && (count == 0 || !is_admitted(claim, &stated_s)))
        findings_add(claim->audit->findings, &place,
                     "had %" PRId64 " leases, but was never promised a lease boundary",
                     promise->leases);
}

/* What the job is judged by. CH-Q7: put right, the deadline that it stated. */
static int64_t judged_by_s(const struct claim *claim)
{
    int64_t stated_s = claim->tenant.promise->promised_s;

    if (!claim->audit->policy->promises_rounded)
        (void)is_admitted(claim, &stated_s);
    return stated_s;
}

static void check_missed(const struct claim *claim)
{
    const struct audit_promise *promise = claim->tenant.promise;
    const double ended_s = claim->tenant.record->ended_s;
    const bool missed =
        promise->promised_s != AUDIT_DEADLINE_NONE_S && ended_s > (double)judged_by_s(claim);
    const struct finding_place mismatch = place_of(claim, "promise-mismatch", NULL);
    const struct finding_place rounded = place_of(claim, "deadline-rounded", "CH-Q7");
    int64_t stated_s;

    if (promise->missed != missed)
        findings_add(claim->audit->findings, &mismatch,
                     "missed is %d, but it ended at %.12g and was to end by %" PRId64,
                     promise->missed, ended_s, judged_by_s(claim));
    else if (missed && is_admitted(claim, &stated_s) && ended_s <= (double)stated_s)
        findings_add(claim->audit->findings, &rounded,
                     "missed %" PRId64 ", but met its deadline %" PRId64, promise->promised_s,
                     stated_s);
}

/* CH-Q3: in minutes, for which short leases are meant, a start costs nothing to speak of; whether a job
 * can still be done in time is asked without it. */
static void check_kept(const struct claim *claim)
{
    const struct audit_promise *promise = claim->tenant.promise;
    const double late_s = claim->tenant.record->ended_s - (double)promise->promised_s;
    const double starts_s = (double)promise->starts * audit_start_s(claim->tenant.job->gpus);
    const bool explained = claim->audit->tenures->are_short && late_s <= starts_s;
    const struct finding_place place =
        place_of(claim, "promise-broken", explained ? "CH-Q3" : NULL);

    if (promise->class == CLASS_ACCEPTED && promise->promised_s != AUDIT_DEADLINE_NONE_S &&
        late_s > 0)
        findings_add(claim->audit->findings, &place,
                     "A PROMISE IS BROKEN: accepted for %" PRId64 ", it ended %.12g s later",
                     promise->promised_s, late_s);
}

/* Seconds that the job was credited with in all. */
static int64_t ran_s(const struct claim *claim)
{
    int64_t sum_s = claim->tenant.promise->waited_s;

    for (size_t i = 0; i < claim->tenant.count; i++)
        sum_s += claim->tenant.tenures[i].until_s - claim->tenant.tenures[i].from_s;
    return sum_s;
}

/* Whether it certainly was promised a lease boundary. */
static bool was_promised(const struct claim *claim)
{
    const struct audit_promise *promise = claim->tenant.promise;
    int64_t stated_s;

    return promise->leases > 0 || (is_admitted(claim, &stated_s) &&
                                   promise->promised_s != claim->tenant.job->deadlines_s[0]);
}

/* A promise is good until the job outlives its estimate. Of one that needs no lease nobody takes care. */
static void check_withdrawn(const struct claim *claim)
{
    const struct audit_promise *promise = claim->tenant.promise;
    const bool withdrawn = promise->class == CLASS_UNACCEPTED || promise->class == CLASS_LOWEST;
    const struct finding_place place = place_of(claim, "promise-withdrawn", NULL);

    if (withdrawn && was_promised(claim) && !claim->audit->tenures->are_short &&
        promise->estimated_s > 0 && ran_s(claim) < promise->estimated_s)
        findings_add(claim->audit->findings, &place,
                     "was accepted for %" PRId64 " and is %s, though it ran for %" PRId64
                     " s of an estimate of %" PRId64,
                     promise->promised_s, class_names[promise->class], ran_s(claim),
                     promise->estimated_s);
}

/* Only a plan that finds no room takes back a promise that could still be kept. */
static bool can_be(const struct audit_fate *fate, enum audit_class class)
{
    return class == fate->class || (fate->class == CLASS_ACCEPTED && class == CLASS_UNACCEPTED);
}

static void check_class(const struct claim *claim)
{
    const struct audit_fate fate = audit_fate_of(claim->audit, &claim->tenant);
    const enum audit_class class = claim->tenant.promise->class;
    const bool overrun = fate.class != CLASS_BEST_EFFORT && claim->tenant.job->deadline_count == 0;
    const struct finding_place mismatch = place_of(claim, "class-mismatch", NULL);
    const struct finding_place promoted = place_of(claim, "class-mismatch", "CH-Q17");

    if (class == CLASS_BEST_EFFORT && claim->tenant.job->deadline_count > 0)
        findings_add(claim->audit->findings, &mismatch, "of best effort, but has a deadline");
    else if (fate.certain && !can_be(&fate, class))
        findings_add(claim->audit->findings, &mismatch, "class is %s, expected %s",
                     class_names[class], class_names[fate.class]);
    else if (class != CLASS_BEST_EFFORT && overrun && claim->audit->policy->promotes_overruns)
        findings_add(claim->audit->findings, &promoted,
                     "of best effort, but %s since it ran for longer than estimated",
                     class_names[class]);
}

void audit_check_promises(const struct audit *self)
{
    struct claim claim = {.audit = self};

    check_rows(self);
    for (size_t i = 0; i < self->given->job_count; i++) {
        if (!audit_find_tenant(self, i, &claim.tenant))
            continue;
        check_estimate(&claim);
        check_promised(&claim);
        check_missed(&claim);
        check_kept(&claim);
        check_withdrawn(&claim);
        check_class(&claim);
    }
}
