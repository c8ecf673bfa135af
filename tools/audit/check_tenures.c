/* check_tenures.c - the rules of leases, and the account of every job: it held its GPUs for as long as it
 * ran and its starts took, but for what it was credited with while it waited (CH-Q1).
 *
 * GPUs are leased from one lease round to the next, and given back there at the latest; who has no lease
 * gets spare ones in admission rounds. CH-Q12: at no other time, be they free or not. */
#include "tools/audit/check.h"

#include <inttypes.h>
#include <math.h>

/* An end is computed from a few sums of whole seconds and of overheads. */
#define ERROR_S 1e-6

struct book {
    const struct audit *audit;
    const struct audit_leasing *leasing;
    struct audit_tenant tenant;
};

static struct finding_place place_of(const struct book *book, const char *check, const char *tag,
                                     int64_t at_s)
{
    return (struct finding_place){check, tag, at_s, book->tenant.job->id};
}

bool audit_find_tenant(const struct audit *self, size_t job, struct audit_tenant *tenant)
{
    *tenant = (struct audit_tenant){
        .job = &self->given->jobs[job],
        .record = self->histories[job].record,
        .promise = self->tenures->promises[job],
        .tenures = &self->tenures->items[self->tenures->first[job]],
        .count = self->tenures->first[job + 1] - self->tenures->first[job],
    };
    if (!tenant->record || !tenant->promise || tenant->job->gpus < 1 || tenant->job->duration_s < 0)
        return false;
    tenant->declined = audit_was_declined(self, tenant);
    tenant->certain = !self->tenures->are_short && !self->tenures->at_odd_times &&
                      (tenant->declined || !self->policy->spares_for_all);
    return true;
}

static bool is_round(int64_t at_s, int64_t every_s)
{
    return at_s % every_s == 0;
}

static void check_begin(const struct book *book, const struct audit_tenure *tenure)
{
    const struct audit_leasing *leasing = book->leasing;
    const struct finding_place place = place_of(book, "out-of-slot", NULL, tenure->from_s);
    const bool leases = is_round(tenure->from_s, leasing->lease_s);
    const bool admits = is_round(tenure->from_s, leasing->admission_s);

    if (!book->tenant.certain) {
        if (!leases && !admits && tenure->from_s % 2 == 0)
            findings_add(book->audit->findings, &place,
                         "is given GPUs between lease rounds and admission rounds");
    } else if (tenure->leased && tenure->starts && !leases) {
        findings_add(book->audit->findings, &place, "is given a lease between lease rounds");
    } else if (!tenure->leased && !admits) {
        findings_add(book->audit->findings, &place,
                     tenure->starts ? "is given spare GPUs between admission rounds"
                                    : "keeps its GPUs in a lease round that gives it no lease");
    }
}

/* Lease rounds behind the first second of a tenure, in which it is not over. */
static int64_t rounds_within(const struct book *book, const struct audit_tenure *tenure)
{
    return audit_lease_rounds(book->leasing, tenure->from_s, tenure->until_s) - 1;
}

static void check_finish(const struct book *book, const struct audit_tenure *tenure)
{
    const struct audit_leasing *leasing = book->leasing;
    const bool is_over = tenure->until_s == book->tenant.record->retired_at_s;
    const struct finding_place place = place_of(book, "out-of-slot", NULL, tenure->until_s);

    if (!is_over && !is_round(tenure->until_s, leasing->lease_s) &&
        !(book->audit->tenures->are_short && is_round(tenure->until_s, leasing->admission_s)))
        findings_add(book->audit->findings, &place, "gives its GPUs back before a lease round");
}

/* A lease round takes all spare GPUs back; only an admission round at the same time gives them again. */
static void check_passage(const struct book *book, const struct audit_tenure *tenure)
{
    const struct audit_leasing *leasing = book->leasing;
    const struct finding_place place = place_of(book, "out-of-slot", NULL, tenure->from_s);
    int64_t at_s = audit_round_up(tenure->from_s + 1, leasing->lease_s);

    if (!book->tenant.certain || tenure->leased)
        return;
    if (is_round(at_s, leasing->admission_s)) /* then so is every other, or not the next */
        at_s += leasing->lease_s;
    if (at_s < tenure->until_s && !is_round(at_s, leasing->admission_s))
        findings_add(book->audit->findings, &place,
                     "keeps spare GPUs in the lease round at %" PRId64 " s", at_s);
}

