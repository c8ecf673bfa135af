/* quick_probe.c - see quick_probe.h. */
#include "scheduler/reference/quick_probe.h"

#include <math.h>
#include <string.h>

/* The sums that products replace have relative errors below 1e-11, even with 10,000 pieces. */
#define DOUBT 1e-9

void free_outlook_update(struct free_outlook *self, const struct timeline *free, int gpu_count)
{
    int least = scaling_class(gpu_count) + 1;
    double from_s = HUGE_VAL;

    self->free = free;
    for (int i = free->count - 1; i >= 0; i--) {
        while (least > free->entries[i].free_class + 1)
            self->enough_from_s[--least] = from_s;
        from_s = free->entries[i].at_s;
    }
    while (least > 0)
        self->enough_from_s[--least] = from_s;
}

/* The bit of a time. Positive doubles have the order of their bits, as the exponent comes first. */
static unsigned bit_of(const struct planning_grid *grid, double at_s)
{
    const double after_s = at_s - grid->now_s;
    const uint64_t first = UINT64_C(1027) << 2; /* 16 s */
    uint64_t bits;

    if (!(after_s >= 16))
        return 0;
    memcpy(&bits, &after_s, sizeof(bits));
    bits = (bits >> 50) - first;
    return bits < 63 ? (unsigned)bits : 63;
}

times_t times_at(const struct planning_grid *grid, double at_s)
{
    return (times_t)1 << bit_of(grid, at_s);
}

static times_t times_of_window(const struct planning_grid *grid, const struct window *window)
{
    const times_t from = times_at(grid, window->from_s);
    const times_t until = times_at(grid, window->until_s);

    return from <= until ? (until - from) | until : 0;
}

/* The first entry after `at_s`. */
static int first_after(const struct timeline *free, double at_s)
{
    const struct timeline_entry *base = free->entries;

    for (int count = free->count; count > 0;) {
        const int half = (count + 1) / 2;

        base += base[half - 1].at_s <= at_s ? half : 0;
        count -= half;
    }
    return (int)(base - free->entries);
}

bool own_changes_of(struct own_changes *self, const struct reservation *reservation,
                    const struct scaling *scaling)
{
    const struct step *steps = reservation->steps;
    int held = scaling->gpus[steps[0].level];

    self->held = held;
    self->count = 0;
    if (reservation->count > OWN_CHANGES_MAX || reservation->end_s <= steps[0].at_s)
        return false;
    for (int i = 1; i < reservation->count && steps[i].at_s < reservation->end_s; i++) {
        const int gpus = scaling->gpus[steps[i].level];

        self->at[self->count++] = (struct own_change){steps[i].at_s, gpus - held};
        held = gpus;
    }
    self->at[self->count++] = (struct own_change){reservation->end_s, -held};
    return true;
}

/* The free GPUs once the reservation is given back change at the entries of `free`, less the
 * entries that only the reservation caused, plus the changes that the reservation hides: its own
 * changes at times at which `free` does not change. */

/* Whether the change of `entry` is the reservation's own and nothing else. */
static bool is_own(const struct own_changes *own, const struct timeline_entry *entry)
{
    for (int i = 0; i < own->count; i++)
        if (own->at[i].at_s == entry->at_s)
            return entry->free_gpus + own->at[i].more == entry[-1].free_gpus;
    return false;
}

/* Whether none of the entries from `first` to before `last` is at `at_s`. */
static bool is_hidden(const struct timeline *free, int first, int last, double at_s)
{
    for (int i = first; i < last; i++)
        if (free->entries[i].at_s == at_s)
            return false;
    return true;
}

static double last_up_to(const struct quick_question *question, double at_s)
{
    const struct timeline *free = question->outlook->free;
    const struct own_changes *own = question->own;
    const int last = first_after(free, at_s);
    int at = last - 1;

    while (at > 0 && is_own(own, &free->entries[at]))
        at--;
    for (int i = own->count - 1; i >= 0 && own->at[i].at_s > free->entries[at].at_s; i--)
        if (own->at[i].at_s <= at_s && is_hidden(free, at + 1, last, own->at[i].at_s))
            return own->at[i].at_s;
    return free->entries[at].at_s;
}

