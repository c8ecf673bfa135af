/* rubato_price.c - see rubato.h. */
#include "scheduler/policies/rubato.h"

#include <math.h>

void price_until(const struct round *round, struct task *task, int64_t deadline_s)
{
    task->deadline_s = deadline_s;
    task->price = planner_price(&round->planner, task, &task->unit_price);
    task->unit_price /=
        promise_worth(round->memory->asked.objective, task->job->submission, task->step);
}

/* Their plans begin as late as they can, which is later than they will. Of the need between what
 * they have until then and an even share so much is counted. */
#define EVENNESS 0.3

/* GPU-seconds that promised jobs need up to `horizon_s` from now. */
static double promised_need(const struct round *round, double horizon_s, double planned)
{
    const double now_s = (double)round->view->now_s;
    double even = 0;

    for (size_t i = 0; i < round->promised.count; i++) {
        const struct task *task = round->promised.items[i];
        const double left_s = (double)task->deadline_s - now_s;

        even += task->price * (left_s > horizon_s ? horizon_s / left_s : 1);
    }
    return EVENNESS * even + (1 - EVENNESS) * fmin(even, planned);
}

/* Jobs go on to come, with even odds, for so often what they did. How these numbers were found:
 * docs/promises.md. */
#define LASTS        2
#define LASTS_SCARCE 8

bool price_holds(const struct round *round, const struct task *task, double margin, double planned)
{
    const double horizon_s = (double)(task->deadline_s - round->view->now_s);
    const struct outlook outlook = {round->load > LOAD_SCARCE ? LASTS_SCARCE : LASTS, margin};
    const double to_come = demand_to_come(&round->memory->demand, round->view, round->planner.gpus,
                                          horizon_s, task->unit_price, outlook);

    return to_come <= 0 || task->price + promised_need(round, horizon_s, planned) + to_come <=
                               round->planner.gpus * horizon_s;
}