static int64_t divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static void check_lease_count(const struct book *book)
{
    const struct audit_promise *promise = book->tenant.promise;
    const int64_t most = divide_up(promise->estimated_s, book->leasing->lease_s);
    const struct finding_place place =
        place_of(book, "leases-mismatch", NULL, book->tenant.record->retired_at_s);
    int64_t slots = 0;
    int64_t spare = 0;

    for (size_t i = 0; i < book->tenant.count; i++) {
        const struct audit_tenure *tenure = &book->tenant.tenures[i];
        const int64_t rounds = audit_lease_rounds(book->leasing, tenure->from_s, tenure->until_s);

        slots += tenure->leased ? rounds : 0;
        spare += tenure->leased ? 0 : rounds;
    }
    if (promise->leases > slots)
        findings_add(book->audit->findings, &place,
                     "had %" PRId64 " leases, but held GPUs in %" PRId64 " slots", promise->leases,
                     slots);
    if (promise->leases > most)
        findings_add(book->audit->findings, &place,
                     "had %" PRId64 " leases, but was estimated to need %" PRId64, promise->leases,
                     most);
    if (promise->class == CLASS_ACCEPTED && book->tenant.certain && spare > 0)
        findings_add(book->audit->findings, &place,
                     "was promised its deadline, and held GPUs in %" PRId64
                     " slots more than it had leases",
                     spare);
}

/* What its tenures add up to. */
struct sum {
    int64_t held_s;
    int64_t waited_s;
    int64_t waited_most_s; /* if all of them began with a lease */
    int64_t begun;         /* times that it had no GPU before */
    int64_t restarts;      /* lease rounds that stopped it and gave it spare GPUs again */
    int64_t rounds;        /* lease rounds in which it kept its GPUs, by whatever right */
};

static void check_used_up(const struct book *book, const struct audit_tenure *tenure,
                          const struct sum *sum)
{
    const int64_t last_s = audit_round_down(tenure->until_s - 1, book->leasing->lease_s);
    const int64_t begin_s = last_s > tenure->from_s ? last_s : tenure->from_s;
    const int64_t ran_s = sum->held_s + sum->waited_s + begin_s - tenure->from_s;
    const struct finding_place place = place_of(book, "leases-mismatch", NULL, begin_s);

    if (book->tenant.certain && tenure->leased && ran_s >= book->tenant.promise->estimated_s)
        findings_add(book->audit->findings, &place,
                     "is given a lease after %" PRId64 " s, and was estimated to need %" PRId64,
                     ran_s, book->tenant.promise->estimated_s);
}

static int64_t waited_s(const struct book *book, const struct audit_tenure *tenure, int64_t ended_s,
                        bool leased)
{
    const struct audit_tenure as = {tenure->from_s, tenure->until_s, leased, tenure->starts};

    return audit_waited_s(book->audit->policy, book->leasing, &as, ended_s);
}

static struct sum sum_up(const struct book *book)
{
    int64_t ended_s = INT64_MIN;
    struct sum sum = {.held_s = 0};

    for (size_t i = 0; i < book->tenant.count; i++) {
        const struct audit_tenure *tenure = &book->tenant.tenures[i];
        const int64_t rounds = rounds_within(book, tenure) + !tenure->starts;

        check_begin(book, tenure);
        check_finish(book, tenure);
        check_passage(book, tenure);
        check_used_up(book, tenure, &sum);
        sum.waited_s += waited_s(book, tenure, ended_s, tenure->leased);
        sum.waited_most_s += waited_s(book, tenure, ended_s, true);
        sum.held_s += tenure->until_s - tenure->from_s;
        sum.begun += tenure->starts;
        sum.rounds += rounds;
        sum.restarts += tenure->leased ? 0 : rounds;
        ended_s = tenure->until_s;
    }
    return sum;
}

static void check_waiting(const struct book *book, const struct sum *sum)
{
    const int64_t said_s = book->tenant.promise->waited_s;
    const int64_t at_s = book->tenant.record->retired_at_s;
    const struct finding_place mismatch = place_of(book, "wait-mismatch", NULL, at_s);
    const struct finding_place credited = place_of(book, "work-overcredited", "CH-Q1", at_s);

    if (book->tenant.certain ? said_s != sum->waited_s : said_s > sum->waited_most_s)
        findings_add(book->audit->findings, &mismatch,
                     "waited_s is %" PRId64 ", but it waited %" PRId64 " s before its leases",
                     said_s, book->tenant.certain ? sum->waited_s : sum->waited_most_s);
    else if (said_s > 0)
        findings_add(book->audit->findings, &credited,
                     "credited with %" PRId64 " s for which it held no GPU", said_s);
}

/* What it can have paid for. Spare GPUs cost no start if they are not handed out in an admission round as
 * the reference has them (CH-Q6). */
