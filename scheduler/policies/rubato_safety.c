/* rubato_safety.c - see rubato.h. */
#include "scheduler/planner/next_round.h"
#include "scheduler/policies/rubato.h"

#include <math.h>

static bool is_made_to_fail(struct rubato *memory)
{
    const uint64_t each = memory->asked.fails_each;

    /* Source of the step: splitmix64, Steele et al., OOPSLA 2014. */
    memory->tests += 0x9e3779b97f4a7c15u;
    return each > 0 && (memory->tests >> 32) % each == 0;
}

bool safety_holds(struct round *round)
{
    const int64_t from_s = round->planner.slot_end_s;
    struct task_list tasks =
        task_list_open(round->planner.arena, round->promised.count, task_latest_start);

    if (is_made_to_fail(round->memory))
        return false;
    for (size_t i = 0; i < round->promised.count; i++) {
        struct task *task = round->promised.items[i];
        int64_t end_s;

        if (next_round_is_after(&round->planner, task, &end_s)) {
            if (end_s > task->deadline_s)
                return false;
            task->course = (struct course){NULL, 0, end_s, 0};
            continue;
        }
        next_round_enter(&round->planner, task);
        task_list_append(&tasks, task);
    }
    return planner_find_all(&round->planner, &tasks, from_s) &&
           seating_sweep(&round->seating, tasks.items, tasks.count);
}

/* ---- the courses in force ---- */

static void follow(struct round *round, struct task *task)
{
    const int64_t now_s = round->view->now_s;

    task->course = course_rest(task->stand->course, now_s);
    task->planned = true;
    if (task->course.end_s > now_s)
        planner_reserve(&round->planner, &task->course, task->scaling);
}

void safety_follow(struct round *round)
{
    planner_clear(&round->planner, round->view->now_s);
    for (size_t i = 0; i < round->promised.count; i++)
        follow(round, round->promised.items[i]);
}

static bool course_holds(struct round *round, struct task *task)
{
    const struct course *course = &task->stand->course;

    planner_reset(task);
    task_leave_margins(task); /* they are what slowness may take */
    if (!chains_may_start(task, course))
        return false;
    if (course->count == 0) /* promised by another version, and not planned yet */
        return false;
    while (!planner_keeps(&round->planner, task, course))
        if (!reserve_spend(task))
            return false;
    for (int k = 0; k < course->count; k++)
        if (course->pieces[k].level > 0 &&
            !node_order_are_up(&round->memory->order, course->pieces[k].rank,
                               task_gpus(task, course->pieces[k].level)))
            return false;
    return true;
}

bool safety_continues(struct round *round)
{
    bool holds = true;

    for (size_t i = 0; i < round->promised.count; i++) {
        struct task *task = round->promised.items[i];

        task->strays = !course_holds(round, task);
        if (task->strays)
            task->margin = task->start_margin = 0;
        holds = holds && !task->strays;
    }
    if (!holds)
        task_list_sort(&round->promised, round->planner.arena);
    return holds;
}

/* ---- after a disturbance ---- */

/* With a promise go those of the jobs that wait for its job. */
static void withdraw(struct round *round, struct task *task)
{
    struct task *child;

    task->promised = false;
    task_list_remove(&round->promised, task);
    if (!task->waits)
        task_list_insert(isfinite(task->price) ? &round->open : &round->turns.tasks, task);
    while ((child = chains_child(round->chains, task)))
        withdraw(round, child);
}

/* A promise falls to its next step; one without a step left is withdrawn. */
static void give_up(struct round *round, struct task *task)
{
    if (!soft_fall(&round->pricing, task)) {
        withdraw(round, task);
        return;
    }
    task_list_remove(&round->promised, task);
    task_list_insert(&round->promised, task);
}

struct task_list safety_follow_others(struct round *round)
{
    struct task_list strays =
        task_list_open(round->planner.arena, round->promised.count, task_latest_start);

    planner_clear(&round->planner, round->view->now_s);
    for (size_t i = 0; i < round->promised.count; i++) {
        struct task *task = round->promised.items[i];

        planner_reset(task);
        if (task->strays) {
            task_list_append(&strays, task);
        } else {
            follow(round, task);
            next_round_reserve(&round->planner, task);
        }
    }
    return strays;
}

bool safety_finds_beside(struct round *round, struct task *task)
{
    bool moves = planner_restarts(&round->planner);

    do {
        if (moves)
            task->held = 0;
        if (planner_find(&round->planner, task) &&
            seating_beside(&round->seating, round->promised.items, round->promised.count, task)) {
            planner_reserve(&round->planner, &task->course, task->scaling);
            next_round_reserve(&round->planner, task);
            return true;
        }
        moves = true;
    } while (task->held > 0);
    return false;
}

void safety_put_in_force(struct rubato *memory, struct task *task)
{
    task->stand->course = course_copy(&task->course, NULL, memory->courses);
}

int *safety_reserves(const struct round *round)
{
    int *losses = arena_alloc(round->planner.arena, (round->promised.count + 1) * sizeof(*losses));

    for (size_t i = 0; i < round->promised.count; i++)
        losses[i] = round->promised.items[i]->losses;
    return losses;
}

void safety_restore(struct round *round, const int losses[])
{
    for (size_t i = 0; i < round->promised.count; i++)
        round->promised.items[i]->losses = losses[i];
}

bool safety_spend(struct round *round)
{
    const struct node_order *order = &round->memory->order;
    bool any = false;

    if (node_order_gpus(order) == (order->count - order->spares) * order->per_node)
        return false;
    for (size_t i = 0; i < round->promised.count; i++) {
        any = any || round->promised.items[i]->losses > 0;
        round->promised.items[i]->losses -= round->promised.items[i]->losses > 0;
    }
    return any;
}

/* Source of the choice: Moore, Management Science 15(1), 1968: of the jobs up to the first that is
 * late, the longest; here the most expensive by what it is worth, and of a job that can fall less
 * is lost than of others. */
void safety_give_up(struct round *round)
{
    struct task_list strays = safety_follow_others(round);
    size_t mended = 0;

    while (mended < strays.count && safety_finds_beside(round, strays.items[mended]))
        mended++;
    round->continues = mended == strays.count;
    if (!round->continues)
        give_up(round, task_list_most(&strays, mended + 1, soft_loss));
    for (size_t i = 0; round->continues && i < strays.count; i++)
        safety_put_in_force(round->memory, strays.items[i]);
}
