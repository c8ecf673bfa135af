/* next_round.c - see next_round.h. */
#include "scheduler/planner/next_round.h"

#include <math.h>

bool next_round_is_after(const struct planner *planner, const struct task *task, int64_t *end_s)
{
    if (task->now.level == 0 || task_has_reserve(task))
        return false;
    *end_s = planner->view->now_s + (int64_t)ceil(task->charge_most_s) +
             (int64_t)ceil(task_work(task) / task->scaling->rate[task->now.level] + ROUNDING_S);
    return *end_s <= planner->slot_end_s;
}

void next_round_enter(const struct planner *planner, struct task *task)
{
    const double slot_s = (double)(planner->slot_end_s - planner->view->now_s);

    task->left = task_work(task);
    task->held = task->now.level;
    task->stands = task->now.rank;
    task->debt_s = fmax(0, task->charge_most_s - slot_s);
    task->debt_kept = 0;
    if (task->held > 0)
        task->left -= task->scaling->rate[task->held] * fmax(0, slot_s - task->charge_most_s);
    task->left = fmax(0, task->left);
}

/* A round comes when GPUs are closed. */
static int64_t held_until_s(const struct planner *planner, const struct piece *piece, int gpus)
{
    int64_t closes_s = NEVER_S;

    if (gpus > 0)
        closes_s = closures_next_s(&planner->closures, piece->rank, gpus, planner->view->now_s);
    return closes_s < planner->slot_end_s ? closes_s : planner->slot_end_s;
}

void next_round_reserve(struct planner *planner, const struct task *task)
{
    const struct course *course = &task->course;
    const int gpus = task_gpus(task, course->pieces[0].level);
    const int64_t next_s = held_until_s(planner, &course->pieces[0], gpus);

    for (int i = 1; i < course->count; i++) {
        const int64_t until_s = i + 1 < course->count ? course->pieces[i + 1].at_s : course->end_s;
        const int given = gpus - task_gpus(task, course->pieces[i].level);

        if (given > 0)
            planner_reserve_span(planner, course->pieces[i].at_s,
                                 until_s < next_s ? until_s : next_s, given);
    }
    planner_reserve_span(planner, course->end_s, next_s, gpus);
}

bool next_round_holds(struct seating *seating, const struct task_list *promised)
{
    struct planner *planner = seating->planner;
    struct task_list tasks = task_list_open(planner->arena, promised->count, task_latest_start);

    for (size_t i = 0; i < promised->count; i++) {
        struct task *task = promised->items[i];
        int64_t end_s;

        if (next_round_is_after(planner, task, &end_s)) {
            if (end_s > task->deadline_s)
                return false;
            task->course = (struct course){NULL, 0, end_s, 0};
            continue;
        }
        next_round_enter(planner, task);
        task_list_append(&tasks, task);
    }
    return planner_find_all(planner, &tasks, planner->slot_end_s) &&
           seating_sweep(seating, tasks.items, tasks.count);
}
