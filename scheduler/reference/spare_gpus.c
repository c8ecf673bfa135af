/* spare_gpus.c - see spare_gpus.h.
 *
 * Each step asks for every job what a level more would cost: the rest of the job is planned anew
 * with the larger level forced for now, and the rules turn the growth of its GPU seconds into a
 * gain. Nearly all time of a simulation goes into these probes, so a probe computes only the gain,
 * and is left out where the answer is known: see probe(). */
#include "scheduler/reference/spare_gpus.h"

#include "common/sort.h"
#include "scheduler/plan/level.h"
#include "scheduler/reference/quick_probe.h"
#include "scheduler/reference/way_out.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Gains beyond every finite gain. */
#define GAIN_FIRST HUGE_VAL
#define GAIN_NEVER (-HUGE_VAL)

struct candidate {
    struct booking *booking;
    const struct scaling *scaling;
    int next;      /* the level to grow to; the present level if the job cannot grow */
    int step_gpus; /* GPUs more on that level; 0 if the job cannot grow */
    double gain;
    bool simple;                /* rates and reservation of the job allow quick answers */
    bool known;                 /* `answer` and `gain` still hold from the step before */
    double own_change_s;        /* the first change of the job's reservation */
    int own_more;               /* GPUs more at that change, 0 if not known */
    double change_s;            /* the first change of the GPUs free without the reservation */
    struct quick_answer answer; /* the cost of the next level */
    struct own_changes own;     /* the changes of the reservation */
};

/* The changes of the free GPUs by the step before. */
struct changed {
    struct timeline_delta deltas[2 * OWN_CHANGES_MAX + 2];
    int count;
    times_t times; /* times of all deltas after now */
    bool anywhere; /* too many deltas to list */
};

struct market {
    struct reservation_book *book;
    plan_t *plan;
    struct candidate *candidates; /* by place */
    struct keyed *order;          /* places by falling gain: the order of service */
    struct keyed *scratch;
    int spare_gpus;
    struct changed changed;
    struct free_outlook outlook;
    double second_s; /* the first change of the free GPUs */
    int second_more;
    struct timeline released;       /* the free GPUs with one job's reservation given back */
    struct reservation reservation; /* reservation found by a probe */
    struct error *error;
};

static double first_own_change(const struct reservation *reservation)
{
    return reservation->count > 1 && reservation->steps[1].at_s < reservation->end_s
               ? reservation->steps[1].at_s
               : reservation->end_s;
}

/* Sets the next level of the candidate, and the facts about it. */
static void face_next(struct candidate *candidate)
{
    const struct scaling *scaling = candidate->scaling;
    const int level = candidate->booking->level;

    candidate->next = level < scaling->top ? level + 1 : level;
    candidate->step_gpus = scaling->gpus[candidate->next] - scaling->gpus[level];
    candidate->known = false;
    candidate->own_change_s = first_own_change(&candidate->booking->reservation);
    candidate->simple =
        own_changes_of(&candidate->own, &candidate->booking->reservation, scaling) &&
        scaling->regular;
    candidate->own_more = candidate->simple ? candidate->own.at[0].more : 0;
}

static bool can_grow(const struct candidate *candidate)
{
    return candidate->step_gpus > 0;
}

static bool can_afford(const struct market *market, const struct candidate *candidate)
{
    return can_grow(candidate) && candidate->step_gpus <= market->spare_gpus;
}

static void release_own(struct market *market, const struct candidate *candidate)
{
    timeline_release(&market->book->free, &candidate->booking->reservation, candidate->scaling,
                     &market->released);
}

/* Plans the candidate piece by piece at its next level into the free GPUs and its own. EF-Q42: the
 * rest after the forced piece is planned as small and as late as the deadline allows, so a job that
 * grows can end later. EF-Q43: a best-effort job goes after the last entry, as its deadline never
 * comes. */
static int plan_growth(struct market *market, struct candidate *candidate,
                       struct prospect *prospect)
{
    const struct scaling *scaling = candidate->scaling;
    const int gpu_count = market->book->grid.gpu_count;

    release_own(market, candidate);
    if (!scaling->regular && !timeline_is_within(&market->released, gpu_count))
        return error_set(market->error,
                         "model %s: a job gives back more GPUs than it was given; the artifact "
                         "aborts here, which happens when more GPUs are slower (EF-Q24); " WAY_OUT,
                         scaling->row->model);
    if (market->released.entries[0].free_gpus < scaling->gpus[candidate->next])
        return error_set(market->error, "model %s: a job is forced onto more GPUs than are free",
                         scaling->row->model);
    return plan_deadline(&market->book->grid, &candidate->booking->demand, &market->released,
                         candidate->next, &market->reservation, prospect, market->error);
}

