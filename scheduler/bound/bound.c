/* bound.c - see bound.h. */
#include "scheduler/bound/bound.h"

#include "common/clock.h"
#include "common/memory.h"
#include "common/sort.h"
#include "scheduler/bound/larger.h"
#include "scheduler/bound/liquid.h"
#include "scheduler/bound/rents.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The most sweeps of a phase. Prices hardly move after 3000 sweeps. */
#define SWEEPS_MAX 3000

/* The sweeps that jobs have to adapt after another job is dropped, and the sweeps at least that
 * they have to adapt to the GPUs of the cluster. */
#define SWEEPS_A_DROP 20
#define SWEEPS_LEAST  200

/* A gap of a single job, or of its worth, stays open after so many sweeps without a better plan, a
 * sixth of the most sweeps. Counting sweeps, not seconds, ends the search alike on every machine.
 * Few random traces with such a gap have the plan that closes it, and most of those plans come
 * sooner. */
#define SWEEPS_IN_VAIN (SWEEPS_MAX / 6)

/* Sweeps over more pairs of a job and an interval take too long, so intervals become longer. A job
 * may then use GPUs when it is not there, which makes the bound larger. */
#define PAIRS_MAX 8000000

/* The most that rounding takes from a number of jobs, or from tenths of value. */
#define ROUNDING 1e-6

/* Rents at which all GPUs together cost less than this are left out, as they connect regions. */
#define SMALL 1e-9

struct search {
    const struct need *needs;
    size_t need_count;
    int gpus;
    struct grid fine; /* grid of plans */
    struct grid grid; /* grid of prices, which may be coarser */
    bool is_coarse;
    liquid_t *liquid;
    double *rents;     /* a rent for each interval of prices */
    double *free_gpus; /* free GPUs for each interval of plans */
    struct region *regions;
    double *parts;         /* a part for each need */
    size_t *first;         /* for each need the first need of its job */
    bool *is_planned;      /* set at the first need of a planned job */
    struct keyed *order;   /* needs in the order of planning */
    struct keyed *scratch; /* for sorting `order` */
    double seconds;        /* the limit of the search, 0 for none */
    double until_s;        /* the end of the search by the clock */
    int64_t bound;
    int64_t planned;
    int64_t dearest;    /* the worth of the job that is worth most */
    bool weighs_values; /* some job is not worth 1: worth is in tenths of a value */
    struct error why;   /* the reason why the search ended early */
};

static int64_t whole(double worth)
{
    return (int64_t)floor(worth + ROUNDING);
}

/* ---- plans of whole jobs ---- */

/* Gives the job the GPUs of `free_gpus` that do its work in the fewest GPU-seconds, earlier ones
 * first. False, with nothing taken, if they do not do all the work. */
static bool pack(const struct grid *grid, const struct need *need, double free_gpus[])
{
    const struct grid_span span = grid_span(grid, need);
    double *before = xmalloc((span.end - span.first) * sizeof(*before));
    double left = 1 - ROUNDING;

    for (size_t i = span.first; i < span.end; i++)
        before[i - span.first] = free_gpus[i];
    for (int s = 0; s < need->step_count; s++)
        for (size_t i = span.first; i < span.end && left > 0; i++) {
            const double all = need->step_rate[s] * grid_length_s(grid, i) / need->iterations;
            const double most = larger(0, smaller(1, free_gpus[i] / need->step_gpus[s]));
            const double share = smaller(most, left / all);

            free_gpus[i] -= share * need->step_gpus[s];
            left -= share * all;
        }
    for (size_t i = span.first; left > 0 && i < span.end; i++)
        free_gpus[i] = before[i - span.first];
    free(before);
    return left <= 0;
}

/* Marks the job of `need` as planned and returns its worth. */
static double plan_need(struct search *self, size_t need)
{
    self->is_planned[self->first[need]] = true;
    return self->needs[need].worth;
}

/* The worth of a plan of whole jobs: jobs that the liquid does whole on real GPUs, and other jobs
 * as far as they find room, nearly done jobs first. */
