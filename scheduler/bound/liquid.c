/* liquid.c - see liquid.h. */
#include "scheduler/bound/liquid.h"

#include "common/clock.h"
#include "common/memory.h"
#include "common/sort.h"
#include "scheduler/bound/larger.h"
#include "scheduler/bound/water_filling.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The usual price is the price at which this share of the needs is worth its GPU-seconds. */
#define USUAL_SHARE 0.98

/* The usual prices that are added where jobs take twice the GPUs of the cluster. */
#define STIFFNESS 10

/* GPUs cost a little also where they are not short, so that jobs spread. The slope is this share of
 * a usual price for all GPUs at first, and falls with each sweep. */
#define SLOPE_FIRST 1e-2
#define SLOPE_LAST  1e-5
#define SLOPE_DECAY 0.98

/* The share of GPUs taken from which an interval counts as hot: GPUs may be short there. */
#define HOT_SHARE 0.9

/* The share of the GPUs that is held back, so that GPUs taken by mistake exist. */
#define MARGIN_FIRST 1e-3
#define MARGIN_LAST  1e-9
#define MARGIN_DECAY 0.25

/* The most by which the parts of a job by its dates may differ from the whole. */
#define SEAT_ERROR 1e-6

struct liquid {
    const struct grid *grid;
    const struct need *needs;
    size_t need_count;
    double gpus;
    double usual_price;
    double margin;
    int64_t sweeps;
    struct load_price tariff;
    struct stretch *intervals;
    size_t *hot_before;      /* by interval: the number of hot intervals before it */
    struct grid_span *spans; /* a span for each need */
    struct filling *fillings;
    double *filled;      /* the GPUs of all fillings */
    bool *is_dropped;    /* set for each dropped need */
    double *seat_prices; /* a price at the first need of each job */
};

/* The GPU-seconds of a job that holds the same GPUs from its arrival to its deadline. */
static double steady_gpu_s(const struct need *need)
{
    const double window_s = (double)(need->end_s - need->begin_s);
    double left = need->iterations;
    double gpu_s = 0;

    for (int s = 0; s < need->step_count && left > 0; s++) {
        const double done = smaller(left, need->step_rate[s] * window_s);

        gpu_s += done / need->step_rate[s] * need->step_gpus[s];
        left -= done;
    }
    return gpu_s;
}

static double usual_price(const struct need needs[], size_t count)
{
    double *gpu_s = xmalloc(count * sizeof(*gpu_s));
    double price;

    for (size_t j = 0; j < count; j++)
        gpu_s[j] = steady_gpu_s(&needs[j]) / needs[j].worth;
    sort_numbers(gpu_s, count);
    price = 1 / gpu_s[(size_t)((double)count * USUAL_SHARE)];
    free(gpu_s);
    return price;
}

static void make_fillings(liquid_t *self)
{
    size_t pairs = grid_pairs(self->grid, self->needs, self->need_count);

    self->spans = xmalloc(self->need_count * sizeof(*self->spans));
    self->fillings = xcalloc(self->need_count, sizeof(*self->fillings));
    self->filled = xcalloc(pairs, sizeof(*self->filled));
    for (size_t j = 0; j < self->need_count; j++) {
        self->spans[j] = grid_span(self->grid, &self->needs[j]);
        pairs -= self->spans[j].end - self->spans[j].first;
        self->fillings[j].gpus = self->filled + pairs;
    }
}