/* The first change of the free GPUs and the candidate's own together. Mostly their changes differ
 * in time or size, so they do not cancel out. */
static double first_change(const struct market *market, const struct candidate *candidate)
{
    const double own_s = candidate->own_change_s;

    if (market->second_s < own_s)
        return market->second_s;
    if (candidate->own_more != 0 &&
        (own_s < market->second_s || market->second_more + candidate->own_more != 0))
        return own_s;
    return timeline_search_change_released(&market->book->free, &candidate->booking->reservation,
                                           candidate->scaling,
                                           candidate->booking->demand.deadline_slot_end_s);
}

static struct quick_question question_of(const struct market *market,
                                         const struct candidate *candidate)
{
    return (struct quick_question){.grid = &market->book->grid,
                                   .outlook = &market->outlook,
                                   .demand = &candidate->booking->demand,
                                   .own = &candidate->own,
                                   .forced_level = candidate->next,
                                   .change_s = candidate->change_s};
}

/* Whether a quick look shows that the step before left the known answer as it was. */
static inline bool is_untouched(const struct market *market, const struct candidate *candidate)
{
    return candidate->known && !market->changed.anywhere &&
           quick_answer_is_untouched(&market->outlook, &candidate->answer, market->changed.times) &&
           first_change(market, candidate) == candidate->change_s;
}

/* Whether the answer of the step before still stands. */
static bool still_known(const struct market *market, const struct candidate *candidate)
{
    const struct quick_question question = question_of(market, candidate);

    return candidate->known && quick_answer_stands(&question, &candidate->answer,
                                                   market->changed.deltas, market->changed.count);
}

/* Finds candidate->answer: the cost of the next level. */
static int measure_growth(struct market *market, struct candidate *candidate)
{
    const struct quick_question question = question_of(market, candidate);
    struct prospect prospect;

    candidate->known = candidate->simple && quick_probe(&question, &candidate->answer);
    if (candidate->known)
        return 0;
    if (plan_growth(market, candidate, &prospect) < 0)
        return -1;
    candidate->answer.gpu_seconds =
        reservation_gpu_seconds(&market->reservation, candidate->scaling);
    return 0;
}

/* EF-Q29: a step is worth its cost, so the worst use of a GPU comes first. */
double planning_worth_by_cost(double gpu_seconds_more, int gpus_more)
{
    return gpu_seconds_more / gpus_more;
}

/* EF-Q29 put right: the step with the least cost comes first. */
double planning_worth_by_thrift(double gpu_seconds_more, int gpus_more)
{
    return -(gpu_seconds_more / gpus_more);
}

/* EF-Q31: a waiting job comes first, if the artifact can plan it. */
static int probe_waiting(struct market *market, struct candidate *candidate)
{
    struct prospect ignored;

    candidate->gain = GAIN_FIRST;
    return candidate->scaling->regular ? 0 : plan_growth(market, candidate, &ignored);
}

static int probe(struct market *market, struct candidate *candidate)
{
    if (!can_afford(market, candidate)) {
        candidate->gain = GAIN_NEVER;
        return 0;
    }
    if (candidate->next == 1)
        return probe_waiting(market, candidate);
    candidate->known = candidate->known && !market->changed.anywhere;
    candidate->change_s = first_change(market, candidate);
    if (still_known(market, candidate))
        return 0;
    if (measure_growth(market, candidate) < 0)
        return -1;
    candidate->gain = market->book->grid.rules->worth(
        candidate->answer.gpu_seconds - candidate->booking->gpu_seconds, candidate->step_gpus);
    return 0;
}

/* Plans a candidate from its quick answer. False if there is none, or if the plan ends now. */
static bool plan_quickly(struct market *market, struct candidate *candidate, double *finish_s)
{
    struct quick_question question;

    if (!candidate->known)
        candidate->change_s = first_change(market, candidate);
    question = question_of(market, candidate);
    return (candidate->known ||
            (candidate->simple && quick_probe(&question, &candidate->answer))) &&
           quick_plan(&question, &candidate->answer, &market->reservation, finish_s) &&
           market->reservation.end_s > market->book->grid.now_s;
}

/* Plans the candidate at its next level into market->reservation. Unless planned quickly, the GPUs
 * left then are in the spare timeline of `book`. */
