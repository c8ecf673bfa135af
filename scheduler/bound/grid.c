/* grid.c - see grid.h. */
#include "scheduler/bound/grid.h"

#include "common/memory.h"
#include "common/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The times at which needs begin or end, each once. Doubles hold all of them. */
static void find_cuts(struct grid *self, const struct need needs[], size_t need_count)
{
    double *times_s = xmalloc(2 * need_count * sizeof(*times_s));

    for (size_t i = 0; i < need_count; i++) {
        times_s[2 * i] = (double)needs[i].begin_s;
        times_s[2 * i + 1] = (double)needs[i].end_s;
    }
    sort_numbers(times_s, 2 * need_count);
    self->cuts_s = xmalloc(2 * need_count * sizeof(*self->cuts_s));
    for (size_t i = 0; i < 2 * need_count; i++)
        if (i == 0 || times_s[i] > times_s[i - 1])
            self->cuts_s[self->cut_count++] = (int64_t)times_s[i];
    free(times_s);
}

struct grid grid_new(const struct need needs[], size_t need_count, size_t wanted)
{
    struct grid self = {.cut_count = 0};
    size_t finest;

    assert(need_count > 0);
    assert(wanted > 0);
    find_cuts(&self, needs, need_count);
    assert(self.cut_count > 1);
    finest = self.cut_count - 1;
    self.count = wanted < finest ? wanted : finest;
    self.first = xmalloc(self.cut_count * sizeof(*self.first));
    for (size_t i = 0; i <= self.count; i++)
        self.first[i] = finest * i / self.count;
    return self;
}

void grid_free(struct grid *self)
{
    free(self->cuts_s);
    free(self->first);
}

bool grid_is_fine(const struct grid *self)
{
    return self->count + 1 == self->cut_count;
}

size_t grid_split(struct grid *self, const bool marked[])
{
    size_t *first = xmalloc(self->cut_count * sizeof(*first));
    const size_t before = self->count;
    size_t count = 0;

    for (size_t i = 0; i < before; i++) {
        const size_t cuts = self->first[i + 1] - self->first[i];

        first[count++] = self->first[i];
        if (marked[i] && cuts > 1)
            first[count++] = self->first[i] + cuts / 2;
    }
    first[count] = self->first[before];
    free(self->first);
    self->first = first;
    self->count = count;
    return count - before;
}

static int64_t begin_s(const struct grid *self, size_t interval)
{
    return self->cuts_s[self->first[interval]];
}

static int64_t end_s(const struct grid *self, size_t interval)
{
    return self->cuts_s[self->first[interval + 1]];
}

double grid_length_s(const struct grid *self, size_t interval)
{
    return (double)(end_s(self, interval) - begin_s(self, interval));
}

double grid_overlap_s(const struct grid *self, size_t interval, const struct need *need)
{
    const int64_t from_s = begin_s(self, interval);
    const int64_t to_s = end_s(self, interval);

    return (double)((to_s < need->end_s ? to_s : need->end_s) -
                    (from_s > need->begin_s ? from_s : need->begin_s));
}

size_t grid_find(const struct grid *self, const struct need *need)
{
    size_t low = 0;
    size_t high = self->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (end_s(self, middle) <= need->begin_s)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool grid_meets(const struct grid *self, size_t interval, const struct need *need)
{
    return interval < self->count && begin_s(self, interval) < need->end_s;
}

size_t grid_pairs(const struct grid *self, const struct need needs[], size_t need_count)
{
    size_t pairs = 0;

    for (size_t j = 0; j < need_count; j++)
        for (size_t i = grid_find(self, &needs[j]); grid_meets(self, i, &needs[j]); i++)
            pairs += (size_t)needs[j].step_count;
    return pairs;
}
