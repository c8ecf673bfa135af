/* water_filling.c - see water_filling.h. */
#include "scheduler/bound/water_filling.h"

#include "scheduler/bound/larger.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Relative errors of the work done, and of the part of a job that is worth doing. */
#define WORK_ERROR 1e-10
#define PART_ERROR 1e-9

#define WATER_LEVELS_MAX 100
#define PARTS_MAX        40

/* Smaller parts of a job are not done at all. */
#define PART_LEAST 1e-6

/* A job before its GPUs are chosen. */
struct pool {
    const struct load_price *tariff;
    const struct grid_span *span;
    const struct stretch *intervals;
    int step_count;
    double worth; /* worth of the whole job */
    const struct date_seat *seat;
    double gpus[SCALING_LEVELS];   /* GPUs of each step */
    double yield[SCALING_LEVELS];  /* part of the job that a GPU-second of the step does */
    double before[SCALING_LEVELS]; /* GPUs of the lower steps */
};

static struct pool pool_of(const struct need *need, const struct grid_span *span,
                           const struct load_price *tariff, const struct stretch intervals[])
{
    struct pool self = {.tariff = tariff, .span = span, .intervals = intervals};
    double gpus = 0;

    self.step_count = need->step_count;
    self.worth = need->worth;
    for (int s = 0; s < need->step_count; s++) {
        self.gpus[s] = need->step_gpus[s];
        self.yield[s] = need->step_rate[s] / (need->step_gpus[s] * need->iterations);
        self.before[s] = gpus;
        gpus += need->step_gpus[s];
    }
    return self;
}

/* The load from which the price rises steeply. */
static double knee(const struct load_price *tariff, const struct stretch *interval)
{
    return larger(0, tariff->capacity_gpus - interval->multiplier / tariff->stiffness);
}

static double price_at(const struct load_price *tariff, const struct stretch *interval, double load)
{
    return tariff->slope * load +
           larger(0, interval->multiplier + tariff->stiffness * (load - tariff->capacity_gpus));
}

/* The largest load at which a GPU-second costs no more than `price`. */
static double load_at(const struct load_price *tariff, const struct stretch *interval, double price)
{
    const double load = knee(tariff, interval);
    const double more = price - price_at(tariff, interval, load);

    if (more <= 0)
        return smaller(load, price / tariff->slope);
    return load + more / (tariff->slope + tariff->stiffness);
}

/* The part of the job's work done at a level, and its growth with the level. */
struct work {
    double done;
    double growth;
};

/* The GPUs that the job takes in an interval, at most `share` of each step. Adds their work to
 * `work`. */
static double pour(const struct pool *self, const struct stretch *interval, double level,
                   double share, struct work *work)
{
    const struct load_price *tariff = self->tariff;
    double taken = 0;

    for (int s = 0; s < self->step_count; s++) {
        const double price = level * self->yield[s];
        const double room =
            load_at(tariff, interval, price) - interval->load_gpus - share * self->before[s];
        const double full = share * self->gpus[s];

        if (room <= 0)
            break;
        taken += smaller(room, full);
        work->done += self->yield[s] * interval->length_s * smaller(room, full);
        if (room < full) {
            const bool steep = interval->load_gpus + taken > knee(tariff, interval);

            work->growth += self->yield[s] * self->yield[s] * interval->length_s /
                            (tariff->slope + (steep ? tariff->stiffness : 0));
            break;
        }
    }
    return taken;
}

static struct work work_at(const struct pool *self, double level, double part)
{
    struct work work = {0, 0};

    for (size_t i = self->span->first; i < self->span->end; i++)
        (void)pour(self, &self->intervals[i], level, part * span_share(self->span, i), &work);
    return work;
}

