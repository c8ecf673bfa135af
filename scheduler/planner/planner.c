/* planner.c - see planner.h. */
#include "scheduler/planner/planner.h"

#include "scheduler/plan/level.h"

#include <math.h>

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
                             .arena = arena,
                             .free = {.arena = arena},
                             .saved_free = {.arena = arena}};
    self->closures = closures_open(view->cluster, order, view->now_s, arena);
    self->sooner = closures_bring_forward(&self->closures, view->now_s, view->slot_end_s, arena);
}

static void clear(struct planner *self, int64_t from_s, bool follows)
{
    const struct closures *closures;

    self->follows = follows;
    self->span_count = 0;
    outline_clear(&self->outline, (double)from_s, self->gpus);
    vacancy_clear(&self->free, (double)from_s, self->gpus);
    closures = planner_closures(self);
    for (size_t i = 0; i < closures->span_count; i++)
        planner_reserve_span(
            self, closures->spans[i].from_s > from_s ? closures->spans[i].from_s : from_s,
            closures->spans[i].to_s, closures->spans[i].gpus);
}

void planner_clear(struct planner *self, int64_t from_s)
{
    clear(self, from_s, false);
}

void planner_clear_to_follow(struct planner *self, int64_t from_s)
{
    clear(self, from_s, true);
}

int planner_gpus_now(const struct planner *self)
{
    const int64_t now_s = self->view->now_s;

    return self->gpus - closures_gpus(planner_closures(self), now_s, now_s + 1);
}

int64_t planner_short_s(const struct planner *self, int gpus)
{
    const struct closures *closures = &self->closures;

    for (size_t i = 0; i < closures->span_count; i++) {
        const int64_t at_s = closures->spans[i].from_s;

        if (self->gpus - closures_gpus(closures, at_s, at_s + 1) < gpus)
            return at_s;
    }
    return NEVER_S;
}

double planner_capacity(const struct planner *self, int64_t until_s)
{
    const int64_t now_s = self->view->now_s;

    return self->gpus * (double)(until_s - now_s) -
           closures_gpu_s(planner_closures(self), now_s, until_s);
}

/* Counts restarts as if all rounds were a slot apart, which is their least distance. */
int64_t planner_restarts_before(const struct planner *self, int64_t end_s)
{
    const struct tariff *tariff = &self->tariff;
    const int64_t rounds = tariff->next_restart > 0 ? tariff->next_restart : tariff->restart_rounds;
    const int64_t first_s = self->slot_end_s + (rounds - 1) * self->slot_s;

    if (tariff->restart_rounds == 0 || end_s <= first_s)
        return 0;
    return 1 + (end_s - 1 - first_s) / (self->slot_s * tariff->restart_rounds);
}

static void append_span(struct planner *self, struct span span)
{
    if (self->span_count == self->span_room)
        self->spans =
            arena_grow(self->arena, self->spans, self->span_count, &self->span_room, sizeof(span));
    self->spans[self->span_count++] = span;
}

void planner_reserve_span(struct planner *self, int64_t from_s, int64_t to_s, int gpus)
{
    if (gpus == 0 || from_s >= to_s)
        return;
    outline_take(&self->outline, (double)from_s, (double)to_s, gpus);
    append_span(self, (struct span){from_s, to_s, gpus});
}

struct vacancy *planner_free(struct planner *self)
{
    vacancy_take_all(&self->free, self->spans, self->span_count);
    self->span_count = 0;
    return &self->free;
}

void planner_reserve(struct planner *self, const struct course *course,
                     const struct scaling *scaling)
{
    for (int i = 0; i < course->count; i++)
        planner_reserve_span(self, course->pieces[i].at_s,
                             i + 1 < course->count ? course->pieces[i + 1].at_s : course->end_s,
                             scaling->block[course->pieces[i].level]);
}

bool planner_has_free(struct planner *self, int64_t from_s, int64_t to_s, int gpus)
{
    return outline_has(&self->outline, (double)from_s, fmax((double)from_s + 1, (double)to_s),
                       gpus) ||
           vacancy_least(planner_free(self), (double)from_s, (double)to_s) >= gpus;
}

double planner_reserved(struct planner *self, double until_s)
{
    return vacancy_taken(planner_free(self), until_s, self->gpus) -
           closures_gpu_s(planner_closures(self), self->view->now_s, (int64_t)until_s);
}