static int plan_for_good(struct market *market, struct candidate *candidate, bool *quickly,
                         double *finish_s)
{
    struct prospect prospect = {.finish_s = 0};

    *quickly = plan_quickly(market, candidate, finish_s);
    if (*quickly)
        return 0;
    if (plan_growth(market, candidate, &prospect) < 0)
        return -1;
    planning_reserve(&market->released, &market->reservation, &prospect, candidate->scaling,
                     &market->book->spare);
    *finish_s = prospect.finish_s;
    return 0;
}

/* Lists the changes when the reservation `old` is given back and `new` is made. The change of now
 * comes first. */
static void list_changes(struct changed *changed, const struct planning_grid *grid,
                         const struct own_changes *old, const struct own_changes *new)
{
    int i = 0;
    int k = 0;

    changed->deltas[0] = (struct timeline_delta){grid->now_s, old->held - new->held};
    changed->count = 1;
    while (i < old->count || k < new->count) {
        const bool take_old =
            k == new->count || (i < old->count && old->at[i].at_s <= new->at[k].at_s);
        const bool take_new =
            i == old->count || (k < new->count &&new->at[k].at_s <= old->at[i].at_s);
        struct timeline_delta delta = {take_old ? old->at[i].at_s : new->at[k].at_s, 0};

        if (take_old)
            delta.more += old->at[i++].more;
        if (take_new)
            delta.more -= new->at[k++].more;
        if (delta.more != 0)
            changed->deltas[changed->count++] = delta;
    }
    changed->times = 0;
    for (i = 1; i < changed->count; i++)
        changed->times |= times_at(grid, changed->deltas[i].at_s);
}

/* Makes market->reservation the reservation of `booking`. */
static void book(struct market *market, struct booking *booking)
{
    struct reservation *own = &booking->reservation;
    const size_t bytes = (size_t)market->reservation.count * sizeof(*own->steps);

    own->count = market->reservation.count;
    own->end_s = market->reservation.end_s;
    own->steps = arena_alloc(market->book->memory, bytes);
    memcpy(own->steps, market->reservation.steps, bytes);
    booking->gpu_seconds = reservation_gpu_seconds(own, booking->job->scaling);
}

/* Gives `candidate` its next level for good. */
static int grow(struct market *market, struct candidate *candidate)
{
    struct reservation_book *const books = market->book;
    struct booking *booking = candidate->booking;
    const struct own_changes old = candidate->own;
    const struct timeline before = books->free;
    bool quickly;

    if (plan_for_good(market, candidate, &quickly, &booking->finish_s) < 0)
        return -1;
    book(market, booking);
    market->spare_gpus -= candidate->step_gpus;
    booking->level = candidate->next;
    face_next(candidate);
    market->changed.anywhere = !quickly;
    if (quickly) {
        assert(candidate->simple);
        list_changes(&market->changed, &books->grid, &old, &candidate->own);
        timeline_apply(&books->free, market->changed.deltas, market->changed.count, &books->spare);
    }
    books->free = books->spare;
    books->spare = before;
    plan_grow(market->plan,
              &(struct growth){.place = (size_t)(booking - books->bookings),
                               .grant = level_grant_here(booking->job, booking->level),
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

/* Asks every job, or every job that can still grow, and sorts the order of service by the answers.
 * EF-Q30: a job that cannot grow any more keeps its last gain, which orders ties later on. */
static int probe_all(struct market *market, bool only_growing)
{
    const size_t count = market->book->count;
    const struct timeline *free = &market->book->free;

    free_outlook_update(&market->outlook, free, market->book->grid.gpu_count);
    market->second_s = free->count > 1 ? free->entries[1].at_s : HUGE_VAL;
    market->second_more =
        free->count > 1 ? free->entries[1].free_gpus - free->entries[0].free_gpus : 0;
    for (size_t i = 0; i < count; i++) {
        struct candidate *candidate = &market->candidates[market->order[i].item];

        if (only_growing && (!can_grow(candidate) ||
                             (can_afford(market, candidate) && is_untouched(market, candidate))))
            continue;
        if (probe(market, candidate) < 0)
            return -1;
        market->order[i].key = -candidate->gain;
    }
    sort_keyed(market->order, count, market->scratch);
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
            market->changed = (struct changed){.count = 0};
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
    struct market market = {
        .book = book, .plan = plan, .spare_gpus = count_spare(book), .error = error};

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

        market.candidates[i].booking = booking;
        market.candidates[i].scaling = booking->job->scaling;
        face_next(&market.candidates[i]);
        market.order[i] = (struct keyed){0, plan->service[i]};
    }
    if (share_out(&market) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        plan->service[i] = market.order[i].item;
    return 0;
}
