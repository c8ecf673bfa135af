/* bound.c - see bound.h. */
#include "scheduler/bound/bound.h"

#include "common/clock.h"
#include "common/memory.h"
#include "scheduler/bound/grid.h"
#include "scheduler/bound/rents.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Coarse grids are solved in no time, and show where GPUs are short. */
#define INTERVALS_AT_FIRST 64

/* A program of more columns would take more than a gigabyte. */
#define COLUMNS_MAX 2000000

/* Rents that are smaller do not show that GPUs are short, nor are smaller parts of a job parts. */
#define SMALL 1e-7

/* What rounding may take from a bound that is a whole number. */
#define ROUNDING 1e-6

struct bound_search {
    const struct need *needs;
    size_t need_count;
    int gpus;
    struct bound_limits limits;
    double began_s;
    struct grid grid;
    bool *is_strict; /* by need: it has a row for each of its columns */
    int *served;     /* by need: the column of y */
    milp_t *milp;
    struct bound best;
};

bound_search_t *bound_search_new(const struct need needs[], size_t need_count, int gpus,
                                 const struct bound_limits *limits)
{
    bound_search_t *self = xcalloc(1, sizeof(*self));

    assert(gpus > 0);
    self->needs = needs;
    self->need_count = need_count;
    self->gpus = gpus;
    self->limits = *limits;
    self->milp = milp_new();
    self->is_strict = xcalloc(need_count + 1, sizeof(*self->is_strict));
    self->served = xcalloc(need_count + 1, sizeof(*self->served));
    self->best = (struct bound){.value = (double)need_count, .is_closed = need_count == 0};
    if (need_count > 0)
        self->grid = grid_new(needs, need_count, INTERVALS_AT_FIRST);
    return self;
}

void bound_search_destroy(bound_search_t **self)
{
    if (!*self)
        return;
    milp_destroy(&(*self)->milp);
    grid_free(&(*self)->grid);
    free((*self)->is_strict);
    free((*self)->served);
    free(*self);
    *self = NULL;
}

/* ---- the program ---- */

/* `all` is the part of the job that the step would do in all of the interval, `most` what it can do
 * of use. A column is that part, or a share of `all` if that is less than the job: so no term is
 * larger than the GPUs of a step or the whole of a job, and what a solver neglects stays small. */
static void add_step(const bound_search_t *self, size_t need, size_t interval, int step, int row)
{
    const struct need *job = &self->needs[need];
    const double rate = job->step_rate[step] / job->iterations;
    const double all = rate * grid_length_s(&self->grid, interval);
    const double most = fmin(1, rate * grid_overlap_s(&self->grid, interval, job));
    const double unit = fmin(1, all);
    const int column = milp_add_column(self->milp, 0, most / unit, 0, false);

    milp_add_term(self->milp, (int)interval, column, job->step_gpus[step] * unit / all);
    milp_add_term(self->milp, row, column, unit);
    if (self->is_strict[need] && most < 1) {
        const int strict = milp_add_row(self->milp, -MILP_INFINITY, 0);

        milp_add_term(self->milp, strict, column, 1);
        milp_add_term(self->milp, strict, self->served[need], -most / unit);
    }
}

static void add_job(bound_search_t *self, size_t need, bool whole)
{
    const struct need *job = &self->needs[need];
    const int row = milp_add_row(self->milp, 0, 0);

    self->served[need] = milp_add_column(self->milp, 0, 1, 1, whole);
    milp_add_term(self->milp, row, self->served[need], -1);
    for (size_t i = grid_find(&self->grid, job); grid_meets(&self->grid, i, job); i++)
        for (int step = 0; step < job->step_count; step++)
            add_step(self, need, i, step, row);
}

/* The rows of the intervals come first. */
static void build(bound_search_t *self, bool whole)
{
    milp_clear(self->milp);
    milp_set_maximise(self->milp, true);
    for (size_t i = 0; i < self->grid.count; i++)
        (void)milp_add_row(self->milp, -MILP_INFINITY, self->gpus);
    for (size_t j = 0; j < self->need_count; j++)
        add_job(self, j, whole);
}

/* ---- the search ---- */

/* How much time is left; infinite without a limit. */
static double left_s(const bound_search_t *self)
{
    return self->limits.seconds > 0 ? self->began_s + self->limits.seconds - clock_s()
                                    : MILP_INFINITY;
}

