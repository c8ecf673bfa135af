/* spare_gpus.c - see spare_gpus.h.
 *
 * Each step asks of every job what one more level would cost it: its rest is planned anew with the
 * larger level forced for now, and the gain is the growth of its GPU seconds for each GPU added.
 * Nearly all time of a simulation goes into these probes, so a probe computes only the gain, and is
 * left out where the answer is known: see probe(). */
#include "scheduler/policies/spare_gpus.h"

#include "common/sort.h"
#include "scheduler/policies/quick_probe.h"

#include <assert.h>
#include <math.h>

/* Beyond every finite gain. */
#define GAIN_FIRST HUGE_VAL
#define GAIN_NEVER (-HUGE_VAL)

struct candidate {
    struct booking *booking;
    int next; /* the level it would grow to; its own if it cannot grow */
    double gain;
    bool known; /* `gain` and `prospect` are those of the step before */
    struct prospect prospect;
};

struct market {
    struct reservation_book *book;
    plan_t *plan;
    struct candidate *candidates; /* by place */
    struct keyed *order;          /* places by falling gain: the order of service */
    struct keyed *scratch;
    int spare_gpus;
    double same_from_s;             /* the step before changed nothing from here on */
    struct free_outlook outlook;
    struct timeline released;       /* the free GPUs with one job's reservation given back */
    struct reservation reservation; /* of a probe */
    struct error *error;
};

static int next_level(const struct booking *booking)
{
    return booking->level < booking->job->scaling->top ? booking->level + 1 : booking->level;
}

static int step_gpus(const struct candidate *candidate)
{
    const struct scaling *scaling = candidate->booking->job->scaling;

    return scaling->gpus[candidate->next] - scaling->gpus[candidate->booking->level];
}

static bool can_grow(const struct candidate *candidate)
{
    return candidate->next > candidate->booking->level;
}

static bool can_afford(const struct market *market, const struct candidate *candidate)
{
    return can_grow(candidate) && step_gpus(candidate) <= market->spare_gpus;
}

/* Plans the candidate at its next level into the free GPUs and its own reservation. */
static int plan_growth(struct market *market, struct candidate *candidate)
{
    const struct booking *booking = candidate->booking;
    struct reservation_book *book = market->book;

    timeline_release(&book->free, &booking->reservation, booking->job->scaling, &market->released);
    if (!booking->job->scaling->regular &&
        !timeline_is_within(&market->released, book->grid.gpu_count))
        return error_set(market->error,
                         "model %s: a job gives back more GPUs than it was given; the artifact "
                         "aborts here, which happens when more GPUs are slower (EF-Q24)",
                         booking->job->model);
    if (market->released.entries[0].free_gpus < booking->job->scaling->gpus[candidate->next])
        return error_set(market->error, "model %s: a job is forced onto more GPUs than are free",
                         booking->job->model);
    return plan_deadline(&book->grid, &booking->demand, &market->released, candidate->next,
                         &market->reservation, &candidate->prospect, market->error);
}

/* Whether the gain of the step before still stands. The forced piece, which now lasts until
 * `change_s`, must last as long as it did, or long enough to do all; and what was looked at behind
 * it must be as it was. */
static bool still_known(const struct market *market, const struct candidate *candidate,
                        double change_s)
{
    const struct prospect *prospect = &candidate->prospect;

    if (!candidate->known)
        return false;
    if (prospect->ends_at_once)
        return change_s >= prospect->end_s;
    return change_s == prospect->forced_until_s && market->same_from_s < prospect->rests_from_s;
}

/* The GPU seconds of the candidate at its next level. */
static int measure_growth(struct market *market, struct candidate *candidate, double change_s,
                          double *gpu_seconds)
{
    const struct booking *booking = candidate->booking;
    const struct scaling *scaling = booking->job->scaling;

    if (scaling->regular &&
        quick_probe(&market->book->grid, &market->outlook, &booking->demand, &booking->reservation,
                    candidate->next, change_s, gpu_seconds, &candidate->prospect))
        return 0;
    if (plan_growth(market, candidate) < 0)
        return -1;
    *gpu_seconds = reservation_gpu_seconds(&market->reservation, scaling);
    return 0;
}

/* EF-Q29: the gain is what the step costs in GPU seconds, so the largest is the worst use. */
static int probe(struct market *market, struct candidate *candidate)
{
    const struct booking *booking = candidate->booking;
    double change_s;
    double gpu_seconds;

    if (!can_afford(market, candidate)) {
        candidate->gain = GAIN_NEVER;
        return 0;
    }
    if (booking->level == 0) { /* EF-Q31: whoever waits comes first, if the artifact can plan it */
        candidate->gain = GAIN_FIRST;
        return booking->job->scaling->regular ? 0 : plan_growth(market, candidate);
    }
    change_s = timeline_first_change_released(&market->book->free, &booking->reservation,
                                              booking->job->scaling,
                                              booking->demand.deadline_slot_end_s);
    if (still_known(market, candidate, change_s))
        return 0;
    if (measure_growth(market, candidate, change_s, &gpu_seconds) < 0)
        return -1;
    candidate->known = booking->job->scaling->regular;
    candidate->gain = (gpu_seconds - booking->gpu_seconds) / step_gpus(candidate);
    return 0;
}

