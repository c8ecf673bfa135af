/* planner_find.c - the course of one job on the GPUs that are free. See planner.h. */
#include "scheduler/planner/planner.h"

#include <math.h>

/* The price of a restart of all for a task whose GPUs stay: the base, unless each round restarts
 * all. */
static double restart_price_s(const struct planner *self, const struct task *task, int level)
{
    if (self->tariff.restart_rounds != 1)
        return self->tariff.base_s * (1 + task->start_kept);
    return planner_price_later(self, task_gpus(task, level)) * (1 + task->start_kept);
}

/* The iterations at `level` that the loss of a node costs a task. */
static double loss_of_node(const struct planner *self, const struct task *task, int level)
{
    const double new_start_s =
        planner_price_later(self, task_gpus(task, level)) * (1 + task->start_kept);

    return task->scaling->rate[level] * ((double)self->node_loss_s + new_start_s);
}

/* The iterations that the node losses which a course survives cost, among them a loss before the
 * course begins. */
static double loss_of_nodes(const struct planner *self, const struct task *task, int level)
{
    return task->losses *
               fmax(loss_of_node(self, task, level), loss_of_node(self, task, task->held)) +
           fmax(task->scaling->rate[level], task->scaling->rate[task->held]) * task->owed_s;
}

/* Iterations to plan for at a rate that is `level`'s at most, with `restarts` restarts of all. */
static inline double work_of(const struct planner *self, const struct task *task, int level,
                             int64_t restarts)
{
    const double restart_s = restart_price_s(self, task, level);
    const double work =
        task->left + task->scaling->rate[level] * (ROUNDING_S + restart_s * (double)restarts);

    return task_has_reserve(task) ? work + loss_of_nodes(self, task, level) : work;
}

/* The iterations that a change costs. A change after the next round may come up to a slot late. */
static inline double loss_of(const struct planner *self, const struct task *task, int from, int to,
                             double at_s)
{
    const double *rate = task->scaling->rate;
    double loss = 0;

    if (to == 0 || to == from)
        return 0;
    loss = rate[to] * (1 + task->start_kept) *
           (at_s <= (double)self->view->now_s ? planner_price_now(self, task_gpus(task, to))
                                              : planner_price_later(self, task_gpus(task, to)));
    if (to > from && at_s > (double)self->slot_end_s)
        loss += (rate[to] - rate[from]) * (double)self->slot_s;
    return loss;
}

/* The level that `entry` has room for, in a plan of at most `most`. */
static inline int level_in(const struct planner *self, const struct task *task, int entry, int most)
{
    const int fit = scaling_fit(task->scaling, self->free.free_gpus[entry]);

    return task->usable[fit < most ? fit : most];
}

/* A run is the entries in which a plan of `most` has the same level: neighbours with room for all
 * of `most`, or else a single entry. run_end() is the entry after the run of `entry`, as far as the
 * run lies before `until_s`. run_start() is the first entry of the run, as far as the run lies
 * after `from_s`. */
static int run_end(const struct planner *self, const struct task *task, int most, int entry,
                   double until_s)
{
    const int gpus = task_gpus(task, most);

    return self->free.free_gpus[entry] < gpus
               ? entry + 1
               : vacancy_run_end(&self->free, entry + 1, until_s, gpus);
}

static int run_start(const struct planner *self, const struct task *task, int most, int entry,
                     double from_s)
{
    const int gpus = task_gpus(task, most);

    return self->free.free_gpus[entry] < gpus ? entry
                                              : vacancy_run_start(&self->free, entry, from_s, gpus);
}

static void begin_course(struct planner *self, struct course *course)
{
    if (self->piece_room < self->free.count + 1) {
        self->piece_room = 2 * self->free.count + 64;
        self->pieces = arena_alloc(self->arena, (size_t)self->piece_room * sizeof(*self->pieces));
    }
    *course = (struct course){.pieces = self->pieces};
}

