/* demand.c - see demand.h. */
#include "scheduler/planner/demand.h"

#include <math.h>

static size_t known(const struct demand *self)
{
    return self->count < DEMAND_ARRIVALS ? self->count : DEMAND_ARRIVALS;
}

static struct arrival *place_of(struct demand *self, uint64_t job)
{
    for (size_t i = 0; i < known(self); i++)
        if (self->arrivals[i].job == job)
            return &self->arrivals[i];
    return &self->arrivals[self->count++ % DEMAND_ARRIVALS];
}

void demand_note(struct demand *self, const struct arrival *arrival)
{
    *place_of(self, arrival->job) = *arrival;
}

/* The part of its work that a job does before the horizon, if it takes it evenly up to its deadline
 * and arrives at any time before the horizon, each as likely as the others. */
static double share_before(double window_s, double horizon_s)
{
    return window_s < horizon_s ? 1 - window_s / (2 * horizon_s) : horizon_s / (2 * window_s);
}

double demand_to_come(const struct demand *self, int64_t now_s, double horizon_s, double unit_price,
                      double margin)
{
    int64_t oldest_s = now_s;
    double window_s = 0;
    double sum = 0;
    double squares = 0;
    size_t used = 0;
    double times;

    for (size_t i = 0; i < known(self); i++) {
        const struct arrival *arrival = &self->arrivals[i];
        const double need = arrival->price * share_before(arrival->window_s, horizon_s);

        if (!(arrival->unit_price <= unit_price))
            continue;
        oldest_s = arrival->at_s < oldest_s ? arrival->at_s : oldest_s;
        window_s += arrival->window_s;
        sum += need;
        squares += need * need;
        used++;
    }
    if (used < 2) /* one arrival tells no rate */
        return 0;
    times = horizon_s / ((double)(now_s - oldest_s) + window_s / (double)used / 2);
    return sum * times + margin * sqrt(squares * times * (1 + times));
}

void demand_archive(struct demand *self, struct archive *archive)
{
    ARCHIVE(archive, &self->count);
    for (size_t i = 0; i < known(self); i++) {
        ARCHIVE(archive, &self->arrivals[i].job);
        ARCHIVE(archive, &self->arrivals[i].at_s);
        ARCHIVE(archive, &self->arrivals[i].price);
        ARCHIVE(archive, &self->arrivals[i].unit_price);
        ARCHIVE(archive, &self->arrivals[i].window_s);
    }
}