void planner_save(struct planner *self, const struct task_list *tasks)
{
    vacancy_copy(planner_free(self), &self->saved_free);
    self->saved_outline = self->outline;
    self->saved_planned = tasks->planned;
    self->saved_courses =
        arena_alloc(self->arena, (tasks->count + 1) * sizeof(*self->saved_courses));
    for (size_t i = 0; i < tasks->count; i++)
        self->saved_courses[i] = tasks->items[i]->course;
}

void planner_restore(struct planner *self, struct task_list *tasks)
{
    self->span_count = 0;
    self->outline = self->saved_outline;
    vacancy_copy(&self->saved_free, &self->free);
    tasks->planned = self->saved_planned;
    for (size_t i = 0; i < tasks->count; i++) {
        tasks->items[i]->course = self->saved_courses[i];
        tasks->items[i]->planned = true;
    }
}

/* ---- the job as it is now ---- */

void planner_reset(struct task *task)
{
    task->left = task_work(task);
    task->held = level_held(task->job);
    task->stands = task->held_rank;
    task->debt_s = task->job->overhead_s;
    task->start_kept = task->start_margin;
    task->debt_kept = task->job->late_s == 0
                          ? task->start_margin
                          : 0; /* a nonzero late_s tells the change's real cost */
    task->planned = false;
    task->level = 0;
}

void planner_enter(struct task *task)
{
    planner_reset(task);
    task->usable = task->scaling->fastest;
}

/* The share of the rest of a slot after a job that counts as lost. Found on the same traces as the
 * constants of the load, see docs/promises.md. */
#define IDLE_SHARE 0.5

static double with_idle_s(const struct planner *self, double need_s)
{
    const double slot_s = (double)self->slot_s;

    return need_s + IDLE_SHARE * (ceil(need_s / slot_s) * slot_s - need_s);
}

double planner_price(const struct planner *self, const struct task *task, double *with_idle)
{
    const int64_t from_s =
        task->earliest_s > self->view->now_s ? task->earliest_s : self->view->now_s;
    const double left_s = (double)task->deadline_s - (double)from_s;
    double least = INFINITY;
    double least_held = INFINITY;

    for (int level = 1; level <= task->usable[task->scaling->reach]; level++) {
        const int gpus = task_gpus(task, level);
        double need_s;

        if (task->usable[level] != level || task->deadline_s == DEADLINE_NONE_S)
            continue;
        need_s = level == task->held ? task->debt_s : planner_price_now(self, gpus);
        need_s += job_profiled_left(task->job) / task->scaling->rate[level];
        if (need_s > left_s)
            continue;
        least = fmin(least, gpus * need_s);
        least_held = fmin(least_held, gpus * with_idle_s(self, need_s));
    }
    if (with_idle)
        *with_idle = least_held;
    return least;
}

double planner_least_s(const struct planner *self, const struct task *task)
{
    double least_s = INFINITY;

    for (int level = 1; level <= task->usable[task->scaling->reach]; level++)
        if (task->usable[level] == level)
            least_s = fmin(least_s, planner_price_now(self, task_gpus(task, level)) +
                                        task_work(task) / task->scaling->rate[level]);
    return least_s;
}

/* ---- whether a promise is at risk ---- */

/* Whether the deadline comes before a round can hear of the job's speed: within a slot and a window
 * of SPEED_WINDOW_S. */
static bool is_blind(const struct planner *self, const struct task *task)
{
    return task->deadline_s - self->view->now_s < self->slot_s + SPEED_WINDOW_S;
}

/* The margin that a job of unknown speed wants: more if a stretch of the job was slower, and twice
 * as much if its speed cannot become known in time. */
static double wanted_margin(const struct planner *self, const struct task *task)
{
    const double slowest = speed_slowest(task->job->speed);

    return fmax(task->margin_wanted * (is_blind(self, task) ? 2 : 1), 1 / slowest - 1);
}

/* Whether `work` is done by the deadline on the GPUs that the job holds now, or, while it waits, on
 * the most that it can hold. */
static bool ends_in_time(const struct planner *self, const struct task *task, double work)
{
    const bool holds = task->now.level > 0;
    const int level = holds ? task->now.level : task->usable[task->scaling->reach];
    const int wait_s = holds ? task->charge_s : planner_price_later(self, task_gpus(task, level));

    return (double)(self->view->now_s + wait_s) + work / task->scaling->rate[level] <=
           (double)task->deadline_s;
}

bool planner_is_at_risk(const struct planner *self, const struct task *task)
{
    const double margin = wanted_margin(self, task);

    return task->promised && task->is_watched && !job_speed_is_known(task->job) &&
           task->margin < margin &&
           !ends_in_time(self, task, task->job->iterations_left * (1 + margin));
}
