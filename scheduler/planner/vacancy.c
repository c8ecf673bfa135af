/* vacancy.c - see vacancy.h. */
#include "scheduler/planner/vacancy.h"

#include "common/sort.h"
#include "common/wide.h"

#include <assert.h>
#include <string.h>

/* The number of entries that are examined together in long runs. */
#define STRIDE 32
#define STEP   8

static void make_room(struct vacancy *self, int count)
{
    const struct vacancy old = *self;

    if (count <= self->room)
        return;
    self->room = 2 * count + 64;
    self->at_s = arena_alloc(self->arena, (size_t)self->room * sizeof(*self->at_s));
    self->free_gpus = arena_alloc(self->arena, (size_t)self->room * sizeof(*self->free_gpus));
    if (old.count > 0)
        vacancy_copy(&old, self);
}

void vacancy_clear(struct vacancy *self, double from_s, int gpus)
{
    self->count = 0;
    vacancy_append(self, from_s, gpus);
}

void vacancy_append(struct vacancy *self, double at_s, int gpus)
{
    make_room(self, self->count + 1);
    self->at_s[self->count] = at_s;
    self->free_gpus[self->count++] = gpus;
}

void vacancy_copy(const struct vacancy *self, struct vacancy *to)
{
    make_room(to, self->count);
    memcpy(to->at_s, self->at_s, (size_t)self->count * sizeof(*self->at_s));
    memcpy(to->free_gpus, self->free_gpus, (size_t)self->count * sizeof(*self->free_gpus));
    to->count = self->count;
}

/* Searches without a branch on the times, as no processor could predict such a branch. */
int vacancy_find(const struct vacancy *self, double at_s)
{
    int low = 0;

    for (int count = self->count; count > 1; count -= count / 2)
        low += self->at_s[low + count / 2] <= at_s ? count / 2 : 0;
    return low;
}

/* The entries from `index` up to `end` are `by` places later. */
static void shift(struct vacancy *self, int index, int end, int by)
{
    const size_t count = (size_t)(end - index);

    memmove(self->at_s + index + by, self->at_s + index, count * sizeof(*self->at_s));
    memmove(self->free_gpus + index + by, self->free_gpus + index,
            count * sizeof(*self->free_gpus));
}

/* Drops an entry that has the same number as the entry before it. */
static void merge(struct vacancy *self, int index)
{
    if (index == 0 || self->free_gpus[index - 1] != self->free_gpus[index])
        return;
    shift(self, index + 1, self->count, -1);
    self->count--;
}

/* Makes entries that begin at the two times; `*first` and `*end` are their indices. Both are looked
 * for before any entry moves, so that neither search waits for the other. */
static void split(struct vacancy *self, double from_s, double to_s, int *first, int *end)
{
    const int at = vacancy_find(self, from_s);
    const int until = vacancy_find(self, to_s);
    const int after = self->free_gpus[until];
    const int more = self->at_s[at] < from_s;
    const int more_after = self->at_s[until] < to_s;

    if (more + more_after > 0)
        shift(self, until + more_after, self->count, more + more_after);
    if (more > 0)
        shift(self, at, until + more_after, 1);
    *first = at + more;
    *end = until + more + more_after;
    self->at_s[*first] = from_s;
    self->at_s[*end] = to_s;
    self->free_gpus[*end] = after;
    self->count += more + more_after;
}

WIDE void vacancy_take(struct vacancy *self, double from_s, double to_s, int gpus)
{
    int first;
    int end;

    if (from_s >= to_s)
        return;
    make_room(self, self->count + 2);
    split(self, from_s, to_s, &first, &end);
    for (int i = first; i < end; i++)
        self->free_gpus[i] -= gpus;
    merge(self, end);
    merge(self, first);
}

/* MANY spans or more are sorted into the entries together, not span by span. */
#define MANY 64

/* The beginnings (even items) and ends (odd items) of the spans, by time. */
static struct keyed *changes_of(const struct vacancy *self, const struct span spans[], size_t count)
{
    struct keyed *changes = arena_alloc(self->arena, 4 * count * sizeof(*changes));

    for (size_t i = 0; i < count; i++) {
        changes[2 * i] = (struct keyed){(double)spans[i].from_s, 2 * i};
        changes[2 * i + 1] = (struct keyed){(double)spans[i].to_s, 2 * i + 1};
    }
    sort_keyed(changes, 2 * count, changes + 2 * count);
    return changes;
}

