/* seating_beside.c - blocks for a course beside courses that stay as they are. See seating.h. */
#include "scheduler/planner/seating.h"

#include <string.h>

/* Marks the GPUs that the courses of `tasks` hold at any time of a span. */
static void mark_taken(struct task *const tasks[], size_t count, int64_t from_s, int64_t to_s,
                       bool taken[])
{
    for (size_t i = 0; i < count; i++) {
        const struct course *course = &tasks[i]->course;

        for (int k = 0; tasks[i]->planned && k < course->count; k++) {
            const struct piece *piece = &course->pieces[k];
            const int64_t until_s = k + 1 < course->count ? piece[1].at_s : course->end_s;

            if (piece->level > 0 && piece->at_s < to_s && from_s < until_s)
                memset(taken + piece->rank, true, (size_t)task_gpus(tasks[i], piece->level));
        }
    }
}

/* Marks the GPUs that are closed at any time of a span. */
static void mark_closed(const struct seating *self, int64_t from_s, int64_t to_s, bool taken[])
{
    const struct closures *closures = planner_closures(self->planner);
    const size_t per_node = (size_t)self->planner->order->per_node;

    for (size_t i = 0; i < closures->count; i++) {
        const struct closure *closure = &closures->items[i];

        if (closure->from_s < to_s && from_s < closure->to_s)
            memset(taken + (size_t)closure->place * per_node, true, (size_t)closure->gpus);
    }
}

static bool is_open(const struct seating *self, const bool taken[], int rank, int gpus)
{
    return !memchr(taken + rank, true, (size_t)gpus) &&
           node_order_are_up(self->planner->order, rank, gpus);
}

/* The rank of an open block for a piece; -1 for none. A piece that keeps the task's present GPUs
 * stays there. Any other piece pays a move. */
static int find_open(const struct seating *self, const struct task *task, int piece,
                     const bool taken[])
{
    const struct node_order *order = self->planner->order;
    const int room = (order->count - order->spares) * order->per_node;
    const int level = task->course.pieces[piece].level;
    const int gpus = task_gpus(task, level);
    const int kept = piece == 0 && job_holds(task->job) ? task->held_rank : -1;

    if (piece == 0 && level == task->held)
        return kept >= 0 && kept + gpus <= room && is_open(self, taken, kept, gpus) ? kept : -1;
    for (int rank = 0; rank + gpus <= room; rank += gpus)
        if (rank != kept && is_open(self, taken, rank, gpus))
            return rank;
    return -1;
}

bool seating_beside(const struct seating *self, struct task *const tasks[], size_t count,
                    struct task *task)
{
    const struct node_order *order = self->planner->order;
    const size_t gpus = (size_t)order->count * (size_t)order->per_node;
    bool *taken = arena_alloc(self->planner->arena, gpus);
    struct course *course = &task->course;

    task->planned = false;
    for (int k = 0; k < course->count; k++) {
        struct piece *piece = &course->pieces[k];
        const int64_t until_s = k + 1 < course->count ? piece[1].at_s : course->end_s;

        if (piece->level == 0)
            continue;
        memset(taken, false, gpus);
        mark_taken(tasks, count, piece->at_s, until_s, taken);
        mark_closed(self, piece->at_s, until_s, taken);
        piece->rank = find_open(self, task, k, taken);
        if (piece->rank < 0)
            return false;
    }
    task->planned = true;
    return true;
}
