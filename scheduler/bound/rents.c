/* rents.c - see rents.h. */
#include "scheduler/bound/rents.h"

#include "common/memory.h"
#include "common/sort.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a need can take: a step of it for its share of an interval. */
struct offer {
    double rent; /* of all of it */
    double work; /* share of the job's iterations that it does */
};

struct market {
    const struct grid *grid;
    const double *rents;
    struct offer *offers;
    struct keyed *order; /* of the offers, the best first */
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

/* The steps of a need in one interval. */
static size_t add_offers(struct market *self, const struct need *need, size_t interval,
                         size_t count)
{
    const double overlap_s = grid_overlap_s(self->grid, interval, need);
    const double share = overlap_s / grid_length_s(self->grid, interval);

    make_room(self, count + (size_t)need->step_count);
    for (int s = 0; s < need->step_count; s++, count++) {
        struct offer *offer = &self->offers[count];

        offer->rent = self->rents[interval] * need->step_gpus[s] * share;
        offer->work = need->step_rate[s] * overlap_s / need->iterations;
        self->order[count] = (struct keyed){offer->rent / offer->work, count};
    }
    return count;
}

/* The least rent for all of the job's work. Steps of one interval are taken in their order, as each
 * gains less by a GPU than the one before. */
static double least_rent(struct market *self, const struct need *need)
{
    double left = 1;
    double rent = 0;
    size_t count = 0;

    for (size_t i = grid_find(self->grid, need); grid_meets(self->grid, i, need); i++)
        count = add_offers(self, need, i, count);
    sort_keyed(self->order, count, self->scratch);
    for (size_t i = 0; i < count && left > 0 && rent < 1; i++) {
        const struct offer *offer = &self->offers[self->order[i].item];
        const double taken = fmin(1, left / offer->work);

        rent += taken * offer->rent;
        left -= taken * offer->work;
    }
    return rent;
}

double rents_bound(const struct grid *grid, const struct need needs[], size_t need_count, int gpus,
                   const double rents[])
{
    struct market market = {.grid = grid, .rents = rents};
    double bound = 0;

    for (size_t i = 0; i < grid->count; i++) {
        assert(rents[i] >= 0);
        bound += gpus * rents[i];
    }
    for (size_t j = 0; j < need_count; j++)
        bound += fmax(0, 1 - least_rent(&market, &needs[j]));
    free(market.offers);
    free(market.order);
    free(market.scratch);
    return bound;
}
