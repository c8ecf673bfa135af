/* demand.c - see demand.h. */
#include "scheduler/planner/demand.h"

#include <math.h>

static struct arrival *find(struct demand *self, uint64_t job)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->arrivals[i].job == job)
            return &self->arrivals[i];
    return NULL;
}

static bool is_before(const struct arrival *a, const struct arrival *b)
{
    return a->at_s < b->at_s || (a->at_s == b->at_s && a->job < b->job);
}

static struct arrival *oldest(struct demand *self)
{
    struct arrival *oldest = &self->arrivals[0];

    for (size_t i = 1; i < self->count; i++)
        if (is_before(&self->arrivals[i], oldest))
            oldest = &self->arrivals[i];
    return oldest;
}

static struct arrival *place_of(struct demand *self, uint64_t job)
{
    struct arrival *known = find(self, job);

    if (known)
        return known;
    return self->count < DEMAND_ARRIVALS ? &self->arrivals[self->count++] : oldest(self);
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

/* The part of the work with which it came that the job has done. */
static double part_done(const struct job *job)
{
    const double all = (double)(job->submission->iterations - job->submission->iterations_done);

    return all > 0 ? 1 - job->iterations_left / all : 1;
}

void demand_leave(struct demand *self, const struct job *job)
{
    struct arrival *arrival = find(self, job->number);

    if (!arrival)
        return;
    arrival->price *= part_done(job);
    if (arrival->price <= 0)
        *arrival = self->arrivals[--self->count];
}

/* The part of its work that a job does before the horizon, if it takes it evenly up to its deadline
 * and arrives at any time before the horizon, each as likely as the others. */
static double share_before(double window_s, double horizon_s)
{
    return window_s < horizon_s ? 1 - window_s / (2 * horizon_s) : horizon_s / (2 * window_s);
}

/* Arrivals of a stretch that is a smaller share of the horizon are one burst: a burst tells no
 * rate. See docs/promises.md for these constants. */
#define BURST_SHARE 0.02

/* Fewer arrivals tell no rate either. */
#define RATE_ARRIVALS 6

/* Arrivals that need a smaller share of the GPU time make none of it scarce. */
#define SCARCE_SHARE 0.1

/* Jobs whose unit prices are no further apart are alike: to deny one for the sake of another gains
 * nothing. */
#define ALIKE 0.999

static bool is_cheaper(const struct arrival *arrival, double unit_price)
{
    return arrival->unit_price <= ALIKE * unit_price;
}

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

    for (size_t i = 0; i < self->count; i++) {
        const struct arrival *arrival = &self->arrivals[i];

        oldest_s = arrival->at_s < oldest_s ? arrival->at_s : oldest_s;
        sum += arrival->price;
        windows += arrival->price * arrival->window_s;
    }
    if (self->count < 2 || sum <= 0)
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

    for (size_t i = 0; i < self->count; i++) {
        const struct arrival *arrival = &self->arrivals[i];
        const double need = arrival->price * share_before(arrival->window_s, horizon_s);

        if (!is_cheaper(arrival, unit_price))
            continue;
        oldest_s = arrival->at_s < oldest_s ? arrival->at_s : oldest_s;
        if (arrival->at_s < view->now_s)
            before += arrival->price;
        sum += need;
        squares += need * need;
        used++;
    }
    age_s = (double)(view->now_s - oldest_s);
    if (used < RATE_ARRIVALS || age_s < BURST_SHARE * horizon_s ||
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

    for (size_t i = 0; i < self->count; i++) {
        const struct arrival *arrival = &self->arrivals[i];
        const int64_t age_s = now_s - arrival->at_s;

        if (!is_cheaper(arrival, unit_price) || age_s <= 0)
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
    const size_t used = self->count;

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
    if (self->count > DEMAND_ARRIVALS) /* older programs counted all that ever came */
        self->count = DEMAND_ARRIVALS;
    for (size_t i = 0; i < self->count; i++) {
        ARCHIVE(archive, &self->arrivals[i].job);
        ARCHIVE(archive, &self->arrivals[i].at_s);
        ARCHIVE(archive, &self->arrivals[i].price);
        ARCHIVE(archive, &self->arrivals[i].unit_price);
        ARCHIVE(archive, &self->arrivals[i].window_s);
        ARCHIVE(archive, &self->arrivals[i].slack_s);
    }
}