/* The GPUs that the changes at `at_s` take. `*change` moves behind these changes. */
static int take_at(const struct keyed **change, const struct keyed *last, double at_s,
                   const struct span spans[])
{
    int taken = 0;

    for (; *change < last && (*change)->key == at_s; (*change)++) {
        const int gpus = spans[(*change)->item / 2].gpus;

        taken += (*change)->item % 2 == 0 ? gpus : -gpus;
    }
    return taken;
}

/* Moves the old entries to the end of the columns, and merges them with the changes into the front.
 * Each step reads at least one old entry or change and writes at most one entry, so no old entry is
 * overwritten before it is read. */
static void take_many(struct vacancy *self, const struct span spans[], size_t count)
{
    const struct keyed *change = changes_of(self, spans, count);
    const struct keyed *const last = change + 2 * count;
    const int before = self->count;
    const int most = before + 2 * (int)count;
    int entry = most - before;
    int free_gpus = 0;
    int taken = 0;

    make_room(self, most);
    shift(self, 0, before, entry);
    self->count = 0;
    while (entry < most || change < last) {
        const double at_s = change == last || (entry < most && self->at_s[entry] < change->key)
                                ? self->at_s[entry]
                                : change->key;

        if (entry < most && self->at_s[entry] == at_s)
            free_gpus = self->free_gpus[entry++];
        taken += take_at(&change, last, at_s, spans);
        if (self->count == 0 || self->free_gpus[self->count - 1] != free_gpus - taken)
            vacancy_append(self, at_s, free_gpus - taken);
    }
}

void vacancy_take_all(struct vacancy *self, const struct span spans[], size_t count)
{
    if (count >= MANY) {
        take_many(self, spans, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        vacancy_take(self, (double)spans[i].from_s, (double)spans[i].to_s, spans[i].gpus);
}

/* Whether any of `count` entries has fewer than `gpus` GPUs: its difference is then below 0, and so
 * is the bitwise OR of all differences. */
static inline bool is_short(const int *free_gpus, int count, int gpus)
{
    int all = 0;

    for (int i = 0; i < count; i++)
        all |= free_gpus[i] - gpus;
    return all < 0;
}

/* Skips `count` entries at a time while the end of the run is not among them. */
static inline int skip_ahead(const struct vacancy *self, int entry, double until_s, int gpus,
                             int count)
{
    while (entry + count <= self->count && self->at_s[entry + count - 1] < until_s &&
           !is_short(self->free_gpus + entry, count, gpus))
        entry += count;
    return entry;
}

WIDE int vacancy_run_end(const struct vacancy *self, int entry, double until_s, int gpus)
{
    entry = skip_ahead(self, entry, until_s, gpus, STRIDE);
    entry = skip_ahead(self, entry, until_s, gpus, STEP);
    while (entry < self->count && self->at_s[entry] < until_s && self->free_gpus[entry] >= gpus)
        entry++;
    return entry;
}

static inline int skip_back(const struct vacancy *self, int entry, double from_s, int gpus,
                            int count)
{
    while (entry >= count && self->at_s[entry - count] > from_s &&
           !is_short(self->free_gpus + entry - count, count, gpus))
        entry -= count;
    return entry;
}

WIDE int vacancy_run_start(const struct vacancy *self, int entry, double from_s, int gpus)
{
    assert(self->free_gpus[entry] >= gpus);
    entry = skip_back(self, entry, from_s, gpus, STRIDE);
    entry = skip_back(self, entry, from_s, gpus, STEP);
    while (entry > 0 && self->at_s[entry] > from_s && self->free_gpus[entry - 1] >= gpus)
        entry--;
    return entry;
}

double vacancy_taken(const struct vacancy *self, double until_s, int gpus)
{
    double taken = 0;

    for (int i = 0; i < self->count && self->at_s[i] < until_s; i++) {
        const bool is_last = i + 1 == self->count || self->at_s[i + 1] >= until_s;

        taken +=
            (gpus - self->free_gpus[i]) * ((is_last ? until_s : self->at_s[i + 1]) - self->at_s[i]);
    }
    return taken;
}

int vacancy_least(const struct vacancy *self, double from_s, double to_s)
{
    int least = self->free_gpus[vacancy_find(self, from_s)];

    for (int i = vacancy_find(self, from_s); i < self->count && self->at_s[i] < to_s; i++)
        least = self->free_gpus[i] < least ? self->free_gpus[i] : least;
    return least;
}