liquid_t *liquid_new(const struct grid *grid, const struct need needs[], size_t need_count,
                     int gpus)
{
    liquid_t *self = xcalloc(1, sizeof(*self));

    assert(gpus > 0);
    assert(need_count > 0);
    self->grid = grid;
    self->needs = needs;
    self->need_count = need_count;
    self->gpus = gpus;
    self->margin = MARGIN_FIRST;
    self->usual_price = usual_price(needs, need_count);
    self->tariff.stiffness = STIFFNESS * self->usual_price / gpus;
    self->intervals = xcalloc(grid->count, sizeof(*self->intervals));
    self->hot_before = xcalloc(grid->count + 1, sizeof(*self->hot_before));
    for (size_t i = 0; i < grid->count; i++)
        self->intervals[i].length_s = grid_length_s(grid, i);
    self->is_dropped = xcalloc(need_count, sizeof(*self->is_dropped));
    self->seat_prices = xcalloc(need_count, sizeof(*self->seat_prices));
    make_fillings(self);
    return self;
}

void liquid_destroy(liquid_t **self)
{
    if (!*self)
        return;
    free((*self)->intervals);
    free((*self)->hot_before);
    free((*self)->spans);
    free((*self)->fillings);
    free((*self)->filled);
    free((*self)->is_dropped);
    free((*self)->seat_prices);
    free(*self);
    *self = NULL;
}

/* ---- a sweep ---- */

static void set_tariff(liquid_t *self)
{
    const double slope = SLOPE_FIRST * pow(SLOPE_DECAY, (double)self->sweeps);

    self->tariff.capacity_gpus = self->gpus * (1 - self->margin);
    self->tariff.slope = larger(slope, SLOPE_LAST) * self->usual_price / self->gpus;
}

static bool is_hot(const liquid_t *self, size_t interval)
{
    return self->intervals[interval].load_gpus > HOT_SHARE * self->gpus;
}

static void count_hot(liquid_t *self)
{
    for (size_t i = 0; i < self->grid->count; i++)
        self->hot_before[i + 1] = self->hot_before[i] + is_hot(self, i);
}

/* Whether another sweep may change the GPUs that the job takes, as GPUs may be short where it takes
 * some, or would take some. */
static bool is_moved(const liquid_t *self, size_t need)
{
    const struct grid_span span = self->spans[need];
    const struct filling *filling = &self->fillings[need];

    if (self->sweeps == 0)
        return true;
    if (self->is_dropped[need])
        return false;
    if (self->hot_before[span.first] == self->hot_before[span.end])
        return false;
    if (filling->part < 1)
        return true;
    for (size_t i = span.first; i < span.end; i++)
        if (filling->gpus[i - span.first] > 0 && is_hot(self, i))
            return true;
    return false;
}

static void add_load(liquid_t *self, size_t need, double sign)
{
    const struct grid_span span = self->spans[need];
    const double *gpus = self->fillings[need].gpus;

    for (size_t i = span.first; i < span.end; i++)
        self->intervals[i].load_gpus += sign * gpus[i - span.first];
}

static void empty(liquid_t *self, size_t need)
{
    const struct grid_span span = self->spans[need];

    memset(self->fillings[need].gpus, 0, (span.end - span.first) * sizeof(double));
    self->fillings[need].part = 0;
}

static double sum_parts(const liquid_t *self, size_t first, size_t end)
{
    double parts = 0;

    for (size_t j = first; j < end; j++)
        parts += self->fillings[j].part;
    return parts;
}

/* The price of a seat at first. Only the first date is worth more than that. */
static double seat_price(const liquid_t *self, size_t first, size_t end)
{
    return end - first > 1 ? self->needs[first + 1].worth : 0;
}

/* Moves the job of needs `first` to `end`, which takes its best GPUs for each of its dates in
 * turn. */
static void move(liquid_t *self, size_t first, size_t end)
{
    struct date_seat seat = {.price = 0};
    double *price = &self->seat_prices[first];

    if (self->sweeps == 0)
        *price = seat_price(self, first, end);
    if (end - first > 1)
        seat = (struct date_seat){.price = *price, .stiffness = self->needs[first].worth};
    for (size_t j = first; j < end; j++) {
        struct filling *filling = &self->fillings[j];

        if (self->is_dropped[j])
            continue;
        seat.others = sum_parts(self, first, end) - filling->part;
        add_load(self, j, -1);
        water_fill(&self->needs[j], &self->spans[j], &self->tariff, self->intervals, &seat,
                   filling);
        add_load(self, j, 1);
    }
    *price = larger(0, *price + seat.stiffness * (sum_parts(self, first, end) - 1));
}