static int give_up(bound_search_t *self, const char *why)
{
    return error_set(&self->best.why, "%s", why);
}

static int give_up_late(bound_search_t *self)
{
    return error_set(&self->best.why, "the time limit of %g s was reached", self->limits.seconds);
}

/* -1, with a sentence, if there is no time or room for the program. */
static int solve(bound_search_t *self, bool whole, struct milp_result *result)
{
    const double seconds = left_s(self);
    struct milp_limits limits = {.seconds = 0};

    if (grid_pairs(&self->grid, self->needs, self->need_count) > COLUMNS_MAX)
        return error_set(&self->best.why, "a finer program has more than %d columns", COLUMNS_MAX);
    if (seconds <= 0)
        return give_up_late(self);
    build(self, whole);
    if (isfinite(seconds))
        limits.seconds = fmax(left_s(self), 1e-3);
    milp_solve(self->limits.solver, self->milp, &limits, result);
    return 0;
}

/* The duals of the rows of intervals; the caller frees them. */
static double *rents_of(const bound_search_t *self, const struct milp_result *result)
{
    double *rents = xmalloc(self->grid.count * sizeof(*rents));

    assert(result->row_duals);
    for (size_t i = 0; i < self->grid.count; i++)
        rents[i] = fmax(0, result->row_duals[i]);
    return rents;
}

/* Cuts the intervals in which GPUs are short, or all if there is none left of these. */
static bool cut(bound_search_t *self, const double rents[])
{
    const size_t count = self->grid.count;
    bool *marked = xmalloc(count * sizeof(*marked));
    bool any;

    for (size_t i = 0; i < count; i++)
        marked[i] = rents[i] > SMALL;
    any = grid_split(&self->grid, marked) > 0;
    if (!any && !grid_is_fine(&self->grid)) {
        for (size_t i = 0; i < count; i++)
            marked[i] = true;
        any = grid_split(&self->grid, marked) > 0;
    }
    free(marked);
    return any;
}

/* Adds rows for jobs that are on time by a part. */
static bool make_strict(bound_search_t *self, const double values[])
{
    bool any = false;

    for (size_t j = 0; j < self->need_count; j++) {
        const double value = values[self->served[j]];

        if (self->is_strict[j] || value < SMALL || value > 1 - SMALL)
            continue;
        self->is_strict[j] = true;
        any = true;
    }
    return any;
}

/* Takes what an optimal program proves, and makes the next one. Returns whether there is one. */
static bool learn(bound_search_t *self, const struct milp_result *result)
{
    double *rents = rents_of(self, result);
    const double value = rents_bound(&self->grid, self->needs, self->need_count, self->gpus, rents);
    bool goes_on;

    self->best.value = fmin(self->best.value, value);
    self->best.intervals = self->grid.count;
    goes_on = make_strict(self, result->values);
    goes_on = cut(self, rents) || goes_on;
    free(rents);
    return goes_on;
}

/* One program. Returns 1 if there is another one to solve, 0 if not, -1 if the search gives up. */
static int look(bound_search_t *self)
{
    struct milp_result result = {.answer = MILP_FAILED};

    if (solve(self, false, &result) < 0)
        return -1;
    if (result.answer == MILP_OPTIMAL)
        return learn(self, &result);
    return result.answer == MILP_FAILED ? give_up(self, result.error.text) : give_up_late(self);
}

struct bound bound_search_run(bound_search_t *self)
{
    int status = 1;

    self->began_s = clock_s();
    if (self->need_count == 0)
        return self->best;
    self->best.finest = self->grid.cut_count - 1;
    while (status > 0)
        status = look(self);
    self->best.is_closed = status == 0;
    self->best.jobs = (int64_t)floor(self->best.value + ROUNDING);
    return self->best;
}

struct bound_whole bound_search_run_whole(bound_search_t *self)
{
    struct bound_whole whole = {.has_point = self->need_count == 0};
    struct milp_result result = {.values = NULL};

    self->began_s = clock_s();
    if (self->need_count == 0 || solve(self, true, &result) < 0 || !result.values)
        return whole;
    whole.has_point = true;
    whole.jobs = (int64_t)round(result.objective);
    whole.gap = (int64_t)floor(fmin(result.bound, self->best.value) + ROUNDING) - whole.jobs;
    return whole;
}
