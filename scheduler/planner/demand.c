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

void demand_hear(struct demand *self, const struct planner *planner, const struct task *task)
{
    const struct submission *submission = task->job->submission;
    const int top = task->usable[task->scaling->reach];
    const double window_s = (double)(task->deadline_s - submission->submit_s);
    const double slack_s = task_latest_start(task) - (double)submission->submit_s -
                           planner_price_later(planner, task_gpus(task, top));
    const bool is_late = !isfinite(task->price);

    if (submission->best_effort || (is_late && slack_s < 0))
        return;
    demand_note(self, &(struct arrival){submission->number, planner->view->now_s,
                                        is_late ? task_gpus(task, top) * task->left /
                                                      task->scaling->rate[top]
                                                : task->price,
                                        task->unit_price, window_s, slack_s});
}

/* The part of its work that a job does before the horizon, if it takes it evenly up to its deadline
 * and arrives at any time before the horizon, each as likely as the others. */
static double share_before(double window_s, double horizon_s)
{
    return window_s < horizon_s ? 1 - window_s / (2 * horizon_s) : horizon_s / (2 * window_s);
}

/* Arrivals of a stretch that is a smaller share of the horizon are one burst: a burst tells no
 * rate. See docs/promises.md for both shares. */
#define BURST_SHARE 0.02

/* Arrivals that need a smaller share of the GPU time make none of it scarce. */
#define SCARCE_SHARE 0.1

/* The oldest may have waited for a slot. */
static double age_since(const struct view *view, int64_t oldest_s)
{
    return (double)(view->now_s - oldest_s) + fmax(1, (double)view->slot_s);
}

double demand_load(const struct demand *self, const struct view *view, int gpus)
{
    int64_t oldest_s = view->now_s;
    double windows = 0;
    double sum = 0;

    for (size_t i = 0; i < known(self); i++) {
        const struct arrival *arrival = &self->arrivals[i];

        oldest_s = arrival->at_s < oldest_s ? arrival->at_s : oldest_s;
        sum += arrival->price;
        windows += arrival->price * arrival->window_s;
    }
    if (known(self) < 2 || sum <= 0)
        return 0;
    return sum / (gpus * (age_since(view, oldest_s) + windows / sum));
}

/* Jobs come for longer than x seconds more with the chance lasts * age / (lasts * age + x), as for
 * an age seen at a moment that is as likely as any other (Gott, Nature 363, 1993, where lasts is
 * 1).
 */
double demand_to_come(const struct demand *self, const struct view *view, int gpus,
                      double horizon_s, double unit_price, struct outlook outlook)
{
    int64_t oldest_s = view->now_s;
    double before = 0; /* of those that did not come just now */
    double sum = 0;
    double squares = 0;
    size_t used = 0;
    double times;
    double age_s;

    for (size_t i = 0; i < known(self); i++) {
        const struct arrival *arrival = &self->arrivals[i];
        const double need = arrival->price * share_before(arrival->window_s, horizon_s);

        if (!(arrival->unit_price <= unit_price))
            continue;
        oldest_s = arrival->at_s < oldest_s ? arrival->at_s : oldest_s;
        if (arrival->at_s < view->now_s)
            before += arrival->price;
        sum += need;
        squares += need * need;
        used++;
    }
    age_s = (double)(view->now_s - oldest_s);
    if (used < 2 || age_s < BURST_SHARE * horizon_s ||
        before < SCARCE_SHARE * gpus * fmax(age_s, horizon_s))
        return 0;
    age_s = age_since(view, oldest_s);
    times = outlook.lasts * log(1 + horizon_s / (outlook.lasts * age_s));
    return sum * times + outlook.margin * sqrt(squares * times * (1 + times));
}

struct demand_seen demand_seen(const struct demand *self, int64_t now_s, double unit_price)
{
    struct demand_seen seen = {0};
    double gpu_s = 0;

    for (size_t i = 0; i < known(self); i++) {
        const struct arrival *arrival = &self->arrivals[i];
        const int64_t age_s = now_s - arrival->at_s;

        if (!(arrival->unit_price <= unit_price) || age_s <= 0)
            continue;
        gpu_s += arrival->price;
        seen.over_s = age_s > seen.over_s ? age_s : seen.over_s;
    }
    if (seen.over_s > 0)
        seen.gpus = gpu_s / (double)seen.over_s;
    return seen;
}

double demand_lost(const struct demand *self, int64_t now_s, double slot_s)
{
    int64_t oldest_s = now_s;
    double window_s = 0;
    double sum = 0;
    const size_t used = known(self);

    if (used < 2)
        return 0;
    for (size_t i = 0; i < used; i++) {
        const struct arrival *arrival = &self->arrivals[i];

        oldest_s = arrival->at_s < oldest_s ? arrival->at_s : oldest_s;
        window_s += arrival->window_s;
        /* it is late if it arrives when more of the slot is left than its slack */
        sum += arrival->price * fmax(0, slot_s - fmax(0, arrival->slack_s));
    }
    return sum / ((double)(now_s - oldest_s) + window_s / (double)used / 2);
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
        ARCHIVE(archive, &self->arrivals[i].slack_s);
    }
}
