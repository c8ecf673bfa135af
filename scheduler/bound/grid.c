/* grid.c - see grid.h. */
#include "scheduler/bound/grid.h"

#include "common/memory.h"
#include "common/sort.h"

#include <assert.h>
#include <stdlib.h>

/* The cuts of the grid. Doubles hold all times of a trace exactly. */
struct grid grid_new(const struct need needs[], size_t need_count)
{
    struct grid self = {.count = 0};
    double *times_s = xmalloc(2 * need_count * sizeof(*times_s));
    size_t cuts = 0;

    assert(need_count > 0);
    for (size_t i = 0; i < need_count; i++) {
        times_s[2 * i] = (double)needs[i].begin_s;
        times_s[2 * i + 1] = (double)needs[i].end_s;
    }
    sort_numbers(times_s, 2 * need_count);
    self.cuts_s = xmalloc(2 * need_count * sizeof(*self.cuts_s));
    for (size_t i = 0; i < 2 * need_count; i++)
        if (i == 0 || times_s[i] > times_s[i - 1])
            self.cuts_s[cuts++] = (int64_t)times_s[i];
    free(times_s);
    assert(cuts > 1);
    self.count = cuts - 1;
    return self;
}

void grid_free(struct grid *self)
{
    free(self->cuts_s);
}

double grid_length_s(const struct grid *self, size_t interval)
{
    return (double)(self->cuts_s[interval + 1] - self->cuts_s[interval]);
}

void grid_coarsen(struct grid *self, size_t step)
{
    const size_t cuts = self->count + 1;
    size_t kept = 0;

    assert(step > 0);
    for (size_t i = 0; i + 1 < cuts; i += step)
        self->cuts_s[kept++] = self->cuts_s[i];
    self->cuts_s[kept] = self->cuts_s[cuts - 1];
    self->count = kept;
}

/* The last interval that begins at a time or before it. */
static size_t find(const struct grid *self, int64_t time_s)
{
    size_t low = 0;
    size_t high = self->count - 1;

    while (low < high) {
        const size_t middle = low + (high - low + 1) / 2;

        if (self->cuts_s[middle] <= time_s)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* The share of an interval that is the need's. */
static double share(const struct grid *self, size_t interval, const struct need *need)
{
    const int64_t from_s = self->cuts_s[interval];
    const int64_t to_s = self->cuts_s[interval + 1];
    const int64_t first_s = from_s > need->begin_s ? from_s : need->begin_s;
    const int64_t last_s = to_s < need->end_s ? to_s : need->end_s;

    return (double)(last_s - first_s) / (double)(to_s - from_s);
}

struct grid_span grid_span(const struct grid *self, const struct need *need)
{
    struct grid_span span = {.first = find(self, need->begin_s),
                             .end = find(self, need->end_s - 1) + 1};

    span.first_share = share(self, span.first, need);
    span.last_share = share(self, span.end - 1, need);
    return span;
}

double span_share(const struct grid_span *span, size_t interval)
{
    if (interval == span->first)
        return span->first_share;
    return interval + 1 == span->end ? span->last_share : 1;
}

size_t grid_pairs(const struct grid *self, const struct need needs[], size_t need_count)
{
    size_t pairs = 0;

    for (size_t j = 0; j < need_count; j++) {
        const struct grid_span span = grid_span(self, &needs[j]);

        pairs += span.end - span.first;
    }
    return pairs;
}