/* The level at which `part` is done, by Newton's method within known bounds. */
static double level_for(const struct pool *self, double part, double level)
{
    double low = 0;
    double high = INFINITY;

    for (int i = 0; i < WATER_LEVELS_MAX; i++) {
        const struct work work = work_at(self, level, part);
        const double missing = part - work.done;

        if (fabs(missing) <= WORK_ERROR * part || (isfinite(high) && high - low <= 1e-14 * high))
            break;
        *(missing > 0 ? &low : &high) = level;
        level += work.growth > 0 ? missing / work.growth : 0;
        if (!(level > low && level < high))
            level = isinf(high) ? 4 * low : (low + high) / 2;
    }
    return level;
}

/* Chooses the GPUs for `part` of the job. Returns the cost of a unit more of it. */
static double fill_part(const struct pool *self, double part, struct filling *filling)
{
    double cost = 0;

    filling->part = part;
    filling->level = level_for(self, part, filling->level);
    for (size_t i = self->span->first; i < self->span->end; i++) {
        const struct stretch *interval = &self->intervals[i];
        const double share = part * span_share(self->span, i);
        struct work work = {0, 0};
        const double gpus = pour(self, interval, filling->level, share, &work);

        filling->gpus[i - self->span->first] = gpus;
        cost += gpus * interval->length_s *
                price_at(self->tariff, interval, interval->load_gpus + gpus);
    }
    return cost / part;
}

/* The worth of a unit more at `part`, less the price of the seat. */
static double worth_at(const struct pool *self, double part)
{
    const struct date_seat *seat = self->seat;

    return self->worth - larger(0, seat->price + seat->stiffness * (seat->others + part - 1));
}

/* A part of a job, and the worth less the cost of a unit more there. */
struct bracket {
    double part;
    double below;
};

/* Fills the part up to which a job is worth its cost, if the whole job is not. Costs grow with the
 * part. The part lies between `low`, which is worth its cost, and `high`, which is not. Each step
 * tries the part where a line through both meets the worth (Illinois: an end that stays counts
 * half). */
static void narrow(const struct pool *self, struct bracket *low, struct bracket *high,
                   struct filling *filling)
{
    bool was_low = false;

    for (int i = 0; i < PARTS_MAX && high->part - low->part > PART_ERROR; i++) {
        const double step = (high->part - low->part) * low->below / (low->below - high->below);
        const double part = smaller(larger(low->part + step, low->part + PART_ERROR / 2),
                                    high->part - PART_ERROR / 2);
        const double below = worth_at(self, part) - fill_part(self, part, filling);

        if (i > 0 && was_low == (below >= 0))
            *(was_low ? &high->below : &low->below) /= 2;
        was_low = below >= 0;
        *(was_low ? low : high) = (struct bracket){part, below};
    }
}

/* Fills the part of the job at which a unit more costs its worth. At the whole job a unit more
 * costs `cost`, which is more than its worth. */
static void fill_worth(const struct pool *self, double guess, double cost, struct filling *filling)
{
    struct bracket low = {PART_LEAST, 0};
    struct bracket high = {1, worth_at(self, 1) - cost};

    low.below = worth_at(self, PART_LEAST) - fill_part(self, PART_LEAST, filling);
    if (low.below < 0) {
        memset(filling->gpus, 0, (self->span->end - self->span->first) * sizeof(*filling->gpus));
        filling->part = 0;
        return;
    }
    if (guess > low.part && guess < high.part) {
        const double below = worth_at(self, guess) - fill_part(self, guess, filling);

        *(below >= 0 ? &low : &high) = (struct bracket){guess, below};
    }
    narrow(self, &low, &high, filling);
    (void)fill_part(self, low.part, filling);
}

void water_fill(const struct need *need, const struct grid_span *span,
                const struct load_price *tariff, const struct stretch intervals[],
                const struct date_seat *seat, struct filling *filling)
{
    struct pool pool = pool_of(need, span, tariff, intervals);
    const double before = filling->part;
    double cost;

    assert(span->end > span->first);
    pool.seat = seat;
    if (!(filling->level > 0))
        filling->level = tariff->slope / pool.yield[0];
    cost = fill_part(&pool, 1, filling);
    if (cost > worth_at(&pool, 1))
        fill_worth(&pool, before, cost, filling);
}
