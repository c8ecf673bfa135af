/* planner.c - see planner.h. */
#include "scheduler/plan/planner.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void planner_open(struct planner *self, const struct view *view, const struct node_order *order,
                  int64_t node_loss_s, arena_t *arena)
{
    *self = (struct planner){.view = view,
                             .order = order,
                             .tariff = prices_tariff(view->all_prices),
                             .gpus = node_order_gpus(order),
                             .slot_s = view->slot_s > 0 ? view->slot_s : 1,
                             .slot_end_s = view->slot_end_s,
                             .node_loss_s = node_loss_s,
                             .arena = arena};
}

static void make_room(struct planner *self, int count)
{
    const struct timeline old = self->free;

    if (count <= self->room)
        return;
    self->room = 2 * count + 64;
    self->free.entries = arena_alloc(self->arena, (size_t)self->room * sizeof(*old.entries));
    self->pieces = arena_alloc(self->arena, (size_t)self->room * sizeof(*self->pieces));
    if (old.count > 0)
        memcpy(self->free.entries, old.entries, (size_t)old.count * sizeof(*old.entries));
}

void planner_clear(struct planner *self, int64_t from_s)
{
    make_room(self, 1);
    timeline_clear(&self->free, (double)from_s, self->gpus);
}

bool planner_restarts(const struct planner *self)
{
    return self->tariff.restart_rounds > 0 && self->tariff.next_restart == 0;
}

int planner_price_now(const struct planner *self, int gpus)
{
    return tariff_price(&self->tariff, gpus, self->warm & (uint32_t)gpus, planner_restarts(self));
}

int planner_price_later(const struct planner *self, int gpus)
{
    return tariff_price(&self->tariff, gpus, false, self->tariff.restart_rounds > 0);
}

/* Rounds are a slot apart at least. */
int64_t planner_restarts_until(const struct planner *self, int64_t until_s)
{
    const struct tariff *tariff = &self->tariff;
    const int64_t rounds = tariff->next_restart > 0 ? tariff->next_restart : tariff->restart_rounds;
    const int64_t first_s = self->slot_end_s + (rounds - 1) * self->slot_s;

    if (tariff->restart_rounds == 0 || until_s < first_s)
        return 0;
    return 1 + (until_s - first_s) / (self->slot_s * tariff->restart_rounds);
}

/* Trainers that stay pay the base in a restart of all, unless there is one in each round. */
static double restart_price_s(const struct planner *self, const struct task *task, int level)
{
    if (self->tariff.restart_rounds != 1)
        return self->tariff.base_s;
    return planner_price_later(self, task_gpus(task, level));
}

/* What the loss of a node takes of the work of a task at `level`. */
static double loss_of_node(const struct planner *self, const struct task *task, int level)
{
    const double new_start_s = planner_price_later(self, task_gpus(task, level));

    return task->scaling->rate[level] * ((double)self->node_loss_s + new_start_s);
}

/* What the losses of nodes that a course survives take: also that of one before the course begins.
 */
static double loss_of_nodes(const struct planner *self, const struct task *task, int level)
{
    return task->losses *
               fmax(loss_of_node(self, task, level), loss_of_node(self, task, task->held)) +
           fmax(task->scaling->rate[level], task->scaling->rate[task->held]) * task->owed_s;
}

/* Iterations to plan for until then at a rate that is `level`'s at most. */
static double work_until(const struct planner *self, const struct task *task, int level,
                         int64_t until_s)
{
    const double restarts = (double)planner_restarts_until(self, until_s);
    const double work =
        task->left +
        task->scaling->rate[level] * (ROUNDING_S + restart_price_s(self, task, level) * restarts);

    return task_has_reserve(task) ? work + loss_of_nodes(self, task, level) : work;
}

static double work_of(const struct planner *self, const struct task *task, int level)
{
    return work_until(self, task, level, task->deadline_s);
}

/* What a change takes of the work, in iterations. It comes up to a slot late if a round may come a
 * moment before it. */
static inline double loss_of(const struct planner *self, const struct task *task, int from, int to,
                             double at_s)
{
    const double *rate = task->scaling->rate;
    double loss = 0;

    if (to == 0 || to == from)
        return 0;
    loss = rate[to] * (at_s <= (double)self->view->now_s
                           ? planner_price_now(self, task_gpus(task, to))
                           : planner_price_later(self, task_gpus(task, to)));
    if (to > from && at_s > (double)self->slot_end_s)
        loss += (rate[to] - rate[from]) * (double)self->slot_s;
    return loss;
}

/* The level in an entry of the timeline, for a plan of `most` at the most. */
static inline int level_in(const struct task *task, const struct timeline_entry *entry, int most)
{
    const int fit = task->scaling->fit[entry->free_class];

    return task->usable[fit < most ? fit : most];
}

static inline double until_of(const struct planner *self, int entry)
{
    return entry + 1 < self->free.count ? self->free.entries[entry + 1].at_s : INFINITY;
}

