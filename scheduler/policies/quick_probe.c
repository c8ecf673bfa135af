/* quick_probe.c - see quick_probe.h. */
#include "scheduler/policies/quick_probe.h"

#include <math.h>

/* Errors of the sums that are replaced are below 1e-11 of them, even with 10,000 pieces. */
#define DOUBT 1e-9

/* Own boundaries are the steps of the reservation and its end: 8 are plenty. */
#define BOUNDARIES_MAX 8

void free_outlook_update(struct free_outlook *self, const struct timeline *free)
{
    int least = SCALING_CLASSES;

    self->free = free;
    for (int i = free->count - 1; i >= 0; i--) {
        const double from_s =
            i + 1 < free->count ? free->entries[i + 1].at_s : HUGE_VAL;

        while (least > free->entries[i].free_class + 1)
            self->enough_from_s[--least] = from_s;
    }
    while (least > 0)
        self->enough_from_s[--least] = free->entries[0].at_s;
}

/* The entries of the free GPUs once a reservation is given back, without writing them down: those of
 * `free`, less those that only the reservation caused, plus those that it hides. */
struct released {
    const struct timeline_entry *entries;
    int count;
    int dropped[BOUNDARIES_MAX]; /* entries that only the reservation caused, rising */
    int dropped_count;
    double hidden_s[BOUNDARIES_MAX]; /* times at which it hides a change, rising */
    int hidden_count;
};

/* The first entry after `at_s`. */
static int first_after(const struct timeline_entry *entries, int count, double at_s)
{
    const struct timeline_entry *base = entries;

    while (count > 0) {
        const int half = (count + 1) / 2;

        base += base[half - 1].at_s <= at_s ? half : 0;
        count -= half;
    }
    return (int)(base - entries);
}

static void add_boundary(struct released *released, double at_s, int more)
{
    const int at = first_after(released->entries, released->count, at_s) - 1;

    if (released->entries[at].at_s < at_s)
        released->hidden_s[released->hidden_count++] = at_s;
    else if (released->entries[at].free_gpus + more == released->entries[at - 1].free_gpus)
        released->dropped[released->dropped_count++] = at;
}

static bool release(const struct timeline *free, const struct reservation *reservation,
                    const struct scaling *scaling, struct released *released)
{
    int held = scaling->gpus[reservation->steps[0].level];

    if (reservation->count >= BOUNDARIES_MAX ||
        reservation->end_s <= reservation->steps[0].at_s)
        return false;
    released->entries = free->entries;
    released->count = free->count;
    released->dropped_count = released->hidden_count = 0;
    for (int i = 1; i < reservation->count && reservation->steps[i].at_s < reservation->end_s;
         i++) {
        const int now_held = scaling->gpus[reservation->steps[i].level];

        add_boundary(released, reservation->steps[i].at_s, now_held - held);
        held = now_held;
    }
    add_boundary(released, reservation->end_s, -held);
    return true;
}

static bool is_dropped(const struct released *released, int at)
{
    for (int i = 0; i < released->dropped_count; i++)
        if (released->dropped[i] == at)
            return true;
    return false;
}

static double last_up_to(const struct released *released, double at_s)
{
    int at = first_after(released->entries, released->count, at_s) - 1;
    double found_s;

    while (at > 0 && is_dropped(released, at))
        at--;
    found_s = released->entries[at].at_s;
    for (int i = 0; i < released->hidden_count; i++)
        if (released->hidden_s[i] <= at_s && released->hidden_s[i] > found_s)
            found_s = released->hidden_s[i];
    return found_s;
}

static double first_behind(const struct released *released, double at_s)
{
    int at = first_after(released->entries, released->count, at_s);
    double found_s;

    while (at < released->count && is_dropped(released, at))
        at++;
    found_s = at < released->count ? released->entries[at].at_s : HUGE_VAL;
    for (int i = 0; i < released->hidden_count; i++)
        if (released->hidden_s[i] > at_s && released->hidden_s[i] < found_s)
            found_s = released->hidden_s[i];
    return found_s;
}