/* A time, its entry, and the last entry known to be of the same run. */
struct start {
    double at_s;
    int entry;
    int run;
};

/* Follows the free GPUs from `start` on until `work` is done. The job holds level `before` until
 * then, and has `debt_s` to pay if it keeps that level. */
static bool follow(struct planner *self, const struct task *task, int most,
                   const struct start *start, int before, double debt_s, double work,
                   struct course *course)
{
    const double *rate = task->scaling->rate;
    double at_s = start->at_s;
    int level = before;
    int entry = start->entry;
    int run = start->run;

    begin_course(self, course);
    while (at_s < (double)task->deadline_s) {
        const int next = level_in(self, task, entry, most);
        double until_s = INFINITY;

        if (next != level || course->count == 0)
            self->pieces[course->count++] = (struct piece){(int64_t)at_s, next, -1};
        if (next != level) {
            work += loss_of(self, task, level, next, at_s);
            debt_s = 0; /* the price of the change replaces the debt */
        }
        level = next;
        entry = run = run_end(self, task, most, run, (double)task->deadline_s);
        if (entry < self->free.count)
            until_s = self->free.at_s[entry];
        if (level > 0 && at_s + debt_s + work / rate[level] <= until_s) {
            course->end_s = (int64_t)ceil(at_s + debt_s + work / rate[level]);
            course->gpu_s += task_gpus(task, level) * ((double)course->end_s - at_s);
            return course->end_s <= task->deadline_s;
        }
        if (level > 0) {
            const double paid_s = debt_s < until_s - at_s ? debt_s : until_s - at_s;

            debt_s -= paid_s;
            work -= rate[level] * (until_s - at_s - paid_s);
            course->gpu_s += task_gpus(task, level) * (until_s - at_s);
        }
        at_s = until_s;
    }
    return false;
}

/* The highest level of a course from the next round on, when restarts may come. */
static int later_top(const struct planner *self, const struct course *course)
{
    int top = 0;

    for (int i = 0; i < course->count; i++)
        if ((i + 1 == course->count || course->pieces[i + 1].at_s > self->slot_end_s) &&
            course->pieces[i].level > top)
            top = course->pieces[i].level;
    return top;
}

/* Follows the course as if only its own GPUs were free. */
bool planner_keeps(struct planner *self, const struct task *task, const struct course *course)
{
    const double now_s = (double)self->view->now_s;
    const struct start start = {now_s, 0, 0};
    struct course kept;
    int top = 0;

    self->span_count = 0;
    self->free.count = 0;
    for (int i = 0; i < course->count; i++) {
        const struct piece *piece = &course->pieces[i];

        if ((double)piece->at_s <= now_s)
            self->free.count = top = 0;
        vacancy_append(&self->free, fmax(now_s, (double)piece->at_s),
                       task_gpus(task, piece->level));
        top = piece->level > top ? piece->level : top;
    }
    return course->count > 0 &&
           follow(self, task, top, &start, task->held, task_debt_s(task),
                  work_of(self, task, later_top(self, course),
                          planner_restarts_before(self, course->end_s)),
                  &kept) &&
           kept.end_s <= course->end_s;
}

/* Finds the latest start that ends the job in time, going back from the deadline. False if there is
 * none. `*most_work` is the work that fits before the deadline if changes cost nothing. */
static bool find_start(const struct planner *self, const struct task *task, int most, double work,
                       struct start *start, double *most_work)
{
    const double *rate = task->scaling->rate;
    const double next_s = (double)self->slot_end_s;
    double until_s = (double)task->deadline_s;
    double done = 0;
    int next = 0;

