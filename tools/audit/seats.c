/* seats.c - see seats.h. Source: sections 2.1 and 2.4 of the specification of the published policies,
 * ADJUST. */
#include "tools/audit/seats.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define SIZES 24 /* powers of two, from 1 GPU */

/* What there is of each job size after a round. */
struct sets {
    int64_t jobs[SIZES];
    int64_t count[SIZES];
    int64_t nodes_free;
};

struct audit_seats {
    const struct audit_case *given;
    const struct audit_policy *policy;
    const struct audit_history *histories;
    size_t *by_start; /* all that ever started */
    size_t start_count;
    size_t started;
    size_t *jobs;
    size_t count;
    size_t *seen_in;  /* by node: the last round, from 1, that has somebody on it */
    uint32_t changed; /* a bit for each size */
    uint32_t left;
};

/* -1 if it is no power of two. */
static int size_of(int64_t gpus)
{
    int size = 0;

    if (gpus < 1 || (gpus & (gpus - 1)) != 0)
        return -1;
    for (; gpus > 1; gpus /= 2)
        size++;
    return size < SIZES ? size : -1;
}

static int compare_starts(const void *a, const void *b, void *context)
{
    const struct audit_seats *self = context;
    const size_t x = *(const size_t *)a;
    const size_t y = *(const size_t *)b;
    const int64_t x_s = self->histories[x].record->start_s;
    const int64_t y_s = self->histories[y].record->start_s;

    if (x_s != y_s)
        return x_s < y_s ? -1 : 1;
    return x < y ? -1 : x > y;
}

audit_seats_t *audit_seats_new(const struct audit_case *given, const struct audit_policy *policy,
                               const struct audit_history histories[])
{
    audit_seats_t *self = xcalloc(1, sizeof(*self));

    self->given = given;
    self->policy = policy;
    self->histories = histories;
    self->by_start = xcalloc(given->job_count, sizeof(*self->by_start));
    self->jobs = xcalloc(given->job_count, sizeof(*self->jobs));
    self->seen_in = xcalloc((size_t)given->cluster.nodes, sizeof(*self->seen_in));
    for (size_t i = 0; i < given->job_count; i++)
        if (histories[i].record)
            self->by_start[self->start_count++] = i;
    qsort_r(self->by_start, self->start_count, sizeof(*self->by_start), compare_starts, self);
    return self;
}

void audit_seats_destroy(audit_seats_t **self)
{
    if (!*self)
        return;
    free((*self)->seen_in);
    free((*self)->jobs);
    free((*self)->by_start);
    free(*self);
    *self = NULL;
}

static int64_t nodes_of_set(const audit_seats_t *self, int size)
{
    const int64_t per_node = self->given->cluster.gpus_per_node;
    const int64_t gpus = (int64_t)1 << size;

    return (gpus + per_node - 1) / per_node;
}

static void count_node(audit_seats_t *self, struct sets *sets, size_t number, int64_t node,
                       int size)
{
    if (node >= self->given->cluster.nodes || self->seen_in[node] == number + 1)
        return;
    self->seen_in[node] = number + 1;
    sets->count[size]++;
    sets->nodes_free--;
}

/* A set of small jobs is a node; one of large jobs has as many nodes as its one job. */
static void count_sets(audit_seats_t *self, struct sets *sets, size_t number)
{
    const struct audit_round *round = &self->given->rounds[number];
    const int64_t per_node = self->given->cluster.gpus_per_node;

    sets->nodes_free = self->given->cluster.nodes;
    for (size_t i = 0; i < round->run_count; i++) {
        const struct audit_run *run = &self->given->runs[round->first_run + i];
        const int64_t end = (run->rank + run->gpus - 1) / per_node;
        const int size =
            run->job < self->given->job_count ? size_of(self->given->jobs[run->job].gpus) : -1;

        for (int64_t node = run->rank / per_node; size >= 0 && node <= end; node++)
            count_node(self, sets, number, node, size);
    }
    for (int i = 0; i < SIZES; i++)
        sets->count[i] /= nodes_of_set(self, i);
}