/* Follows the free GPUs from `start_s`, which is in `entry`, until `work` is done. The job holds
 * `before` until then, and has `debt_s` to pay if it goes on with it. */
static bool follow(struct planner *self, const struct task *task, int most, int entry,
                   double start_s, int before, double debt_s, double work, struct course *course)
{
    const double *rate = task->scaling->rate;
    double at_s = start_s;
    int level = before;

    *course = (struct course){.pieces = self->pieces};
    for (; at_s < (double)task->deadline_s; entry++) {
        const double until_s = until_of(self, entry);
        const int next = level_in(task, &self->free.entries[entry], most);

        if (next != level || course->count == 0)
            self->pieces[course->count++] = (struct piece){(int64_t)at_s, next, -1};
        if (next != level) {
            work += loss_of(self, task, level, next, at_s);
            debt_s = 0; /* its price takes the place of what was not paid yet */
        }
        level = next;
        if (level > 0 && at_s + debt_s + work / rate[level] <= until_s) {
            course->end_s = (int64_t)ceil(at_s + debt_s + work / rate[level]);
            course->gpu_s += task_gpus(task, level) * ((double)course->end_s - at_s);
            return course->end_s <= task->deadline_s;
        }
        if (level > 0) {
            const double paid_s = fmin(debt_s, until_s - at_s);

            debt_s -= paid_s;
            work -= rate[level] * (until_s - at_s - paid_s);
            course->gpu_s += task_gpus(task, level) * (until_s - at_s);
        }
        at_s = until_s;
    }
    return false;
}

/* The most that a course holds from the next round on, which is when restarts may come. */
static int later_top(const struct planner *self, const struct course *course)
{
    int top = 0;

    for (int i = 0; i < course->count; i++)
        if ((i + 1 == course->count || course->pieces[i + 1].at_s > self->slot_end_s) &&
            course->pieces[i].level > top)
            top = course->pieces[i].level;
    return top;
}

/* The course itself is what is free. */
bool planner_keeps(struct planner *self, const struct task *task, const struct course *course)
{
    const double now_s = (double)self->view->now_s;
    struct course kept;
    int top = 0;

    make_room(self, course->count + 1);
    self->free.count = 0;
    for (int i = 0; i < course->count; i++) {
        const struct piece *piece = &course->pieces[i];

        if ((double)piece->at_s <= now_s)
            self->free.count = top = 0;
        self->free.entries[self->free.count++] =
            timeline_entry(fmax(now_s, (double)piece->at_s), task_gpus(task, piece->level));
        top = piece->level > top ? piece->level : top;
    }
    return course->count > 0 &&
           follow(self, task, top, 0, now_s, task->held, task->debt_s,
                  work_until(self, task, later_top(self, course), course->end_s), &kept) &&
           kept.end_s <= course->end_s;
}

/* The latest start that ends the job in time, from the deadline back; -1 if there is none.
 * `*most_work` is what could be done up to the deadline if changes cost nothing. */
static double latest_start_s(const struct planner *self, const struct task *task, int most,
                             double work, int *entry, double *most_work)
{
    const double *rate = task->scaling->rate;
    double until_s = (double)task->deadline_s;
    double done = 0;
    int next = 0;

    *most_work = 0;
    for (*entry = timeline_find(&self->free, until_s - 1); *entry >= 0; (*entry)--) {
        const double at_s = self->free.entries[*entry].at_s;
        const int level = level_in(task, &self->free.entries[*entry], most);

        if (next != level)
            done -= loss_of(self, task, level, next, until_s);
        if (level > 0) {
            const double whole = rate[level] * (until_s - at_s);
            const double need = work - done + loss_of(self, task, 0, level, until_s);

            if (need <= whole + 1 && floor(until_s - need / rate[level]) >= at_s)
                return floor(until_s - need / rate[level]);
            done += whole;
            *most_work += whole;
        }
        next = level;
        until_s = at_s;
    }
    return -1;
}

/* A course that holds `most` at the most. A start that would be between this round and the next
 * is now. */
static bool find_below(struct planner *self, const struct task *task, int most,
                       struct course *course)
{
    const double from_s = self->free.entries[0].at_s;
    const double work = work_of(self, task, most);
    double most_work = task->scaling->rate[most] * ((double)task->deadline_s - from_s);
    double start_s;
    int entry;

    if (most_work < work)
        return false;
    start_s = latest_start_s(self, task, most, work, &entry, &most_work);
    if (start_s >= (double)self->slot_end_s && start_s > from_s &&
        follow(self, task, most, entry, start_s, 0, 0, work, course))
        return true;
    return (start_s >= 0 || most_work + 1 >= work) &&
           follow(self, task, most, 0, from_s, task->held, task->debt_s, work, course);
}

