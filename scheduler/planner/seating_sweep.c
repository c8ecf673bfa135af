/* seating_sweep.c - goes through all coming changes of courses in order of time, and gives each
 * piece a block. See seating.h.
 *
 * At each time jobs give GPUs back before other jobs take GPUs. A job that has to move for another
 * job pays for the move at the end of its course. */
#include "scheduler/planner/seating.h"

#include "common/heap.h"
#include "common/sort.h"

#include <math.h>
#include <string.h>

struct sweep {
    struct seating *seating;
    struct task *const *tasks;
    struct keyed *changes; /* pieces and ends of courses by time, then in the order of tasks */
    size_t count;
    size_t at;
    heap_t *delayed; /* tasks whose ends moves have put off, by their new ends */
    struct seat_queue queue;
    struct keyed *closings; /* starts and ends of closures, by time */
    size_t closing_count;
    size_t closing_at;
    bool stuck; /* a task on GPUs that are closed cannot afford to move */
};

/* The time at which the job takes its next piece, or ends. */
static int64_t next_s(const struct task *task)
{
    const struct course *course = &task->course;

    return task->next < course->count ? course->pieces[task->next].at_s : course->end_s;
}

/* Seconds by which a move now puts off the job's end; -1 if the job is then too late, or its GPUs
 * are not free so long. */
static int64_t delay_by_move(const struct seating *self, const struct task *task)
{
    struct planner *planner = self->planner;
    const int last = task->course.pieces[task->course.count - 1].level;
    const double *rate = task->scaling->rate;
    const double lost = planner_price_later(planner, task_gpus(task, task->level)) *
                        (1 + task->start_kept) * rate[task->level];
    const int64_t delay_s = (int64_t)ceil(lost / rate[last]);
    const int64_t end_s = task->course.end_s + delay_s;

    if (end_s > task->deadline_s ||
        !planner_has_free(planner, task->course.end_s, end_s, task_gpus(task, last)))
        return -1;
    return delay_s;
}

static double weigh_later(const struct seating *self, const struct task *task)
{
    const bool changes = task->changed_s == self->sweep_s;

    return changes || delay_by_move(self, task) >= 0 ? (double)task_gpus(task, task->level)
                                                     : INFINITY;
}

/* Splits the present piece of a job in two with a move between them, which the end of the course
 * pays for. */
static void split_piece(struct seating *self, struct task *task, int64_t end_s)
{
    struct course *course = &task->course;
    const size_t after = (size_t)(course->count - task->next);
    const int last = course->pieces[course->count - 1].level;
    struct piece *pieces =
        arena_alloc(self->planner->arena, (size_t)(course->count + 1) * sizeof(*pieces));

    planner_reserve_span(self->planner, course->end_s, end_s, task_gpus(task, last));
    memcpy(pieces, course->pieces, (size_t)task->next * sizeof(*pieces));
    memcpy(pieces + task->next + 1, course->pieces + task->next, after * sizeof(*pieces));
    pieces[task->next++] = (struct piece){self->sweep_s, task->level, -1};
    *course = (struct course){pieces, course->count + 1, end_s, course->gpu_s};
    task->changed_s = self->sweep_s;
}

/* Pays for a move of `task`, unless the task changes at this time anyway. False if the task cannot
 * afford the move. */
static bool carry_move(struct seating *self, struct task *task)
{
    int64_t delay_s;

    if (task->changed_s == self->sweep_s)
        return true;
    delay_s = delay_by_move(self, task);
    if (delay_s >= 0)
        split_piece(self, task, task->course.end_s + delay_s);
    return delay_s >= 0;
}

static void sit(struct seating *self, struct task *task, int rank)
{
    seating_take(self, task, rank);
    task->course.pieces[task->next - 1].rank = rank;
}

/* The time until which a task stays in the block that it takes now: its end, its next pause or its
 * next growth. */
static int64_t stays_until_s(const struct task *task)
{
    for (int i = task->next; i < task->course.count; i++)
        if (task->course.pieces[i].level > task->level || task->course.pieces[i].level == 0)
            return task->course.pieces[i].at_s;
    return task->course.end_s;
}