static void sort_by_gain(struct market *market)
{
    for (size_t i = 0; i < market->book->count; i++)
        market->order[i].key = -market->candidates[market->order[i].item].gain;
    sort_keyed(market->order, market->book->count, market->scratch);
}

/* Gives `candidate` its next level for good. */
static int grow(struct market *market, struct candidate *candidate)
{
    struct reservation_book *book = market->book;
    struct booking *booking = candidate->booking;
    const struct timeline before = book->free;
    const size_t bytes = sizeof(*market->reservation.steps);

    if (plan_growth(market, candidate) < 0)
        return -1;
    planning_reserve(&market->released, &market->reservation, &candidate->prospect,
                     booking->job->scaling, &book->spare);
    market->spare_gpus -= step_gpus(candidate);
    book->free = book->spare;
    book->spare = before;
    market->same_from_s = timeline_same_from(&book->free, &before);
    booking->reservation.count = market->reservation.count;
    booking->reservation.end_s = market->reservation.end_s;
    booking->reservation.steps =
        arena_alloc(book->memory, (size_t)market->reservation.count * bytes);
    for (int i = 0; i < market->reservation.count; i++)
        booking->reservation.steps[i] = market->reservation.steps[i];
    booking->gpu_seconds = reservation_gpu_seconds(&booking->reservation, booking->job->scaling);
    booking->finish_s = candidate->prospect.finish_s;
    booking->level = candidate->next;
    candidate->next = next_level(booking);
    candidate->known = false;
    plan_grow(market->plan, &(struct growth){.place = (size_t)(booking - book->bookings),
                                             .level = booking->level,
                                             .end_s = (int64_t)booking->reservation.end_s,
                                             .finish_s = (int64_t)booking->finish_s});
    return 0;
}

static struct candidate *first_that_can_grow(const struct market *market)
{
    for (size_t i = 0; i < market->book->count; i++) {
        struct candidate *candidate = &market->candidates[market->order[i].item];

        if (can_afford(market, candidate))
            return candidate;
    }
    return NULL;
}

/* EF-Q30: a job that cannot grow any more keeps its last gain, which orders ties later on. */
static int probe_all(struct market *market, bool only_growing)
{
    free_outlook_update(&market->outlook, &market->book->free);
    for (size_t i = 0; i < market->book->count; i++) {
        struct candidate *candidate = &market->candidates[market->order[i].item];

        if (only_growing && !can_grow(candidate))
            continue;
        if (probe(market, candidate) < 0)
            return -1;
    }
    sort_by_gain(market);
    return 0;
}

static int share_out(struct market *market)
{
    bool grown = true;

    if (probe_all(market, false) < 0)
        return -1;
    while (market->spare_gpus > 0 && grown) {
        struct candidate *candidate = first_that_can_grow(market);

        grown = candidate != NULL;
        if (grown && grow(market, candidate) < 0)
            return -1;
        if (!grown)
            market->same_from_s = market->book->grid.now_s;
        if (probe_all(market, true) < 0)
            return -1;
    }
    return 0;
}

static int count_spare(const struct reservation_book *book)
{
    int spare = book->grid.gpu_count;

    for (size_t i = 0; i < book->count; i++)
        spare -= book->bookings[i].job->scaling->gpus[book->bookings[i].level];
    assert(spare == book->free.entries[0].free_gpus);
    return spare;
}

int spare_gpus_share(struct reservation_book *book, plan_t *plan, struct error *error)
{
    const size_t count = book->count;
    const size_t entries = 2 * count + 8;
    arena_t *memory = book->memory;
    struct market market = {.book = book,
                            .plan = plan,
                            .spare_gpus = count_spare(book),
                            .same_from_s = book->grid.now_s,
                            .error = error};

    if (market.spare_gpus == 0)
        return 0;
    market.candidates = arena_alloc(memory, count * sizeof(*market.candidates));
    market.order = arena_alloc(memory, 2 * count * sizeof(*market.order));
    market.scratch = market.order + count;
    market.released.entries = arena_alloc(memory, entries * sizeof(*market.released.entries));
    market.reservation.steps =
        arena_alloc(memory, (entries + 3) * sizeof(*market.reservation.steps));
    for (size_t i = 0; i < count; i++) {
        struct booking *booking = &book->bookings[i];

        market.candidates[i] = (struct candidate){.booking = booking, .next = next_level(booking)};
        market.order[i] = (struct keyed){0, plan->service[i]};
    }
    if (share_out(&market) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        plan->service[i] = market.order[i].item;
    return 0;
}
