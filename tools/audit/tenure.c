/* tenure.c - see tenure.h. */
#include "tools/audit/tenure.h"

#include <math.h>
#include <stdlib.h>

/* Leases of up to so many seconds are short. */
#define SHORT_LEASE_S 30

/* Saving and restoring a job on one GPU, in seconds. */
#define OVERHEAD_S 0.5

double audit_start_s(int64_t gpus)
{
    return (1 + log2((double)gpus)) * OVERHEAD_S;
}

int64_t audit_round_down(int64_t at_s, int64_t every_s)
{
    return at_s / every_s * every_s;
}

int64_t audit_round_up(int64_t at_s, int64_t every_s)
{
    return audit_round_down(at_s + every_s - 1, every_s);
}

int64_t audit_lease_rounds(const struct audit_leasing *leasing, int64_t from_s, int64_t until_s)
{
    return audit_round_up(until_s, leasing->lease_s) / leasing->lease_s - from_s / leasing->lease_s;
}

int64_t audit_waited_s(const struct audit_policy *policy, const struct audit_leasing *leasing,
                       const struct audit_tenure *tenure, int64_t ended_s)
{
    const int64_t looked_s = audit_round_down(tenure->from_s - 1, leasing->admission_s);

    if (!policy->credits_waiting || !tenure->leased || !tenure->starts)
        return 0;
    return tenure->from_s - (looked_s > ended_s ? looked_s : ended_s);
}

/* What a job held without a break, by whatever right. */
struct stretch {
    size_t job;
    int64_t from_s;
    int64_t until_s;
};

struct walk {
    const struct audit_case *given;
    const struct audit_history *histories;
    struct stretch *stretches; /* in the order of their ends */
    size_t count;
    size_t capacity;
    size_t *holders; /* of the round at hand */
    size_t holder_count;
    size_t *held_in; /* by job: the last round, from 1, that has it in its layout */
    int64_t *from_s; /* by job, of those who hold GPUs */
};

static void end_stretch(struct walk *walk, size_t job, int64_t at_s)
{
    const struct audit_history *history = &walk->histories[job];
    const struct stretch stretch = {
        .job = job,
        .from_s = walk->from_s[job],
        .until_s = history->record && history->retired_s < at_s ? history->retired_s : at_s};

    if (stretch.until_s <= stretch.from_s)
        return;
    walk->stretches =
        grow_array(walk->stretches, walk->count, &walk->capacity, sizeof(*walk->stretches));
    walk->stretches[walk->count++] = stretch;
}

static void walk_round(struct walk *walk, size_t number)
{
    const struct audit_case *given = walk->given;
    const struct audit_round *round = &given->rounds[number];
    const size_t before = walk->holder_count;
    size_t kept = 0;

    for (size_t i = 0; i < round->run_count; i++) {
        const size_t job = given->runs[round->first_run + i].job;

        if (job >= given->job_count || walk->held_in[job] == number + 1)
            continue;
        if (number == 0 || walk->held_in[job] != number) {
            walk->from_s[job] = round->at_s;
            walk->holders[walk->holder_count++] = job;
        }
        walk->held_in[job] = number + 1;
    }
    for (size_t i = 0; i < walk->holder_count; i++) {
        const size_t job = walk->holders[i];

        if (i < before && walk->held_in[job] != number + 1)
            end_stretch(walk, job, round->at_s);
        else
            walk->holders[kept++] = job;
    }
    walk->holder_count = kept;
}

static void walk_rounds(struct walk *walk)
{
    const struct audit_case *given = walk->given;

    for (size_t i = 0; i < given->round_count; i++)
        walk_round(walk, i);
    for (size_t i = 0; i < walk->holder_count; i++)
        end_stretch(walk, walk->holders[i], given->rounds[given->round_count - 1].at_s);
}

/* The stretches by job, each job's in order of time, where first[job] says; the caller frees them. */
static struct stretch *sort_by_job(const struct walk *walk, size_t first[])
{
    struct stretch *sorted = xmalloc((walk->count + 1) * sizeof(*sorted));
    size_t *next = xcalloc(walk->given->job_count, sizeof(*next));