static double first_behind(const struct quick_question *question, double at_s)
{
    const struct timeline *free = question->outlook->free;
    const struct own_changes *own = question->own;
    const int first = first_after(free, at_s);
    int at = first;
    double found_s;

    while (at < free->count && is_own(own, &free->entries[at]))
        at++;
    found_s = at < free->count ? free->entries[at].at_s : HUGE_VAL;
    for (int i = 0; i < own->count && own->at[i].at_s < found_s; i++)
        if (own->at[i].at_s > at_s && is_hidden(free, first, at, own->at[i].at_s))
            return own->at[i].at_s;
    return found_s;
}

/* The first time from `from_s` on at which the reservation holds fewer than `gpus` GPUs. */
static double holds_until(const struct own_changes *own, double from_s, int gpus)
{
    int held = own->held;
    double since_s = from_s;

    for (int i = 0; i < own->count; i++) {
        if (own->at[i].at_s > from_s) {
            if (held < gpus)
                break;
            since_s = own->at[i].at_s;
        }
        held += own->at[i].more;
    }
    return since_s;
}

/* The lowest level that could do `left` iterations from `from_s` on; 0 if no level can, or a
 * comparison is too close to decide. */
static int lowest_level(const struct deadline_demand *demand, double from_s, double left)
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

/* Whether the forced piece does all the work before anything changes, and in time. */
static bool ends_at_once(const struct quick_question *question, double work_s, double *end_s)
{
    const double raw_s = question->grid->now_s + work_s;
    double finish_s;

    if (raw_s > question->change_s)
        return false;
    finish_s = ceil(raw_s);
    *end_s = planning_slot_end(question->grid, finish_s);
    return question->change_s >= *end_s && question->demand->deadline_s >= finish_s;
}

/* Finds the time from which `level` must be held and the end of the job. False if a comparison is
 * too close to decide. */
static bool find_pieces(const struct quick_question *question, double left,
                        struct quick_answer *answer)
{
    const struct deadline_demand *demand = question->demand;
    const double rate = demand->scaling->rate[answer->level];
    const double work_s = left / rate;
    const double doubt_s = DOUBT * (1 + work_s);
    const double latest_s = demand->deadline_s - work_s + doubt_s;
    const double last_s = demand->deadline_slot_end_s - 0.5; /* entries are at full seconds */
    double ends_s;

    answer->around_start.until_s = latest_s < last_s ? latest_s : last_s;
    answer->start_s = last_up_to(question, answer->around_start.until_s);
    answer->around_start.from_s = answer->start_s;
    if (answer->start_s < question->change_s ||
        (demand->deadline_s - answer->start_s) * rate * (1 - DOUBT) < left)
        return false;
    left -= (answer->start_s - question->change_s) * demand->scaling->rate[answer->level - 1];
    answer->work_s = left / rate;
    ends_s = answer->start_s + answer->work_s;
    answer->behind_s = first_behind(question, ends_s - doubt_s);
    answer->around_end = (struct window){ends_s - doubt_s, answer->behind_s};
    return answer->behind_s >= ends_s + doubt_s && demand->deadline_s >= ends_s + doubt_s;
}

/* Finds the end of the job, a full second. False if rounding is too close to decide. */
static bool find_finish(const struct quick_answer *answer, double *finish_s)
{
    const double doubt_s = DOUBT * (1 + answer->work_s);
    const double ends_s = answer->start_s + answer->work_s;

    *finish_s = ceil(ends_s - doubt_s);
    return *finish_s == ceil(ends_s + doubt_s);
}

/* EF-Q12: whether the plan has a zero step after its end, up to which GPU seconds then count. */
static bool has_step_behind_end(const struct quick_question *question,
                                const struct quick_answer *answer)
{
    return question->grid->rules->steps_behind_end &&
           answer->behind_s < question->demand->deadline_slot_end_s;
}

/* Sets the windows of an answer with a single piece, which depends on nothing after its end. */
static void answer_at_once(struct quick_answer *answer)
{
    const struct window never = {HUGE_VAL, -HUGE_VAL};

    answer->forced_end = (struct window){answer->end_s, HUGE_VAL};
    answer->around_start = never;
    answer->around_end = never;
    answer->around = 0;
    answer->holds_until_s = HUGE_VAL;
    answer->class = 0;
}

