/* check_leases.c - the lease rounds of leases.csv, against the layouts and the settings of the run, and
 * what summary.json says of them all. */
#include "tools/audit/check.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const objective_names[] = {[OBJECTIVE_MAXIMIZE] = "maximize",
                                              [OBJECTIVE_MINIMIZE] = "minimize",
                                              [OBJECTIVE_RANDOM] = "random",
                                              [OBJECTIVE_ADAPTIVE] = "adaptive"};

/* Something that is there from one time on, or no longer: leases and the GPUs on them, GPUs that may be
 * leased or spare, and deadlines that may be entries of a lease round. */
struct change {
    int64_t at_s;
    int64_t leases;
    int64_t gpus;
    int64_t gpus_unsure;
    int64_t deadlines;
};

struct changes {
    struct change *items;
    size_t count;
    size_t capacity;
};

static void add(struct changes *self, struct change change)
{
    self->items = grow_array(self->items, self->count, &self->capacity, sizeof(*self->items));
    self->items[self->count++] = change;
}

static int compare_changes(const void *a, const void *b)
{
    const struct change *x = a;
    const struct change *y = b;

    return x->at_s < y->at_s ? -1 : x->at_s > y->at_s;
}

/* GPUs that are taken, or given back if `sign` is -1. */
static struct change change_of(const struct audit_tenant *tenant, int64_t at_s, int sign)
{
    return (struct change){.at_s = at_s,
                           .leases = tenant->certain ? sign : 0,
                           .gpus = tenant->certain ? sign * tenant->job->gpus : 0,
                           .gpus_unsure = tenant->certain ? 0 : sign * tenant->job->gpus};
}

/* A job is admitted behind the lease round of the same time, and gone before that of its retirement. */
static void add_tenant(struct changes *self, const struct audit *audit,
                       const struct audit_tenant *tenant)
{
    const int64_t admission_s = audit->given->summary.leasing.admission_s;
    const int64_t deadlines = (int64_t)tenant->job->deadline_count;

    add(self, (struct change){.at_s = audit_round_up(tenant->job->submit_s, admission_s) + 1,
                              .deadlines = deadlines});
    add(self, (struct change){.at_s = tenant->record->retired_at_s, .deadlines = -deadlines});
    for (size_t i = 0; i < tenant->count; i++) {
        const struct audit_tenure *tenure = &tenant->tenures[i];

        if (tenant->certain ? !tenure->leased : tenant->declined)
            continue;
        add(self, change_of(tenant, tenure->from_s, 1));
        add(self, change_of(tenant, tenure->until_s, -1));
    }
}

static void complain(const struct audit *self, int64_t at_s, const char *text)
{
    findings_add(self->findings, &(struct finding_place){"lease-mismatch", NULL, at_s, NULL}, "%s",
                 text);
}

static void check_time(const struct audit *self, size_t row)
{
    const struct audit_lease_round *rounds = self->given->lease_rounds;

    if (rounds[row].at_s % self->given->summary.leasing.lease_s != 0)
        complain(self, rounds[row].at_s, "is no multiple of the lease");
    if (row > 0 && rounds[row].at_s <= rounds[row - 1].at_s)
        findings_add(self->findings,
                     &(struct finding_place){"not-in-time-order", NULL, rounds[row].at_s, NULL},
                     "a lease round, recorded behind that at %" PRId64 " s", rounds[row - 1].at_s);
}

static void check_objective(const struct audit *self, const struct audit_lease_round *round)
{
    const enum audit_objective asked = self->given->summary.leasing.objective;
    const bool fits = asked == OBJECTIVE_ADAPTIVE ? round->objective == OBJECTIVE_MAXIMIZE ||
                                                        round->objective == OBJECTIVE_MINIMIZE
                                                  : round->objective == asked;

    if (!fits)
        findings_add(self->findings,
                     &(struct finding_place){"lease-mismatch", NULL, round->at_s, NULL},
                     "the objective is %s, in a run for %s", objective_names[round->objective],
                     objective_names[asked]);
}

/* Whoever was asked and gave no usable answer is replaced by the plan. */
static void check_method(const struct audit *self, const struct audit_lease_round *round)
{
    const bool useful = round->answer == ANSWER_OPTIMAL || round->answer == ANSWER_FEASIBLE;
    const bool asked = round->answer != ANSWER_NONE;
    const bool solved = round->method == METHOD_COMPACTED || round->method == METHOD_FULL;

    if (!self->given->summary.leasing.solves && (asked || round->method != METHOD_PLAN))
        complain(self, round->at_s, "asked a solver, in a run without one");
    else if (solved && !useful)
        complain(self, round->at_s, "took a solution that nobody gave");
    else if (!solved && useful)
        complain(self, round->at_s, "had a solution and did not take it");
    else if (round->method == METHOD_CLOSED_FORM && asked)
        complain(self, round->at_s, "asked a solver for what needs none");
}

static void check_sizes(const struct audit *self, const struct audit_lease_round *round,
                        const struct change *now)
{
    const int64_t granted = round->granted_gpus;
    const struct finding_place place = {"lease-mismatch", NULL, round->at_s, NULL};

    if (granted < now->gpus)
        findings_add(self->findings, &place,
                     "granted_gpus is %" PRId64 ", but jobs with leases hold %" PRId64, granted,
                     now->gpus);
    else if (granted > now->gpus + now->gpus_unsure)
        findings_add(self->findings, &place,
                     "granted_gpus is %" PRId64 ", but jobs that can have leases hold %" PRId64,
                     granted, now->gpus + now->gpus_unsure);
    if (round->entries < 1 || round->entries < now->leases || round->entries > now->deadlines)
        findings_add(self->findings, &place,
                     "%" PRId64 " entries, with %" PRId64 " leases given to jobs of %" PRId64
                     " deadlines",
                     round->entries, now->leases, now->deadlines);
}

