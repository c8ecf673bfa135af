/* timeline.c - see timeline.h. */
#include "scheduler/plan/timeline.h"

#include <assert.h>
#include <string.h>

void timeline_clear(struct timeline *self, double now_s, int gpu_count)
{
    self->entries[0] = timeline_entry(now_s, gpu_count);
    self->count = 1;
}

/* Appends an entry unless the value stays the same. */
static int append(struct timeline_entry *entries, int count, double at_s, int free_gpus)
{
    if (count > 0 && entries[count - 1].free_gpus == free_gpus)
        return count;
    entries[count] = timeline_entry(at_s, free_gpus);
    return count + 1;
}

/* The value of `self` at `at_s`. `*next` is the first entry at or after that time, and is moved
 * past an entry at it. */
static int value_at(const struct timeline *self, double at_s, int *next)
{
    if (*next < self->count && self->entries[*next].at_s == at_s)
        (*next)++;
    assert(*next > 0);
    return self->entries[*next - 1].free_gpus;
}

/* Adds or takes the GPUs of a reservation. Between two of its steps all entries change by the same
 * number, so only at the steps and at the end can neighbours become equal. */
static void change(const struct timeline *self, const struct reservation *reservation,
                   const struct scaling *scaling, int sign, struct timeline *to)
{
    struct timeline_entry *entries = to->entries;
    int next = 0;
    int count = 0;

    assert(self->entries != to->entries);
    for (int k = 0; k < reservation->count; k++) {
        const struct step *step = &reservation->steps[k];
        const double until_s = k + 1 < reservation->count && step[1].at_s < reservation->end_s
                                   ? step[1].at_s
                                   : reservation->end_s;
        const int more = sign * scaling->gpus[step->level];

        if (step->at_s >= reservation->end_s)
            break;
        count = append(entries, count, step->at_s, value_at(self, step->at_s, &next) + more);
        for (; next < self->count && self->entries[next].at_s < until_s; next++)
            entries[count++] =
                timeline_entry(self->entries[next].at_s, self->entries[next].free_gpus + more);
    }
    if (count > 0)
        count =
            append(entries, count, reservation->end_s, value_at(self, reservation->end_s, &next));
    memcpy(entries + count, self->entries + next, (size_t)(self->count - next) * sizeof(*entries));
    to->count = count + self->count - next;
}

void timeline_reserve(const struct timeline *self, const struct reservation *reservation,
                      const struct scaling *scaling, struct timeline *to)
{
    change(self, reservation, scaling, -1, to);
}

void timeline_release(const struct timeline *self, const struct reservation *reservation,
                      const struct scaling *scaling, struct timeline *to)
{
    change(self, reservation, scaling, 1, to);
}

/* As in `change`, neighbours can become equal at the deltas only. */
void timeline_apply(const struct timeline *self, const struct timeline_delta *deltas, int count,
                    struct timeline *to)
{
    const struct timeline_entry *entries = self->entries;
    struct timeline_entry *out = to->entries;
    int next = 0;
    int filled = 0;
    int more = 0;

    assert(self->entries != to->entries);
    for (int k = 0; k < count; k++) {
        const double at_s = deltas[k].at_s;

        for (; next < self->count && entries[next].at_s < at_s; next++)
            out[filled++] = timeline_entry(entries[next].at_s, entries[next].free_gpus + more);
        more += deltas[k].more;
        filled = append(out, filled, at_s, value_at(self, at_s, &next) + more);
    }
    for (; next < self->count; next++)
        out[filled++] = timeline_entry(entries[next].at_s, entries[next].free_gpus + more);
    to->count = filled;
}

double timeline_search_change_released(const struct timeline *self,
                                       const struct reservation *reservation,
                                       const struct scaling *scaling, double otherwise)
{
    bool ended = reservation->end_s <= reservation->steps[0].at_s;
    const int start =
        self->entries[0].free_gpus + (ended ? 0 : scaling->gpus[reservation->steps[0].level]);
    int next = 1;
    int step = 0;

    while (next < self->count || !ended) {
        double own_s = reservation->end_s;
        double at_s;
        int held = 0;

        if (step + 1 < reservation->count && reservation->steps[step + 1].at_s < own_s)
            own_s = reservation->steps[step + 1].at_s;
        at_s = !ended && (next == self->count || own_s <= self->entries[next].at_s)
                   ? own_s
                   : self->entries[next].at_s;
        if (!ended && at_s == own_s) {
            ended = own_s == reservation->end_s;
            step++;
        }
        if (next < self->count && self->entries[next].at_s == at_s)
            next++;
        if (!ended)
            held = scaling->gpus[reservation->steps[step].level];
        if (self->entries[next - 1].free_gpus + held != start)
            return at_s;
    }
    return otherwise;
}

bool timeline_is_within(const struct timeline *self, int gpu_count)
{
    for (int i = 0; i < self->count; i++)
        if (self->entries[i].free_gpus < 0 || self->entries[i].free_gpus > gpu_count)
            return false;
    return true;
}