bool quick_probe(const struct quick_question *question, struct quick_answer *answer)
{
    const struct deadline_demand *demand = question->demand;
    const struct scaling *scaling = demand->scaling;
    const double now_s = question->grid->now_s;
    const double change_s = question->change_s;
    const double rate = scaling->rate[question->forced_level];
    const int forced_gpus = scaling->gpus[question->forced_level];
    double left;
    double until_s;

    answer->ends_at_once = ends_at_once(question, demand->iterations / rate, &answer->end_s);
    if (answer->ends_at_once) {
        answer_at_once(answer);
        answer->gpu_seconds = forced_gpus * (answer->end_s - now_s);
        return true;
    }
    answer->forced_end = (struct window){change_s, change_s};
    if (change_s >= demand->deadline_slot_end_s)
        return false;
    left = demand->iterations - (change_s - now_s) * rate;
    answer->level = left > 0 ? lowest_level(demand, change_s, left) : 0;
    if (answer->level == 0)
        return false;
    answer->class = scaling_class(scaling->gpus[answer->level]);
    answer->holds_until_s = holds_until(question->own, change_s, scaling->gpus[answer->level]);
    if (!quick_answer_fits(question->outlook, answer) || !find_pieces(question, left, answer))
        return false;
    answer->around = times_of_window(question->grid, &answer->around_start) |
                     times_of_window(question->grid, &answer->around_end);
    until_s = answer->behind_s;
    if (!has_step_behind_end(question, answer)) {
        if (!find_finish(answer, &until_s))
            return false;
        until_s = planning_slot_end(question->grid, until_s);
    }
    answer->gpu_seconds = forced_gpus * (change_s - now_s) +
                          scaling->gpus[answer->level - 1] * (answer->start_s - change_s) +
                          scaling->gpus[answer->level] * (until_s - answer->start_s);
    return true;
}

/* Whether any of the deltas, which are in order of time, lies in the window. */
static bool touches(const struct timeline_delta *deltas, int count, const struct window *window)
{
    if (count == 0 || deltas[count - 1].at_s < window->from_s)
        return false;
    for (int i = 0; i < count; i++)
        if (deltas[i].at_s >= window->from_s)
            return deltas[i].at_s <= window->until_s;
    return false;
}

bool quick_answer_stands(const struct quick_question *question, const struct quick_answer *answer,
                         const struct timeline_delta *changed, int count)
{
    return question->change_s >= answer->forced_end.from_s &&
           question->change_s <= answer->forced_end.until_s &&
           quick_answer_fits(question->outlook, answer) &&
           (!touches(changed, count, &answer->around_start) ||
            last_up_to(question, answer->around_start.until_s) == answer->start_s) &&
           (!touches(changed, count, &answer->around_end) ||
            first_behind(question, answer->around_end.from_s) == answer->behind_s);
}

static void add_step(struct reservation *reservation, double at_s, int level)
{
    if (reservation->count == 0 || reservation->steps[reservation->count - 1].level != level)
        reservation->steps[reservation->count++] = (struct step){at_s, level};
}

bool quick_plan(const struct quick_question *question, const struct quick_answer *answer,
                struct reservation *reservation, double *finish_s)
{
    const struct deadline_demand *demand = question->demand;
    const double now_s = question->grid->now_s;

    reservation->count = 0;
    add_step(reservation, now_s, question->forced_level);
    if (answer->ends_at_once) {
        *finish_s =
            ceil(now_s + demand->iterations / demand->scaling->rate[question->forced_level]);
        reservation->end_s = answer->end_s;
        return true;
    }
    if (!find_finish(answer, finish_s))
        return false;
    if (answer->start_s > question->change_s)
        add_step(reservation, question->change_s, answer->level - 1);
    add_step(reservation, answer->start_s, answer->level);
    if (has_step_behind_end(question, answer))
        add_step(reservation, answer->behind_s, 0);
    reservation->end_s = planning_slot_end(question->grid, *finish_s);
    return true;
}