/* To stay as it is until it is done. */
static bool find_staying(const struct planner *self, const struct task *task, struct course *course)
{
    const double from_s = self->free.entries[0].at_s;
    const double rate = task->scaling->rate[task->held];
    const int gpus = task_gpus(task, task->held);
    const double end_s = from_s + task->debt_s + work_of(self, task, task->held) / rate;

    if (end_s > (double)task->deadline_s)
        return false;
    for (int i = 0; i < self->free.count && self->free.entries[i].at_s < end_s; i++)
        if (self->free.entries[i].free_gpus < gpus)
            return false;
    *course = (struct course){self->pieces, 1, (int64_t)ceil(end_s), gpus * (end_s - from_s)};
    self->pieces[0] = (struct piece){(int64_t)from_s, task->held, -1};
    return course->end_s <= task->deadline_s;
}

/* A course that begins later begins with nothing. */
static void keep_course(struct planner *self, struct task *task, const struct course *course)
{
    const int64_t from_s = (int64_t)self->free.entries[0].at_s;
    const bool waits = course->pieces[0].at_s > from_s;
    struct piece *pieces =
        arena_alloc(self->arena, (size_t)(course->count + 1) * sizeof(*course->pieces));

    task->course = *course;
    task->course.pieces = pieces;
    task->course.count += waits;
    if (waits)
        *pieces++ = (struct piece){from_s, 0, -1};
    memcpy(pieces, course->pieces, (size_t)course->count * sizeof(*course->pieces));
    task->planned = true;
}

bool planner_find(struct planner *self, struct task *task)
{
    const int top = task->usable[task->scaling->reach];
    struct course course;

    make_room(self, self->free.count + 8);
    task->planned = false;
    if (task->held > 0 && find_staying(self, task, &course))
        keep_course(self, task, &course);
    for (int most = 1; most <= top; most++) {
        if (task->usable[most] != most || !find_below(self, task, most, &course))
            continue;
        if (!task->planned || course.gpu_s < task->course.gpu_s)
            keep_course(self, task, &course);
        break;
    }
    return task->planned;
}

void planner_reserve_span(struct planner *self, int64_t from_s, int64_t to_s, int gpus)
{
    make_room(self, self->free.count + 2);
    if (gpus > 0)
        timeline_take(&self->free, (double)from_s, (double)to_s, gpus);
}

void planner_reserve(struct planner *self, const struct course *course,
                     const struct scaling *scaling)
{
    for (int i = 0; i < course->count; i++)
        planner_reserve_span(self, course->pieces[i].at_s,
                             i + 1 < course->count ? course->pieces[i + 1].at_s : course->end_s,
                             scaling->gpus[course->pieces[i].level]);
}

int planner_least_free(const struct planner *self, int64_t from_s, int64_t to_s)
{
    int least = self->gpus;

    for (int i = timeline_find(&self->free, (double)from_s);
         i < self->free.count && self->free.entries[i].at_s < (double)to_s; i++)
        least = self->free.entries[i].free_gpus < least ? self->free.entries[i].free_gpus : least;
    return least;
}

void planner_save(struct planner *self)
{
    const size_t size = (size_t)self->free.count * sizeof(*self->free.entries);

    self->saved.entries = arena_alloc(self->arena, size);
    self->saved.count = self->free.count;
    memcpy(self->saved.entries, self->free.entries, size);
}

void planner_restore(struct planner *self)
{
    make_room(self, self->saved.count);
    self->free.count = self->saved.count;
    memcpy(self->free.entries, self->saved.entries,
           (size_t)self->saved.count * sizeof(*self->free.entries));
}

bool planner_find_all(struct planner *self, struct task_list *tasks, int64_t from_s)
{
    planner_clear(self, from_s);
    for (size_t i = 0; i < tasks->count; i++) {
        struct task *task = tasks->items[i];

        if (i >= tasks->planned && !planner_find(self, task))
            return false;
        planner_reserve(self, &task->course, task->scaling);
        tasks->planned = i >= tasks->planned ? i + 1 : tasks->planned;
    }
    return true;
}

/* ---- the job as it is now ---- */

void planner_reset(struct task *task)
{
    task->left = task->job->iterations_left;
    task->held = task->job->level;
    task->debt_s = task->job->overhead_s;
    task->planned = false;
    task->level = 0;
}

void planner_enter(struct task *task)
{
    const struct scaling *scaling = task->scaling;
    int best = 0;

    planner_reset(task);
    for (int level = 0; level <= scaling->top; level++) {
        if (level > 0 && scaling->rate[level] > scaling->rate[best])
            best = level;
        task->usable[level] = (uint8_t)best;
    }
}

double planner_price(const struct planner *self, const struct task *task)
{
    const double left_s = (double)(task->deadline_s - self->view->now_s);
    double least = INFINITY;

    if (task->deadline_s == DEADLINE_NONE_S)
        return INFINITY;
    for (int level = 1; level <= task->usable[task->scaling->reach]; level++) {
        const double cost_s =
            level == task->held ? task->debt_s : planner_price_now(self, task_gpus(task, level));
        const double need_s = cost_s + task->left / task->scaling->rate[level];

        if (task->usable[level] == level && need_s <= left_s)
            least = fmin(least, task_gpus(task, level) * need_s);
    }
    return least;
}