/* When the reservation first holds fewer than `gpus` GPUs, from `from_s` on. */
static double holds_until(const struct reservation *reservation, const struct scaling *scaling,
                          double from_s, int gpus)
{
    for (int i = 0; i < reservation->count; i++) {
        const struct step *step = &reservation->steps[i];
        const double until_s = i + 1 < reservation->count && step[1].at_s < reservation->end_s
                                   ? step[1].at_s
                                   : reservation->end_s;

        if (step->at_s >= reservation->end_s)
            break;
        if (until_s > from_s && scaling->gpus[step->level] < gpus)
            return step->at_s > from_s ? step->at_s : from_s;
    }
    return reservation->end_s > from_s ? reservation->end_s : from_s;
}

/* The lowest level that could do `left` iterations from `from_s` on, 0 if it is too close to say or
 * none can. */
static int lowest_level(const struct demand *demand, double from_s, double left)
{
    const struct scaling *scaling = demand->scaling;
    const double length_s = demand->deadline_s - from_s;
    int level = 1;

    while (level <= scaling->reach && length_s * scaling->rate[level] * (1 + DOUBT) < left)
        level++;
    if (level > scaling->reach || length_s * scaling->rate[level] * (1 - DOUBT) < left)
        return 0;
    return level;
}

bool quick_probe(const struct planning_grid *grid, const struct free_outlook *outlook,
                 const struct demand *demand, const struct reservation *reservation,
                 int forced_level, double change_s, double *gpu_seconds, struct prospect *prospect)
{
    const struct scaling *scaling = demand->scaling;
    const double forced_rate = scaling->rate[forced_level];
    const double slot_end_s = demand->deadline_slot_end_s;
    const double finish_s = ceil(grid->now_s + demand->iterations / forced_rate);
    const double end_s = planning_slot_end(grid, finish_s);
    struct released released;
    int level;
    int gpus;
    double left;
    double doubt_s;
    double start_s; /* from which on `level` is held; the level below until then */
    double ends_s;
    double until_s;

    *prospect = (struct prospect){.rests_from_s = grid->now_s, .forced_until_s = change_s};
    *gpu_seconds = scaling->gpus[forced_level] * (end_s - grid->now_s);
    if (change_s >= end_s && demand->deadline_s >= finish_s) {
        prospect->ends_at_once = true;
        prospect->end_s = end_s;
        return true;
    }
    if (change_s >= slot_end_s)
        return false;
    left = demand->iterations - (change_s - grid->now_s) * forced_rate;
    level = lowest_level(demand, change_s, left);
    if (level == 0)
        return false;
    gpus = scaling->gpus[level];
    if (outlook->enough_from_s[scaling_class(gpus)] >
            holds_until(reservation, scaling, change_s, gpus) ||
        !release(outlook->free, reservation, scaling, &released))
        return false;

    doubt_s = DOUBT * (1 + left / scaling->rate[level]);
    start_s = last_up_to(&released, fmin(demand->deadline_s - left / scaling->rate[level] + doubt_s,
                                         slot_end_s - 0.5));
    if (start_s < change_s ||
        (demand->deadline_s - start_s) * scaling->rate[level] * (1 - DOUBT) < left)
        return false;
    left -= (start_s - change_s) * scaling->rate[level - 1];
    ends_s = start_s + left / scaling->rate[level];
    until_s = first_behind(&released, ends_s - doubt_s);
    if (until_s < ends_s + doubt_s)
        return false;
    if (until_s >= slot_end_s) { /* no step behind the end: EF-Q12 does not apply */
        if (demand->deadline_s < ends_s + doubt_s ||
            ceil(ends_s - doubt_s) != ceil(ends_s + doubt_s))
            return false;
        until_s = planning_slot_end(grid, ceil(ends_s));
    }
    *gpu_seconds = scaling->gpus[forced_level] * (change_s - grid->now_s) +
                   scaling->gpus[level - 1] * (start_s - change_s) + gpus * (until_s - start_s);
    if (level == 1)
        prospect->rests_from_s = start_s;
    return true;
}