static int64_t count_planned(struct search *self)
{
    double planned = 0;
    size_t others = 0;

    memset(self->is_planned, 0, self->need_count * sizeof(*self->is_planned));

    for (size_t i = 0; i < self->fine.count; i++)
        self->free_gpus[i] = self->gpus;
    for (size_t j = 0; j < self->need_count; j++) {
        const double part = liquid_part(self->liquid, j);

        if (!self->is_coarse && part >= 1 - ROUNDING &&
            liquid_take(self->liquid, j, self->free_gpus))
            planned += plan_need(self, j);
        else
            self->order[others++] = (struct keyed){-part, j};
    }
    sort_keyed(self->order, others, self->scratch);
    for (size_t k = 0; k < others; k++) {
        const size_t j = self->order[k].item;

        if (!self->is_planned[self->first[j]] &&
            pack(&self->fine, &self->needs[j], self->free_gpus))
            planned += plan_need(self, j);
    }
    return whole(planned);
}

/* ---- the search ---- */

static void find_rents(struct search *self)
{
    liquid_rents(self->liquid, self->rents);
    for (size_t i = 0; i < self->grid.count; i++)
        if (self->gpus * self->rents[i] < SMALL)
            self->rents[i] = 0;
}

/* Lowers the bound to the bound that the prices prove. Returns whether the program is solved as far
 * as whole jobs go, so that no prices prove more. */
static bool prove(struct search *self)
{
    int64_t bound = 0;
    int64_t reached = 0;
    size_t count;

    find_rents(self);
    liquid_parts(self->liquid, self->parts);
    count = rents_regions(&self->grid, self->needs, self->need_count, self->gpus, self->rents,
                          self->parts, self->regions);
    for (size_t r = 0; r < count; r++) {
        bound += whole(self->regions[r].bound);
        reached += whole(self->regions[r].parts);
    }
    self->bound = bound < self->bound ? bound : self->bound;
    return bound == reached;
}

/* Counts a plan close to the present parts of jobs, and keeps the best count. */
static void plan(struct search *self)
{
    const int64_t planned = count_planned(self);

    self->planned = planned > self->planned ? planned : self->planned;
}

static void make_grids(struct search *self)
{
    size_t pairs;

    self->fine = grid_new(self->needs, self->need_count);
    self->grid = grid_new(self->needs, self->need_count);
    pairs = grid_pairs(&self->grid, self->needs, self->need_count);
    self->is_coarse = pairs > PAIRS_MAX;
    if (self->is_coarse)
        grid_coarsen(&self->grid, 1 + pairs / PAIRS_MAX);
}

static struct search search_new(const struct need needs[], size_t need_count, int gpus)
{
    struct search self = {.needs = needs, .need_count = need_count, .gpus = gpus};

    make_grids(&self);
    self.first = xmalloc(need_count * sizeof(*self.first));
    self.is_planned = xmalloc(need_count * sizeof(*self.is_planned));
    for (size_t j = 0; j < need_count; j++) {
        self.first[j] = needs[j].is_other ? self.first[j - 1] : j;
        self.bound += needs[j].is_other ? 0 : whole(needs[j].worth);
        self.weighs_values |= needs[j].is_other || needs[j].worth != 1;
        self.dearest = whole(needs[j].worth) > self.dearest ? whole(needs[j].worth) : self.dearest;
    }
    self.rents = xmalloc(self.grid.count * sizeof(*self.rents));
    self.free_gpus = xmalloc(self.fine.count * sizeof(*self.free_gpus));
    self.regions = xmalloc((self.grid.count + 1) * sizeof(*self.regions));
    self.parts = xmalloc(need_count * sizeof(*self.parts));
    self.order = xmalloc(need_count * sizeof(*self.order));
    self.scratch = xmalloc(need_count * sizeof(*self.scratch));
    self.why.text[0] = '\0';
    return self;
}

static void search_free(struct search *self)
{
    liquid_destroy(&self->liquid);
    grid_free(&self->fine);
    grid_free(&self->grid);
    free(self->rents);
    free(self->free_gpus);
    free(self->regions);
    free(self->parts);
    free(self->first);
    free(self->is_planned);
    free(self->order);
    free(self->scratch);
}