static int find_block(const struct seating *self, const struct task *task)
{
    const int gpus = task_gpus(task, task->level);

    return seating_has_closures(self)
               ? seating_find_lasting(self, gpus, false, self->sweep_s, stays_until_s(task), false)
               : blocks_find(&self->blocks, gpus);
}

/* The rank of the part of its block that a shrinking task keeps; -1 if all of the block is
 * closed. */
static int keep_part(const struct seating *self, const struct task *task, int before)
{
    const int gpus = task_gpus(task, task->level);
    int64_t last_s = self->sweep_s;
    int kept = -1;

    if (!seating_has_closures(self))
        return task->rank;
    for (int rank = task->rank; rank < task->rank + before; rank += gpus) {
        const int64_t closes_s = seating_closes_s(self, rank, gpus, self->sweep_s);

        if (closes_s > last_s) {
            last_s = closes_s;
            kept = rank;
        }
    }
    return kept;
}

static void change(struct sweep *self, struct task *task)
{
    struct seating *seating = self->seating;
    const int before = task->level;
    const bool ends = task->next == task->course.count;
    const int level = ends ? 0 : task->course.pieces[task->next].level;
    int kept = -1;

    task->next++;
    if (!ends && level == before) {
        task->course.pieces[task->next - 1].rank = task->rank;
        return;
    }
    if (before > 0)
        blocks_give(&seating->blocks, task->rank, task_gpus(task, before));
    task->level = level;
    task->changed_s = seating->sweep_s;
    if (level > 0 && level < before)
        kept = keep_part(seating, task, task_gpus(task, before));
    if (kept >= 0)
        sit(seating, task, kept);
    else if (level > 0)
        seat_queue_add(&self->queue, task);
}

static bool settle_later(struct sweep *self, struct task *task)
{
    struct seating *seating = self->seating;
    const int gpus = task_gpus(task, task->level);
    int rank = find_block(seating, task);

    if (rank < 0)
        rank = seating_empty(seating, gpus, weigh_later, carry_move, &self->queue);
    if (rank >= 0)
        sit(seating, task, rank);
    return rank >= 0;
}

/* Changes the task if its next change is due now. The end of a job that had to move comes later
 * than listed. */
static void change_if_due(struct sweep *self, struct task *task)
{
    if (next_s(task) == self->seating->sweep_s)
        change(self, task);
    else
        heap_push(self->delayed, next_s(task), task);
}

/* ---- GPUs that are closed, and there again ---- */

/* A task leaves its block because the block closes. */
static void leave(void *context, int owner, int rank, int gpus)
{
    struct sweep *self = context;
    struct task *task = &self->seating->tasks[owner];

    self->stuck = self->stuck || !carry_move(self->seating, task);
    blocks_give(&self->seating->blocks, rank, gpus);
    seat_queue_add(&self->queue, task);
}

static void close_or_open(struct sweep *self, const struct closure *closure, bool closes)
{
    struct blocks *blocks = &self->seating->blocks;
    const int first = closure->place * self->seating->planner->order->per_node;

    for (int rank = first; rank < first + closure->gpus; rank++)
        if (closes) {
            blocks_each(blocks, rank, 1, leave, self);
            blocks_take(blocks, rank, 1, BLOCK_CLOSED);
        } else {
            blocks_give(blocks, rank, 1);
        }
}

/* Applies the closures that begin or end up to the time of the sweep. GPUs come back before other
 * GPUs close. */
static void take_closings(struct sweep *self)
{
    const struct closures *closures = planner_closures(self->seating->planner);

    for (; self->closing_at < self->closing_count &&
           (int64_t)self->closings[self->closing_at].key <= self->seating->sweep_s;
         self->closing_at++) {
        const size_t item = self->closings[self->closing_at].item;

        close_or_open(self, &closures->items[item / 2], item % 2 == 1);
    }
}

