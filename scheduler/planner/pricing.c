/* pricing.c - see pricing.h. */
#include "scheduler/planner/pricing.h"

#include <math.h>

void pricing_until(const struct pricing *self, struct task *task, int64_t deadline_s)
{
    task->deadline_s = deadline_s;
    task->price = planner_price(self->planner, task, &task->unit_price);
    task->unit_price /= promise_worth(self->objective, task->job->submission, task->step);
}

void pricing_renew_load(struct pricing *self)
{
    if (!self->holds_losses)
        self->load = demand_load(self->demand, self->planner->view, self->planner->gpus);
}

void pricing_hear(struct pricing *self, const struct task *task)
{
    demand_hear(self->demand, self->planner, task);
    pricing_renew_load(self);
}

/* The part that counts of the difference between an even share of the need of promised jobs and the
 * GPU time that their courses take up to the horizon. Courses begin as late as they can, and real
 * runs begin sooner. */
#define EVENNESS 0.3

/* GPU-seconds that promised jobs need up to `horizon_s` from now. */
static double promised_need(const struct pricing *self, double horizon_s, double planned)
{
    const double now_s = (double)self->planner->view->now_s;
    double even = 0;

    for (size_t i = 0; i < self->promised->count; i++) {
        const struct task *task = self->promised->items[i];
        const double left_s = (double)task->deadline_s - now_s;

        even += task->price * (left_s > horizon_s ? horizon_s / left_s : 1);
    }
    return EVENNESS * even + (1 - EVENNESS) * fmin(even, planned);
}

/* Multiples of the time of arrivals so far for which arrivals go on, with even odds.
 * docs/promises.md tells how the numbers were found. */
#define LASTS        2
#define LASTS_SCARCE 8

bool pricing_holds(const struct pricing *self, const struct task *task, double margin,
                   double planned)
{
    const struct view *view = self->planner->view;
    const double horizon_s = (double)(task->deadline_s - view->now_s);
    const struct outlook outlook = {self->load > LOAD_SCARCE ? LASTS_SCARCE : LASTS, margin};
    const double to_come = demand_to_come(self->demand, view, self->planner->gpus, horizon_s,
                                          task->unit_price, outlook);

    return to_come <= 0 || task->price + promised_need(self, horizon_s, planned) + to_come <=
                               planner_capacity(self->planner, task->deadline_s);
}

bool pricing_holds_now(const struct pricing *self, const struct task *task, double margin)
{
    return pricing_holds(self, task, margin,
                         planner_reserved(self->planner, (double)task->deadline_s));
}