static struct audit_bounds starts_of(const struct book *book, const struct sum *sum)
{
    const bool pays = book->audit->policy->pays_restarts;
    const bool fills = book->audit->policy->spares_for_all || book->audit->tenures->at_odd_times;
    const int64_t exactly = sum->begun + (pays ? sum->restarts : 0);

    if (book->tenant.certain)
        return (struct audit_bounds){exactly, exactly};
    return (struct audit_bounds){fills ? 0 : sum->begun, sum->begun + (pays ? sum->rounds : 0)};
}

static void check_starts(const struct book *book, const struct sum *sum)
{
    const int64_t said = book->tenant.promise->starts;
    const struct audit_bounds paid = starts_of(book, sum);
    const bool possible = said >= paid.least && said <= paid.most;
    const struct finding_place place = place_of(book, "starts-mismatch", possible ? "CH-Q8" : NULL,
                                                book->tenant.record->retired_at_s);

    if (!possible || said > sum->begun)
        findings_add(book->audit->findings, &place,
                     "paid for %" PRId64 " starts, got GPUs %" PRId64
                     " times, and kept them in %" PRId64 " lease rounds without a lease",
                     said, sum->begun, sum->restarts);
}

/* Seconds that its starts took. */
static double overheads_s(const struct book *book)
{
    return (double)book->tenant.promise->starts * audit_start_s(book->tenant.job->gpus);
}

/* Whatever it held its GPUs for, or waited, it was credited with. */
static void check_credit(const struct book *book, const struct sum *sum)
{
    const struct audit_work *work = book->audit->histories[book->tenant.record->job].work;
    const double ran_s = (double)(sum->held_s + book->tenant.promise->waited_s);
    const struct finding_place place =
        place_of(book, work && work->credited > ran_s ? "work-overcredited" : "work-uncredited",
                 NULL, book->tenant.record->retired_at_s);

    if (work && work->credited != ran_s)
        findings_add(book->audit->findings, &place,
                     "%.12g s credited, but it held GPUs and waited for %.12g s", work->credited,
                     ran_s);
}

static void check_balance(const struct book *book, const struct sum *sum)
{
    const struct audit_record *record = book->tenant.record;
    const double ran_s = (double)(sum->held_s + book->tenant.promise->waited_s);
    const double asked_s = (double)book->tenant.job->duration_s + overheads_s(book);
    const double done_s = (double)record->retired_at_s - (ran_s - asked_s);
    const struct finding_place place = place_of(book, "end-mismatch", NULL, record->retired_at_s);

    if (!(fabs(record->ended_s - done_s) <= ERROR_S + 1e-12 * fabs(done_s)))
        findings_add(book->audit->findings, &place,
                     "end_time is %.12g, but with %.12g s of %.12g that it takes, %" PRId64
                     " starts among them, it was done at %.12g",
                     record->ended_s, ran_s, asked_s, book->tenant.promise->starts, done_s);
}

/* An end is seen at the first check behind it; that is late only where the end was credited. */
static void check_seen(const struct book *book)
{
    const struct audit_record *record = book->tenant.record;
    const size_t count = book->tenant.count;
    const struct audit_tenure last =
        count > 0 ? book->tenant.tenures[count - 1] : (struct audit_tenure){.until_s = -1};
    const int64_t looked_s = record->retired_at_s - book->leasing->check_s;
    const bool was_seen = looked_s > last.from_s || (looked_s == last.from_s && !last.starts);
    const struct finding_place place = place_of(book, "end-mismatch", NULL, record->retired_at_s);

    if (last.until_s != record->retired_at_s)
        findings_add(book->audit->findings, &place, "retired while it held no GPU");
    else if (record->ended_s > (double)record->retired_at_s)
        findings_add(book->audit->findings, &place, "retired before its end at %.12g",
                     record->ended_s);
    else if (was_seen && record->ended_s <= (double)looked_s)
        findings_add(book->audit->findings, &place,
                     "was done at %.12g already, and checked at %" PRId64 " s", record->ended_s,
                     looked_s);
}

static void check_book(const struct book *book)
{
    const struct sum sum = sum_up(book);

    check_lease_count(book);
    check_waiting(book, &sum);
    check_starts(book, &sum);
    check_credit(book, &sum);
    check_balance(book, &sum);
    check_seen(book);
}

void audit_check_tenures(const struct audit *self)
{
    struct book book = {.audit = self, .leasing = &self->given->summary.leasing};

    for (size_t i = 0; i < self->given->job_count; i++)
        if (audit_find_tenant(self, i, &book.tenant))
            check_book(&book);
}
