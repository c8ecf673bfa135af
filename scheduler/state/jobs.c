/* jobs.c - see jobs.h. */
#include "scheduler/state/jobs.h"

#include <stdlib.h>
#include <string.h>

void jobs_keep_live(struct jobs *self)
{
    size_t count = 0;

    for (size_t i = 0; i < self->count; i++)
        if (job_is_live(self->items[i]))
            self->items[count++] = self->items[i];
    self->count = count;
}

/* Moves the jobs of `state` that lie from `from` up to `until` to place `to` and after. Returns the
 * place after them. */
static size_t keep_between(struct jobs *self, enum job_state state, size_t from, size_t until,
                           size_t to)
{
    for (size_t i = from; i < until; i++)
        if (self->items[i]->state == state)
            self->items[to++] = self->items[i];
    return to;
}

void jobs_keep(struct jobs *self, enum job_state state)
{
    self->count = keep_between(self, state, 0, self->count, 0);
}

void jobs_drop(struct jobs *self, enum job_state state, size_t others)
{
    size_t first = 0;
    size_t last = self->count;
    size_t kept;

    while (others > 0 && first < last) {
        others -= self->items[first++]->state != state;
        if (others > 0 && first < last)
            others -= self->items[--last]->state != state;
    }
    kept = keep_between(self, state, 0, first, 0);
    if (kept < first)
        memmove(self->items + kept, self->items + first, (last - first) * sizeof(*self->items));
    self->count = keep_between(self, state, last, self->count, kept + (last - first));
}

static int compare_arrival(const void *a, const void *b)
{
    const struct job *x = *(struct job *const *)a;
    const struct job *y = *(struct job *const *)b;

    if (x->submission->submit_s != y->submission->submit_s)
        return x->submission->submit_s < y->submission->submit_s ? -1 : 1;
    return x->arrival < y->arrival ? -1 : x->arrival > y->arrival;
}

static int compare_end(const void *a, const void *b)
{
    const struct job *x = *(struct job *const *)a;
    const struct job *y = *(struct job *const *)b;

    if (x->end_s != y->end_s)
        return x->end_s < y->end_s ? -1 : 1;
    return x->arrival < y->arrival ? -1 : x->arrival > y->arrival;
}

static void sort(struct jobs *self, int (*compare)(const void *a, const void *b))
{
    if (self->count > 1)
        qsort(self->items, self->count, sizeof(struct job *), compare);
}

void jobs_sort_by_arrival(struct jobs *self)
{
    sort(self, compare_arrival);
}

void jobs_sort_by_end(struct jobs *self)
{
    sort(self, compare_end);
}

int jobs_most_gpus(const struct jobs *self)
{
    int most = 0;

    for (size_t i = 0; i < self->count; i++)
        most = job_gpus(self->items[i]) > most ? job_gpus(self->items[i]) : most;
    return most;
}
