/* rubato_price.c - see rubato.h. */
#include "scheduler/policies/rubato.h"

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

    demand_note(&memory->demand,
                &(struct arrival){submission->number, view->now_s, task->price, task->unit_price,
                                  (double)(task->deadline_s - submission->submit_s)});
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

bool price_holds(const struct round *round, const struct task *task, double margin)
{
    const int64_t now_s = round->view->now_s;
    const double horizon_s = (double)(task->deadline_s - now_s);

    return task->price + promised_need(round, horizon_s) +
               demand_to_come(&round->memory->demand, now_s, horizon_s, task->unit_price, margin) <=
           round->planner.gpus * horizon_s;
}