    *most_work = 0;
    for (int entry = vacancy_find(&self->free, until_s - 1); entry >= 0; entry--) {
        const int level = level_in(self, task, entry, most);

        start->run = entry;
        if (next != level)
            done -= loss_of(self, task, level, next, until_s);
        if (level > 0) {
            const double need = work - done + loss_of(self, task, 0, level, until_s);
            double whole;

            start->at_s = floor(until_s - need / rate[level]);
            /* A start after the next round loses more than a start in the next round. */
            entry = run_start(self, task, most, entry,
                              start->at_s < next_s && next_s < until_s ? next_s : start->at_s);
            start->entry = entry;
            whole = rate[level] * (until_s - self->free.at_s[entry]);
            if (need <= whole + 1 && start->at_s >= self->free.at_s[entry])
                return true;
            done += whole;
            *most_work += whole;
        }
        next = level;
        until_s = self->free.at_s[entry];
    }
    return false;
}

/* Sets `course` to a course of a single piece. */
static void hold_until(struct planner *self, struct piece piece, double end_s, double gpu_s,
                       struct course *course)
{
    begin_course(self, course);
    course->count = 1;
    course->end_s = (int64_t)ceil(end_s);
    course->gpu_s = gpu_s;
    course->pieces[0] = piece;
}

/* The course that follow() finds if GPUs for `level` are free up to the deadline. */
static inline bool hold(struct planner *self, const struct task *task, int level, double at_s,
                        int before, double debt_s, double work, struct course *course)
{
    double end_s;

    if (level != before) {
        work += loss_of(self, task, before, level, at_s);
        debt_s = 0;
    }
    end_s = ceil(at_s + debt_s + work / task->scaling->rate[level]);
    hold_until(self, (struct piece){(int64_t)at_s, level, -1}, end_s,
               task_gpus(task, level) * (end_s - at_s), course);
    return end_s <= (double)task->deadline_s;
}

/* Finds a course that starts in the next round, which never comes late. The task waits until the
 * next round at most. */
static bool find_next(struct planner *self, const struct task *task, int most, double work,
                      struct course *course)
{
    const double at_s = (double)self->slot_end_s;
    const int entry = vacancy_find(&self->free, at_s);
    const struct start next = {at_s, entry, entry};

    return task->earliest_s <= self->slot_end_s &&
           follow(self, task, most, &next, 0, 0, work, course);
}

/* Answers for find_below() without the timeline, where `most` GPUs are free at each time that
 * counts. `*is_sure` is set if they are, and the answer holds. */
static bool find_beside(struct planner *self, const struct task *task, int most, double work,
                        bool *is_sure, struct course *course)
{
    const double now_s = self->outline.from_s;
    const double next_s = (double)self->slot_end_s;
    const double end_s = (double)task->deadline_s;
    const int gpus = task_gpus(task, most);
    const double need = work + loss_of(self, task, 0, most, end_s);
    const double at_s = floor(end_s - need / task->scaling->rate[most]);

    *is_sure = at_s < (double)task->earliest_s && (double)task->earliest_s > fmax(now_s, next_s);
    if (*is_sure)
        return false;
    if (at_s >= next_s && at_s > now_s) {
        *is_sure = outline_has(&self->outline, at_s, end_s, gpus);
        if (!*is_sure || hold(self, task, most, at_s, 0, 0, work, course))
            return *is_sure;
    }
    *is_sure = (double)task->earliest_s <= now_s && self->outline.change_s > next_s &&
               outline_has(&self->outline, now_s, end_s, gpus);
    return *is_sure && hold(self, task, most, now_s, task->held, task_debt_s(task), work, course);
}

/* Finds a course that holds `most` at the most. A start between this round and the next is moved to
 * now. */
static bool find_below(struct planner *self, const struct task *task, int most, int64_t restarts,
                       struct course *course)
{
    const struct start now = {self->free.at_s[0], 0, 0};
    const double work = work_of(self, task, most, restarts);
    double most_work = task->scaling->rate[most] * ((double)task->deadline_s - now.at_s);
    struct start latest;
    bool found;
    bool is_sure;