    for (size_t i = 0; i < walk->count; i++)
        first[walk->stretches[i].job + 1]++;
    for (size_t i = 0; i < walk->given->job_count; i++) {
        first[i + 1] += first[i];
        next[i] = first[i];
    }
    for (size_t i = 0; i < walk->count; i++)
        sorted[next[walk->stretches[i].job]++] = walk->stretches[i];
    free(next);
    return sorted;
}

static void add(struct audit_tenures *self, size_t *count, struct audit_tenure tenure)
{
    if (tenure.from_s < tenure.until_s)
        self->items[(*count)++] = tenure;
}

/* The first `leases` slots of a job's stretches are leased, and no stretch is cut by more than one
 * change of rights. */
static size_t split(struct audit_tenures *self, const struct audit_leasing *leasing, size_t count,
                    const struct stretch stretches[], size_t stretch_count, int64_t leases)
{
    for (size_t i = 0; i < stretch_count; i++) {
        const struct stretch *stretch = &stretches[i];
        const int64_t rounds = audit_lease_rounds(leasing, stretch->from_s, stretch->until_s);
        const bool all = leases >= rounds;
        const int64_t cut_s =
            all ? stretch->until_s
                : audit_round_down(stretch->from_s, leasing->lease_s) + leases * leasing->lease_s;
        const bool leased = leases > 0;

        add(self, &count,
            (struct audit_tenure){stretch->from_s, leased ? cut_s : stretch->from_s, true, true});
        add(self, &count,
            (struct audit_tenure){leased ? cut_s : stretch->from_s, stretch->until_s, false,
                                  !leased});
        leases -= all ? rounds : leases;
    }
    return count;
}

static void find_promises(struct audit_tenures *self, const struct audit_case *given)
{
    self->promises = xcalloc(given->job_count, sizeof(*self->promises));
    for (size_t i = 0; i < given->promise_count; i++) {
        const struct audit_promise *promise = &given->promises[i];

        if (promise->job != AUDIT_NO_JOB && !self->promises[promise->job])
            self->promises[promise->job] = promise;
    }
}

/* What is left of `sorted` when rights are told apart; there may be one piece more of each job. */
static void find_rights(struct audit_tenures *self, const struct audit_case *given,
                        const struct stretch sorted[], size_t count)
{
    size_t items = 0;

    self->items = xcalloc(count + given->job_count + 1, sizeof(*self->items));
    for (size_t i = 0; i < given->job_count; i++) {
        const size_t from = self->first[i];
        const int64_t leases = self->promises[i] ? self->promises[i]->leases : 0;

        self->first[i] = items;
        items = split(self, &given->summary.leasing, items, &sorted[from],
                      self->first[i + 1] - from, leases);
    }
    self->first[given->job_count] = items;
}

struct audit_tenures audit_tenures_new(const struct audit_case *given,
                                       const struct audit_history histories[])
{
    const struct audit_leasing *leasing = &given->summary.leasing;
    struct audit_tenures self = {.are_short = leasing->lease_s <= SHORT_LEASE_S,
                                 .at_odd_times = leasing->check_s % 2 != 0};
    struct walk walk = {.given = given,
                        .histories = histories,
                        .holders = xcalloc(given->job_count, sizeof(*walk.holders)),
                        .held_in = xcalloc(given->job_count, sizeof(*walk.held_in)),
                        .from_s = xcalloc(given->job_count, sizeof(*walk.from_s))};
    struct stretch *sorted;

    self.first = xcalloc(given->job_count + 1, sizeof(*self.first));
    find_promises(&self, given);
    walk_rounds(&walk);
    sorted = sort_by_job(&walk, self.first);
    find_rights(&self, given, sorted, walk.count);
    free(sorted);
    free(walk.from_s);
    free(walk.held_in);
    free(walk.holders);
    free(walk.stretches);
    return self;
}

void audit_tenures_free(struct audit_tenures *self)
{
    free(self->items);
    free(self->first);
    free(self->promises);
    *self = (struct audit_tenures){.items = NULL};
}
