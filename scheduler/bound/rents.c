/* rents.c - see rents.h. */
#include "scheduler/bound/rents.h"

#include "common/memory.h"
#include "common/sort.h"
#include "scheduler/bound/larger.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An offer to a need: a step for the need's share of an interval. */
struct offer {
    double rent; /* rent of the whole offer */
    double work; /* share of the job's iterations that the offer does */
};

struct market {
    const struct grid *grid;
    const double *rents;
    struct offer *offers;
    struct keyed *order; /* the offers, the best first */
    struct keyed *scratch;
    size_t capacity;
};

static void make_room(struct market *self, size_t wanted)
{
    if (wanted <= self->capacity)
        return;
    self->capacity = 2 * wanted;
    self->offers = xrealloc(self->offers, self->capacity * sizeof(*self->offers));
    self->order = xrealloc(self->order, self->capacity * sizeof(*self->order));
    self->scratch = xrealloc(self->scratch, self->capacity * sizeof(*self->scratch));
}

/* Adds the offers of an interval: the steps of the need. */
static size_t add_offers(struct market *self, const struct need *need, size_t interval,
                         double share, size_t count)
{
    const double length_s = share * grid_length_s(self->grid, interval);

    make_room(self, count + (size_t)need->step_count);
    for (int s = 0; s < need->step_count; s++, count++) {
        struct offer *offer = &self->offers[count];

        offer->rent = self->rents[interval] * need->step_gpus[s] * share;
        offer->work = need->step_rate[s] * length_s / need->iterations;
        self->order[count] = (struct keyed){offer->rent / offer->work, count};
    }
    return count;
}

/* The part of the job that can be done where there is no rent. */
static double free_work(const struct market *self, const struct need *need,
                        const struct grid_span *span)
{
    double rate = 0;
    double free_s = 0;

    for (int s = 0; s < need->step_count; s++)
        rate += need->step_rate[s];
    for (size_t i = span->first; i < span->end; i++)
        if (self->rents[i] <= 0)
            free_s += span_share(span, i) * grid_length_s(self->grid, i);
    return rate * free_s / need->iterations;
}

/* The least rent for the work left. Steps of an interval are taken in their order, as each step
 * gains less by a GPU than the step before. */
static double least_rent(struct market *self, const struct need *need)
{
    const struct grid_span span = grid_span(self->grid, need);
    double left = 1 - free_work(self, need, &span);
    double rent = 0;
    size_t count = 0;

    if (left <= 0)
        return 0;
    for (size_t i = span.first; i < span.end; i++)
        if (self->rents[i] > 0)
            count = add_offers(self, need, i, span_share(&span, i), count);
    sort_keyed(self->order, count, self->scratch);
    for (size_t i = 0; i < count && left > 0 && rent < need->worth; i++) {
        const struct offer *offer = &self->offers[self->order[i].item];
        const double taken = smaller(1, left / offer->work);

        rent += taken * offer->rent;
        left -= taken * offer->work;
    }
    return smaller(need->worth, rent);
}

void rents_least(const struct grid *grid, const struct need needs[], size_t need_count,
                 const double rents[], double least[])
{
    struct market market = {.grid = grid, .rents = rents};

    for (size_t j = 0; j < need_count; j++)
        least[j] = least_rent(&market, &needs[j]);
    free(market.offers);
    free(market.order);
    free(market.scratch);
}

/* ---- regions ---- */

/* The part of the job's time from its first to its last interval with a rent; empty without a
 * rent. */
static struct grid_span let_span(const struct grid *grid, const struct need *need,
                                 const double rents[])
{
    struct grid_span span = grid_span(grid, need);

    while (span.first < span.end && rents[span.first] <= 0)
        span.first++;
    while (span.end > span.first && rents[span.end - 1] <= 0)
        span.end--;
    return span;
}

/* By interval: the number of paying jobs that connect the interval to the interval before. A job
 * that does not pay for its first date gains most by that date. Any other job may pay for any of
 * its dates, and its last date spans all of its time. */
static int64_t *count_connections(const struct grid *grid, const struct need needs[],
                                  size_t need_count, const double rents[], const double least[])
{
    int64_t *connections = xcalloc(grid->count + 1, sizeof(*connections));

    for (size_t j = 0, end; j < need_count; j = end) {
        struct grid_span span;

        end = needs_end(needs, need_count, j);
        span = let_span(grid, &needs[end - 1], rents);
        if (least[j] > 0) {
            connections[span.first + 1]++;
            connections[span.end]--;
        }
    }
    for (size_t i = 1; i < grid->count; i++)
        connections[i] += connections[i - 1];
    return connections;
}

/* Opens a region for each stretch of connected intervals. Returns the number of regions. */
static size_t open_regions(const struct grid *grid, const int64_t connections[],
                           const double rents[], int gpus, size_t region_of[],
                           struct region regions[])
{
    size_t count = 1;

    regions[0] = (struct region){.bound = 0};
    for (size_t i = 0; i < grid->count; i++) {
        if (i == 0 || connections[i] == 0)
            regions[count++] = (struct region){.bound = 0};
        region_of[i] = count - 1;
        assert(rents[i] >= 0);
        regions[count - 1].bound += gpus * rents[i];
    }
    return count;
}

/* Adds the job of `count` needs to its region. */
static void add_job(struct region *region, const struct need needs[], size_t count,
                    const double least[], const double parts[])
{
    double most = 0;

    for (size_t j = 0; j < count; j++) {
        most = larger(most, needs[j].worth - least[j]);
        region->parts += needs[j].worth * parts[j];
    }
    region->bound += most;
    region->worth += needs[0].worth;
    region->jobs++;
}

size_t rents_regions(const struct grid *grid, const struct need needs[], size_t need_count,
                     int gpus, const double rents[], const double parts[], struct region regions[])
{
    double *least = xmalloc(need_count * sizeof(*least));
    size_t *region_of = xmalloc(grid->count * sizeof(*region_of));
    int64_t *connections;
    size_t count;

    rents_least(grid, needs, need_count, rents, least);
    connections = count_connections(grid, needs, need_count, rents, least);
    count = open_regions(grid, connections, rents, gpus, region_of, regions);
    for (size_t j = 0, end; j < need_count; j = end) {
        const bool pays = least[j] > 0;

        end = needs_end(needs, need_count, j);
        add_job(&regions[pays ? region_of[let_span(grid, &needs[end - 1], rents).first] : 0],
                needs + j, end - j, least + j, parts + j);
    }
    for (size_t r = 0; r < count; r++)
        regions[r].bound = smaller(regions[r].bound, regions[r].worth);
    free(connections);
    free(region_of);
    free(least);
    return count;
}