/* Whether another sweep may change the job of needs `first` to `end`. Parts by several dates that
 * do not add up to the whole move, too. */
static bool job_is_moved(const liquid_t *self, size_t first, size_t end)
{
    if (end - first > 1 && fabs(sum_parts(self, first, end) - 1) > SEAT_ERROR)
        return true;
    for (size_t j = first; j < end; j++)
        if (is_moved(self, j))
            return true;
    return false;
}

/* Returns by how many GPUs at most more are taken than there are without the margin. */
static double raise_prices(liquid_t *self)
{
    double most = 0;

    for (size_t i = 0; i < self->grid->count; i++) {
        struct stretch *interval = &self->intervals[i];
        const double excess = interval->load_gpus - self->tariff.capacity_gpus;

        interval->multiplier = larger(0, interval->multiplier + self->tariff.stiffness * excess);
        most = larger(most, excess);
    }
    return most;
}

void liquid_sweep(liquid_t *self, double until_s)
{
    set_tariff(self);
    for (size_t j = 0, end; j < self->need_count; j = end) {
        end = needs_end(self->needs, self->need_count, j);
        if (!job_is_moved(self, j, end))
            continue;
        if (clock_s() >= until_s)
            return;
        move(self, j, end);
    }
    if (raise_prices(self) <= self->margin * self->gpus)
        self->margin = larger(MARGIN_LAST, MARGIN_DECAY * self->margin);
    count_hot(self);
    self->sweeps++;
}

void liquid_drop(liquid_t *self, size_t need)
{
    add_load(self, need, -1);
    empty(self, need);
    self->is_dropped[need] = true;
}

/* ---- the results ---- */

void liquid_rents(const liquid_t *self, double rents[])
{
    for (size_t i = 0; i < self->grid->count; i++)
        rents[i] = self->intervals[i].multiplier * self->intervals[i].length_s;
}

/* The share of the job's GPUs that exist if all jobs give up equally. */
static double share_of(const liquid_t *self, size_t need)
{
    const struct grid_span span = self->spans[need];
    const double *gpus = self->fillings[need].gpus;
    double share = 1;

    if (self->hot_before[span.first] == self->hot_before[span.end])
        return 1;
    for (size_t i = span.first; i < span.end; i++)
        if (gpus[i - span.first] > 0)
            share = smaller(share, self->gpus / self->intervals[i].load_gpus);
    return share;
}

/* Limits the parts of a job by its dates to the whole of the job. */
static void share_seats(const liquid_t *self, double parts[])
{
    for (size_t j = 0, end; j < self->need_count; j = end) {
        double all = 0;

        end = needs_end(self->needs, self->need_count, j);
        for (size_t k = j; k < end; k++)
            all += parts[k];
        for (size_t k = j; k < end && all > 1 && end - j > 1; k++)
            parts[k] /= all;
    }
}

void liquid_parts(const liquid_t *self, double parts[])
{
    for (size_t j = 0; j < self->need_count; j++)
        parts[j] = self->fillings[j].part * share_of(self, j);
    share_seats(self, parts);
}

bool liquid_take(const liquid_t *self, size_t need, double free_gpus[])
{
    const struct grid_span span = self->spans[need];
    const double *gpus = self->fillings[need].gpus;

    for (size_t i = span.first; i < span.end; i++)
        if (gpus[i - span.first] > free_gpus[i])
            return false;
    for (size_t i = span.first; i < span.end; i++)
        free_gpus[i] -= gpus[i - span.first];
    return true;
}

double liquid_part(const liquid_t *self, size_t need)
{
    return self->fillings[need].part;
}