/* Whether the search goes on. */
static bool goes_on(struct search *self)
{
    if (self->planned == self->bound)
        return false;
    if (clock_s() < self->until_s)
        return true;
    error_set(&self->why, "the time limit of %g s was reached", self->seconds);
    return false;
}

/* Sweeps until no prices prove more. Looks at the results more and more rarely, as prices change
 * less and less. */
static bool solve(struct search *self)
{
    int next = 1;

    for (int i = 1; i <= SWEEPS_MAX && goes_on(self); i++) {
        liquid_sweep(self->liquid, self->until_s);
        if (i < next && i < SWEEPS_MAX)
            continue;
        next = i + 1 + i / 8;
        plan(self);
        if (prove(self))
            return true;
    }
    return self->planned < self->bound && prove(self);
}

/* The need of which the smallest part above none is done; the number of needs if there is none. */
static size_t least_part(const struct search *self)
{
    size_t found = self->need_count;
    double least = 1 - ROUNDING;

    for (size_t j = 0; j < self->need_count; j++) {
        const double part = liquid_part(self->liquid, j);

        if (part > ROUNDING && part < least) {
            least = part;
            found = j;
        }
    }
    return found;
}

/* The worth of the best plan. */
#define PLANNED_BYTES 32
static const char *print_planned(const struct search *self, char text[PLANNED_BYTES])
{
    if (self->weighs_values)
        (void)snprintf(text, PLANNED_BYTES, "%.1f of value",
                       (double)self->planned / LEVEL_VALUE_FULL);
    else
        (void)snprintf(text, PLANNED_BYTES, "%" PRId64 " jobs", self->planned);
    return text;
}

/* Whether a better plan could bring the worth of a single job at most, and no better plan came for
 * long. */
static bool gives_up(struct search *self, int sweeps_in_vain)
{
    char text[PLANNED_BYTES];

    if (self->bound - self->planned > self->dearest || sweeps_in_vain < SWEEPS_IN_VAIN)
        return false;
    error_set(&self->why, "no plan with more than %s came in the last %d sweeps",
              print_planned(self, text), sweeps_in_vain);
    return true;
}

/* Looks for a better plan: jobs that are done in part make room for the others, one after the
 * other. The bound stays, as fewer jobs prove nothing about all jobs. */
static void dive(struct search *self)
{
    int planned_in = 0; /* the sweep of the best plan, 0 for plans before the dive */

    for (int i = 1; i <= SWEEPS_MAX && goes_on(self); i++) {
        const int64_t planned = self->planned;
        size_t need;

        liquid_sweep(self->liquid, self->until_s);
        if (i % SWEEPS_A_DROP != 0)
            continue;
        plan(self);
        planned_in = self->planned > planned ? i : planned_in;
        if (gives_up(self, i - planned_in))
            return;
        need = least_part(self);
        if (need == self->need_count && i >= SWEEPS_LEAST)
            return;
        if (need < self->need_count)
            liquid_drop(self->liquid, need);
    }
}

static void search(struct search *self)
{
    self->liquid = liquid_new(&self->grid, self->needs, self->need_count, self->gpus);
    if (solve(self))
        dive(self);
}

struct bound bound_find(const struct need needs[], size_t need_count, int gpus, double seconds)
{
    struct bound bound = {.jobs = 0};
    char text[PLANNED_BYTES];
    struct search self;

    if (need_count == 0)
        return bound;
    self = search_new(needs, need_count, gpus);
    self.seconds = seconds;
    self.until_s = seconds > 0 ? clock_s() + seconds : INFINITY;
    search(&self);
    bound.jobs = self.bound;
    bound.gap = self.bound - self.planned;
    if (bound.gap > 0 && self.why.text[0])
        bound.why = self.why;
    else if (bound.gap > 0)
        error_set(&bound.why, "no plan with more than %s was found", print_planned(&self, text));
    search_free(&self);
    return bound;
}