static void check_rounds(const struct audit *self, const struct changes *changes)
{
    const struct audit_case *given = self->given;
    struct change now = {.at_s = 0};
    size_t seen = 0;

    for (size_t i = 0; i < given->lease_round_count; i++) {
        const struct audit_lease_round *round = &given->lease_rounds[i];

        for (; seen < changes->count && changes->items[seen].at_s <= round->at_s; seen++) {
            now.leases += changes->items[seen].leases;
            now.gpus += changes->items[seen].gpus;
            now.gpus_unsure += changes->items[seen].gpus_unsure;
            now.deadlines += changes->items[seen].deadlines;
        }
        check_time(self, i);
        check_objective(self, round);
        check_method(self, round);
        check_sizes(self, round, &now);
    }
}

/* Lease rounds on record before `at_s`, if they are in order of time. */
static int64_t recorded_before(const struct audit_case *given, int64_t at_s)
{
    size_t low = 0;
    size_t high = given->lease_round_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (given->lease_rounds[middle].at_s < at_s)
            low = middle + 1;
        else
            high = middle;
    }
    return (int64_t)low;
}

/* There must be a row for each lease that somebody had. */
static void check_recorded(const struct audit *self, const struct audit_tenant *tenant)
{
    const struct audit_case *given = self->given;

    for (size_t i = 0; i < tenant->count; i++) {
        const struct audit_tenure *tenure = &tenant->tenures[i];
        const int64_t asked =
            audit_lease_rounds(&given->summary.leasing, tenure->from_s, tenure->until_s);
        const int64_t found =
            recorded_before(given, tenure->until_s) - recorded_before(given, tenure->from_s);

        if (tenure->leased && tenant->certain && found < asked)
            findings_add(
                self->findings,
                &(struct finding_place){"lease-mismatch", NULL, tenure->from_s, tenant->job->id},
                "was given %" PRId64 " leases in a row, in %" PRId64 " lease rounds of leases.csv",
                asked, found);
    }
}

static void check_count(const struct audit *self, const char *what, int64_t said, int64_t expected)
{
    if (said != expected)
        findings_add(
            self->findings, &(struct finding_place){"count-mismatch", NULL, AUDIT_NO_TIME, NULL},
            "summary.json says of leases %s %" PRId64 ", expected %" PRId64, what, said, expected);
}

static int64_t most_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* What was granted is what the leases of all jobs add up to. */
static void check_grants(const struct audit *self)
{
    const struct audit_case *given = self->given;
    struct audit_tenant tenant;
    int64_t granted = 0;
    int64_t held = 0;

    for (size_t i = 0; i < given->lease_round_count; i++)
        granted += given->lease_rounds[i].granted_gpus;
    for (size_t i = 0; i < given->job_count; i++)
        if (audit_find_tenant(self, i, &tenant))
            held += tenant.promise->leases * tenant.job->gpus;
    if (granted != held)
        findings_add(
            self->findings, &(struct finding_place){"lease-mismatch", NULL, AUDIT_NO_TIME, NULL},
            "lease rounds granted %" PRId64 " GPUs in all, and jobs had leases on %" PRId64,
            granted, held);
}

static void check_summary(const struct audit *self)
{
    const struct audit_case *given = self->given;
    const struct audit_leasing *said = &given->summary.leasing;
    struct audit_leasing found = {.rounds = (int64_t)given->lease_round_count};

    for (size_t i = 0; i < given->lease_round_count; i++) {
        const struct audit_lease_round *round = &given->lease_rounds[i];

        found.by_method[round->method]++;
        found.by_answer[round->answer]++;
        found.columns_max = most_of(found.columns_max, round->columns);
        found.rows_max = most_of(found.rows_max, round->rows);
    }
    for (size_t i = 0; i < given->promise_count; i++)
        found.admitted += given->promises[i].class == CLASS_ACCEPTED;
    check_count(self, "admitted", said->admitted, found.admitted);
    check_count(self, "rounds", said->rounds, found.rounds);
    check_count(self, "columns_max", said->columns_max, found.columns_max);
    check_count(self, "rows_max", said->rows_max, found.rows_max);
    for (int i = 0; i < METHOD_COUNT; i++)
        check_count(self, "rounds by method", said->by_method[i], found.by_method[i]);
    for (int i = said->by_answer[ANSWER_NONE] < 0; i < ANSWER_COUNT; i++)
        check_count(self, "rounds by answer", said->by_answer[i], found.by_answer[i]);
}

void audit_check_leases(const struct audit *self)
{
    struct changes changes = {.items = NULL};
    struct audit_tenant tenant;

    for (size_t i = 0; i < self->given->job_count; i++)
        if (audit_find_tenant(self, i, &tenant)) {
            add_tenant(&changes, self, &tenant);
            check_recorded(self, &tenant);
        }
    if (changes.count > 0)
        qsort(changes.items, changes.count, sizeof(*changes.items), compare_changes);
    check_rounds(self, &changes);
    check_grants(self);
    check_summary(self);
    free(changes.items);
}
