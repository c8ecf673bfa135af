/* rubato_price.c - see rubato.h.
 *
 * Cheaper work to come is a compound Poisson process, as the last arrivals were, with the error of
 * the rate that they tell. */
#include "scheduler/policies/rubato.h"

#include <math.h>

double price_worth(enum promise_objective objective, const struct task *task)
{
    const struct submission *submission = task->job->submission;

    if (objective == PROMISE_GPU_HOURS)
        return throughput_least_gpu_s(submission->throughput) * (double)submission->iterations;
    if (objective == PROMISE_VALUE && submission->level_count > 0)
        return (double)submission->levels[0].value / LEVEL_VALUE_FULL;
    return 1;
}

void price_note_arrival(struct rubato *memory, const struct view *view, const struct task *task)
{
    const struct submission *submission = task->job->submission;

    memory->arrivals[memory->arrival_count++ % ARRIVALS_MAX] =
        (struct arrival){.at_s = view->now_s,
                         .price = task->price,
                         .unit_price = task->unit_price,
                         .window_s = (double)(task->deadline_s - submission->submit_s)};
}

/* GPU-seconds that promised jobs need up to `horizon_s` from now, if they take them evenly. */
static double promised_need(const struct round *round, double horizon_s)
{
    double need = 0;

    for (size_t i = 0; i < round->promised.count; i++) {
        const struct task *task = round->promised.items[i];
        const double left_s = (double)(task->deadline_s - round->view->now_s);

        need += task->price * (left_s > horizon_s ? horizon_s / left_s : 1);
    }
    return need;
}

/* The part of its work that a job does before the horizon, if it takes it evenly up to its deadline
 * and arrives at any time before the horizon, each as likely as the others. */
static double share_before(double window_s, double horizon_s)
{
    return window_s < horizon_s ? 1 - window_s / (2 * horizon_s) : horizon_s / (2 * window_s);
}

/* Expected GPU-seconds of arrivals of a unit price up to `unit_price` until the horizon, and
 * `margin` standard deviations more. */
static double need_to_come(const struct round *round, double unit_price, double horizon_s,
                           double margin)
{
    const struct rubato *memory = round->memory;
    const size_t count =
        memory->arrival_count < ARRIVALS_MAX ? memory->arrival_count : ARRIVALS_MAX;
    int64_t oldest_s = round->view->now_s;
    double window_s = 0;
    double sum = 0;
    double squares = 0;
    size_t used = 0;
    double times;

    for (size_t i = 0; i < count; i++) {
        const struct arrival *arrival = &memory->arrivals[i];
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
    times = horizon_s / ((double)(round->view->now_s - oldest_s) + window_s / (double)used / 2);
    return sum * times + margin * sqrt(squares * times * (1 + times));
}

bool price_holds(const struct round *round, const struct task *task, double margin)
{
    const double horizon_s = (double)(task->deadline_s - round->view->now_s);
    return task->price + promised_need(round, horizon_s) +
               need_to_come(round, task->unit_price, horizon_s, margin) <=
           round->planner.gpus * horizon_s;
}
