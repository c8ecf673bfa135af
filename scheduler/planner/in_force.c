/* in_force.c - see in_force.h. */
#include "scheduler/planner/in_force.h"

#include "scheduler/planner/chains.h"
#include "scheduler/planner/next_round.h"
#include "scheduler/planner/proof.h"
#include "scheduler/planner/stand.h"

void in_force_open(struct in_force *self)
{
    *self = (struct in_force){arena_new(), arena_new()};
}

void in_force_close(struct in_force *self)
{
    arena_destroy(&self->next);
    arena_destroy(&self->courses);
}

void in_force_renew(struct in_force *self, const struct task_list *promised)
{
    arena_t *old = self->courses;

    for (size_t i = 0; i < promised->count; i++) {
        const struct task *task = promised->items[i];

        task->stand->course = course_copy(&task->course, &task->now, self->next);
    }
    self->courses = self->next;
    self->next = old;
    arena_reset(old);
}

void in_force_put(struct in_force *self, const struct task *task)
{
    task->stand->course = course_copy(&task->course, NULL, self->courses);
}

/* ---- courses in force as they are ---- */

static void follow(struct planner *planner, struct task *task)
{
    const int64_t now_s = planner->view->now_s;

    task->course = course_rest(task->stand->course, now_s);
    task->planned = true;
    if (task->course.end_s > now_s)
        planner_reserve(planner, &task->course, task->scaling);
}

void in_force_follow(struct planner *planner, const struct task_list *promised)
{
    planner_clear_to_follow(planner, planner->view->now_s);
    for (size_t i = 0; i < promised->count; i++)
        follow(planner, promised->items[i]);
}

/* Whether the GPUs of the piece, unless the piece is over, are there as long as the piece lasts. */
static bool piece_is_up(const struct planner *planner, const struct task *task, int k)
{
    const struct course *course = &task->stand->course;
    const struct piece *piece = &course->pieces[k];
    const int64_t until_s = k + 1 < course->count ? piece[1].at_s : course->end_s;
    const int64_t now_s = planner->view->now_s;
    const int gpus = task_gpus(task, piece->level);

    return until_s <= now_s ||
           (node_order_are_up(planner->order, piece->rank, gpus) &&
            closures_next_s(&planner->closures, piece->rank, gpus,
                            piece->at_s > now_s ? piece->at_s : now_s) >= until_s);
}

static bool is_up(const struct planner *planner, const struct task *task)
{
    const struct course *course = &task->stand->course;

    for (int k = 0; k < course->count; k++)
        if (course->pieces[k].level > 0 && !piece_is_up(planner, task, k))
            return false;
    return true;
}

static bool holds(struct planner *planner, struct task *task)
{
    const struct course *course = &task->stand->course;

    planner_reset(task);
    task_leave_margins(task); /* margins are kept for slowness */
    if (!chains_may_start(task, course))
        return false;
    if (course->count == 0) /* promised by another version, not planned yet */
        return false;
    while (!planner_keeps(planner, task, course))
        if (!reserve_spend(task))
            return false;
    return is_up(planner, task);
}

bool in_force_holds(struct planner *planner, struct task_list *promised)
{
    bool all = true;

    for (size_t i = 0; i < promised->count; i++) {
        struct task *task = promised->items[i];

        task->strays = !holds(planner, task);
        if (task->strays)
            task->margin = task->start_margin = 0;
        all = all && !task->strays;
    }
    if (!all)
        task_list_sort(promised, planner->arena);
    return all;
}

bool in_force_is_proven(const struct planner *planner, const struct task_list *promised)
{
    const struct node_order *order = planner->order;
    struct proof proof =
        proof_open(planner->view->now_s, order->count * order->per_node, planner->arena);

    for (size_t i = 0; i < promised->count; i++)
        proof_add(&proof, promised->items[i], &promised->items[i]->stand->course);
    proof_close(&proof, &planner->closures);
    return proof_holds(&proof);
}

/* ---- other courses beside them ---- */

struct task_list in_force_follow_others(struct planner *planner, const struct task_list *promised)
{
    struct task_list strays = task_list_open(planner->arena, promised->count, task_latest_start);

    planner_clear_to_follow(planner, planner->view->now_s);
    for (size_t i = 0; i < promised->count; i++) {
        struct task *task = promised->items[i];

        planner_reset(task);
        if (task->strays) {
            task_list_append(&strays, task);
        } else {
            follow(planner, task);
            next_round_reserve(planner, task);
        }
    }
    return strays;
}

bool in_force_finds_beside(struct seating *seating, const struct task_list *promised,
                           struct task *task)
{
    struct planner *planner = seating->planner;
    bool moves = planner_restarts(planner);

    do {
        if (moves)
            task->held = 0;
        if (planner_find(planner, task) &&
            seating_beside(seating, promised->items, promised->count, task)) {
            planner_reserve(planner, &task->course, task->scaling);
            next_round_reserve(planner, task);
            return true;
        }
        moves = true;
    } while (task->held > 0);
    return false;
}
