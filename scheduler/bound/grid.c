/* grid.c - see grid.h. */
#include "scheduler/bound/grid.h"

#include "common/memory.h"
#include "common/sort.h"

#include <assert.h>
#include <stdlib.h>

/* Doubles hold all times. */
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

/* The cut at a time that has one. */
static size_t find(const struct grid *self, int64_t time_s)
{
    size_t low = 0;
    size_t high = self->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (self->cuts_s[middle] < time_s)
            low = middle + 1;
        else
            high = middle;
    }
    assert(self->cuts_s[low] == time_s);
    return low;
}

struct span grid_span(const struct grid *self, const struct need *need)
{
    return (struct span){.first = find(self, need->begin_s), .end = find(self, need->end_s)};
}