    if (most_work < work)
        return false;
    found = find_beside(self, task, most, work, &is_sure, course);
    if (is_sure)
        return found;
    (void)planner_free(self);
    found = find_start(self, task, most, work, &latest, &most_work);
    if (found && latest.at_s >= (double)task->earliest_s &&
        latest.at_s >= (double)self->slot_end_s && latest.at_s > now.at_s &&
        follow(self, task, most, &latest, 0, 0, work, course))
        return true;
    if ((double)task->earliest_s > now.at_s)
        return find_next(self, task, most, work, course);
    return (found || most_work + 1 >= work) &&
           follow(self, task, most, &now, task->held, task_debt_s(task), work, course);
}

/* Whether `gpus` GPUs are free from now on until `end_s`. */
static bool stays_free(struct planner *self, double end_s, int gpus)
{
    int enough;

    if (outline_has(&self->outline, self->outline.from_s, ceil(end_s), gpus))
        return true;
    enough = vacancy_run_end(planner_free(self), 0, end_s, gpus);
    return enough == self->free.count || self->free.at_s[enough] >= end_s;
}

/* Finds the course on which the task keeps its GPUs until the end, if that takes no more
 * GPU-seconds than `gpu_s`. */
static bool find_staying(struct planner *self, const struct task *task, int64_t restarts,
                         double gpu_s, struct course *course)
{
    const double from_s = self->free.at_s[0];
    const double rate = task->scaling->rate[task->held];
    const int gpus = task_gpus(task, task->held);
    const double end_s =
        from_s + task_debt_s(task) + work_of(self, task, task->held, restarts) / rate;

    if (gpus * (end_s - from_s) > gpu_s || ceil(end_s) > (double)task->deadline_s ||
        !stays_free(self, end_s, gpus))
        return false;
    hold_until(self, (struct piece){(int64_t)from_s, task->held, -1}, end_s,
               gpus * (end_s - from_s), course);
    return true;
}

/* Copies `course` into the task. A course that starts after the timeline gets a first piece without
 * GPUs. */
static void keep_course(struct planner *self, struct task *task, const struct course *course)
{
    const int64_t from_s = (int64_t)self->free.at_s[0];
    const bool waits = course->pieces[0].at_s > from_s;
    struct piece *pieces =
        arena_alloc(self->arena, (size_t)(course->count + 1) * sizeof(*course->pieces));

    task->course = *course;
    task->course.pieces = pieces;
    task->course.count += waits;
    if (waits)
        *pieces++ = (struct piece){from_s, 0, -1};
    for (int i = 0; i < course->count; i++) /* mostly a single piece */
        pieces[i] = course->pieces[i];
    task->planned = true;
}

static bool find_course(struct planner *self, struct task *task)
{
    const int top = task->usable[task->scaling->reach];
    const int64_t restarts = planner_restarts_before(self, task->deadline_s);
    struct course course;

    task->planned = false;
    for (int most = 1; most <= top && !task->planned; most++)
        if (task->usable[most] == most && find_below(self, task, most, restarts, &course))
            keep_course(self, task, &course);
    if (task->held > 0 &&
        find_staying(self, task, restarts, task->planned ? task->course.gpu_s : INFINITY, &course))
        keep_course(self, task, &course);
    return task->planned;
}

/* Seconds kept at the end of a task for a move if GPUs that the task holds close before its
 * deadline; else 0. */
static int64_t kept_for_move(const struct planner *self, const struct task *task)
{
    const int top = task->usable[task->scaling->reach];

    if (self->closures.count == 0 || task->held == 0 || task->stands < 0 ||
        closures_next_s(planner_closures(self), task->stands, task_gpus(task, task->held),
                        self->view->now_s) >= task->deadline_s)
        return 0;
    return (int64_t)ceil(planner_price_later(self, task_gpus(task, top)) * (1 + task->start_kept));
}

/* Prefers a course that leaves time for such a move. */
bool planner_find(struct planner *self, struct task *task)
{
    const int64_t kept_s = kept_for_move(self, task);

    if (kept_s > 0) {
        task->deadline_s -= kept_s;
        (void)find_course(self, task);
        task->deadline_s += kept_s;
    }
    return (kept_s > 0 && task->planned) || find_course(self, task);
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