static void list_closings(struct sweep *self)
{
    const struct closures *closures = planner_closures(self->seating->planner);
    const int64_t now_s = self->seating->planner->view->now_s;

    self->closings = arena_alloc(self->seating->planner->arena,
                                 (4 * closures->count + 1) * sizeof(*self->closings));
    for (size_t i = 0; i < closures->count; i++)
        if (closures->items[i].to_s < NEVER_S)
            self->closings[self->closing_count++] =
                (struct keyed){(double)closures->items[i].to_s, 2 * i};
    for (size_t i = 0; i < closures->count; i++)
        if (closures->items[i].from_s > now_s)
            self->closings[self->closing_count++] =
                (struct keyed){(double)closures->items[i].from_s, 2 * i + 1};
    sort_keyed(self->closings, self->closing_count, self->closings + self->closing_count);
}

/* ---- the sweep as a whole ---- */

/* Moves the sweep to the next change. False if no course changes any more: closures after the end
 * of the last course do not count. */
static bool find_next(struct sweep *self)
{
    const int64_t planned_s =
        self->at < self->count ? (int64_t)self->changes[self->at].key : NEVER_S;
    const int64_t delayed_s = heap_first(self->delayed) ? heap_first_key(self->delayed) : NEVER_S;
    const int64_t closing_s = self->closing_at < self->closing_count
                                  ? (int64_t)self->closings[self->closing_at].key
                                  : NEVER_S;
    const int64_t next_s = planned_s < delayed_s ? planned_s : delayed_s;

    self->seating->sweep_s = closing_s < next_s ? closing_s : next_s;
    return next_s != NEVER_S;
}

/* Does all changes of the present time. Ends that moves have put off come last. False if a task
 * finds no block. */
static bool sweep_once(struct sweep *self)
{
    const int64_t now_s = self->seating->sweep_s;
    struct task *task;
    int size;

    for (; self->at < self->count && (int64_t)self->changes[self->at].key == now_s; self->at++)
        change_if_due(self, self->tasks[self->changes[self->at].item]);
    while ((task = heap_pop_if(self->delayed, now_s)))
        change_if_due(self, task);
    take_closings(self);
    if (self->stuck)
        return false;
    while ((size = seat_queue_largest(&self->queue)) > 0) {
        for (size_t i = 0; i < self->queue.counts[size]; i++)
            if (!settle_later(self, self->queue.tasks[size][i]))
                return false;
        seat_queue_empty(&self->queue, size);
    }
    return true;
}

/* Frees the blocks of all tasks but the swept ones. */
static void keep_blocks(struct seating *self, struct task *const tasks[], size_t count)
{
    for (size_t i = 0; i < self->count; i++)
        self->tasks[i].next = -1;
    for (size_t i = 0; i < count; i++)
        tasks[i]->next = 0;
    for (size_t i = 0; i < self->count; i++) {
        const struct task *task = &self->tasks[i];

        if (task->next < 0 && task->level > 0)
            blocks_give(&self->blocks, task->rank, task_gpus(task, task->level));
    }
    if (self->planner->order->spares > 0)
        seating_close_spares(self);
}

static void list_changes(struct sweep *self, size_t count)
{
    size_t room = count;

    for (size_t i = 0; i < count; i++)
        room += (size_t)self->tasks[i]->course.count;
    self->changes =
        arena_alloc(self->seating->planner->arena, (2 * room + 1) * sizeof(*self->changes));
    for (size_t i = 0; i < count; i++) {
        const struct course *course = &self->tasks[i]->course;

        for (int k = 0; k < course->count; k++)
            self->changes[self->count++] = (struct keyed){(double)course->pieces[k].at_s, i};
        self->changes[self->count++] = (struct keyed){(double)course->end_s, i};
    }
    sort_keyed(self->changes, self->count, self->changes + self->count);
}

bool seating_sweep(struct seating *self, struct task *const tasks[], size_t count)
{
    struct sweep sweep = {.seating = self, .tasks = tasks, .delayed = heap_new()};
    bool fits = true;

    seat_queue_open(&sweep.queue, self);
    keep_blocks(self, tasks, count);
    for (size_t i = 0; i < count; i++)
        tasks[i]->changed_s = -1;
    list_changes(&sweep, count);
    list_closings(&sweep);
    while (fits && find_next(&sweep))
        fits = sweep_once(&sweep);
    heap_destroy(&sweep.delayed);
    return fits;
}