static int64_t divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* GA-Q5: the jobs of a size that spans several nodes are always dealt out anew, others only where too
 * few nodes are free. */
static bool expands(const audit_seats_t *self, struct sets *sets, int size, int64_t wanted)
{
    const int64_t nodes = nodes_of_set(self, size);
    const int64_t room = sets->nodes_free / nodes;
    const int64_t made = wanted < room ? wanted : room;

    sets->nodes_free -= made * nodes;
    return made != wanted || nodes != 1;
}

static bool shrinks(const audit_seats_t *self, struct sets *sets, int size, int64_t unwanted)
{
    const int64_t spare = sets->count[size] - 1;
    const int64_t count = unwanted < spare ? unwanted : spare;

    sets->nodes_free += count > 0 ? count * nodes_of_set(self, size) : 0;
    return count > 0;
}

/* GA-Q4: sets are counted in units of the job. Under other rules anybody may move. */
static bool adjusts(const audit_seats_t *self, struct sets *sets, int size, int64_t asked_in_all)
{
    const int64_t gpus = (int64_t)1 << size;
    const int64_t asked = sets->jobs[size] * gpus;
    const int64_t held =
        sets->count[size] * nodes_of_set(self, size) * self->given->cluster.gpus_per_node;
    const double part = (double)asked / (double)asked_in_all;
    const int64_t planned = (int64_t)floor(part * (double)self->given->cluster.gpus);
    const int64_t target = planned < asked ? planned : asked;

    if (!self->policy->adjusts_literally)
        return true;
    if (target > held)
        return expands(self, sets, size, divide_up(target - held, gpus));
    return target < held && shrinks(self, sets, size, divide_up(held - target, gpus));
}

static uint32_t adjusted_sizes(const audit_seats_t *self, struct sets *sets)
{
    uint32_t adjusted = 0;
    int64_t asked = 0;

    for (int i = 0; i < SIZES; i++)
        asked += sets->jobs[i] << i;
    for (int i = 0; i < SIZES; i++)
        if (sets->jobs[i] > 0)
            adjusted |= (uint32_t)adjusts(self, sets, i, asked) << i;
    return adjusted;
}

static void list_jobs(audit_seats_t *self, int64_t at_s)
{
    size_t count = 0;

    for (; self->started < self->start_count &&
           self->histories[self->by_start[self->started]].record->start_s <= at_s;
         self->started++)
        self->jobs[self->count++] = self->by_start[self->started];
    for (size_t i = 0; i < self->count; i++)
        if (self->histories[self->jobs[i]].retired_s > at_s)
            self->jobs[count++] = self->jobs[i];
    self->count = count;
}

void audit_seats_move(audit_seats_t *self, size_t number)
{
    const struct audit_round *round = &self->given->rounds[number];
    struct sets sets = {.nodes_free = 0};

    assert(number + 1 < self->given->round_count);
    list_jobs(self, round->at_s);
    self->changed = self->left = 0;
    if (!self->policy->adjusts_first)
        return;
    count_sets(self, &sets, number);
    for (size_t i = 0; i < self->count; i++) {
        const int size = size_of(self->given->jobs[self->jobs[i]].gpus);

        if (size < 0)
            continue;
        sets.jobs[size]++;
        if (self->histories[self->jobs[i]].retired_s <= round[1].at_s)
            self->left |= (uint32_t)1 << size;
    }
    self->changed = adjusted_sizes(self, &sets);
}

const size_t *audit_seats_jobs(const audit_seats_t *self, size_t *count)
{
    *count = self->count;
    return self->jobs;
}

bool audit_seats_may_change(const audit_seats_t *self, int64_t gpus)
{
    const int size = size_of(gpus);

    return size >= 0 && (self->changed >> size & 1);
}

bool audit_seats_make_room(const audit_seats_t *self, int64_t gpus)
{
    const int size = size_of(gpus);

    return size >= 0 && (self->left >> size & 1);
}
