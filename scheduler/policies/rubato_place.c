/* rubato_place.c - see rubato.h. */
#include "scheduler/policies/rubato.h"

#include "common/heap.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static int place_in_view(const struct round *round, const struct task *task)
{
    return (int)(task - round->tasks);
}

static bool ran_together(const struct round *round, int rank, int gpus)
{
    return prices_ran_together(round->view->all_prices, rank, gpus);
}

static void take(struct round *round, struct task *task, int rank)
{
    blocks_take(&round->blocks, rank, task_gpus(task, task->level), place_in_view(round, task));
    task->rank = rank;
}

/* ---- jobs that wait for a block, by the class of their size ---- */

struct queue {
    struct task **tasks[SCALING_CLASSES];
    size_t counts[SCALING_CLASSES];
};

static void queue_open(struct queue *self, const struct round *round)
{
    for (int i = 0; i < SCALING_CLASSES; i++)
        self->tasks[i] =
            arena_alloc(round->planner.arena, (round->count + 1) * sizeof(*self->tasks[i]));
    memset(self->counts, 0, sizeof(self->counts));
}

static void queue_add(struct queue *self, struct task *task, int gpus)
{
    const int size = scaling_class(gpus);

    self->tasks[size][self->counts[size]++] = task;
}

/* ---- the block that is emptied at the least cost ---- */

struct emptying {
    const struct round *round;
    double (*weight)(const struct round *round, const struct task *task);
    int limit;
    double cost;
};

static void weigh(void *context, int owner, int rank, int gpus)
{
    struct emptying *self = context;

    (void)rank;
    if (owner == BLOCK_CLOSED || gpus >= self->limit)
        self->cost = INFINITY;
    else
        self->cost += self->weight(self->round, &self->round->tasks[owner]);
}

/* -1 if there is none. */
static int cheapest_to_empty(struct round *round, int gpus,
                             double (*weight)(const struct round *round, const struct task *task))
{
    double least = INFINITY;
    int best = -1;

    for (int rank = 0; rank < round->blocks.width; rank += gpus) {
        struct emptying emptying = {round, weight, gpus, 0};

        blocks_each(&round->blocks, rank, gpus, weigh, &emptying);
        if (emptying.cost < least) {
            least = emptying.cost;
            best = rank;
        }
    }
    return best;
}

struct eviction {
    struct round *round;
    struct task **tasks;
    size_t count;
};

static void note_owner(void *context, int owner, int rank, int gpus)
{
    struct eviction *self = context;

    (void)rank;
    (void)gpus;
    self->tasks[self->count++] = &self->round->tasks[owner];
}

/* Takes all jobs off a block; they are in `evicted`. */
static void empty_block(struct round *round, int rank, int gpus, struct eviction *evicted)
{
    *evicted = (struct eviction){.round = round};
    evicted->tasks = arena_alloc(round->planner.arena, (size_t)gpus * sizeof(*evicted->tasks));
    blocks_each(&round->blocks, rank, gpus, note_owner, evicted);
    for (size_t i = 0; i < evicted->count; i++)
        blocks_give(&round->blocks, evicted->tasks[i]->rank,
                    task_gpus(evicted->tasks[i], evicted->tasks[i]->level));
}

/* ---- now ---- */

static void open_blocks(struct round *round)
{
    const struct view *view = round->view;
    const int gpus = cluster_gpus(view->cluster);
    const int per_node = cluster_gpus_per_node(view->cluster);

    blocks_open(&round->blocks, gpus, round->planner.arena);
    for (int rank = 0; rank < gpus; rank++)
        if (!cluster_is_up(view->cluster, rank / per_node))
            blocks_take(&round->blocks, rank, 1, BLOCK_CLOSED);
}

void place_find_warm(struct round *round)
{
    open_blocks(round);
    for (size_t i = 0; i < round->count; i++) {
        struct task *task = &round->tasks[i];

        task->level = task->held;
        if (task->held > 0)
            take(round, task, task->stand->rank);
    }
    for (int gpus = 1; gpus <= round->blocks.width; gpus *= 2)
        for (int rank = 0; rank < round->blocks.width; rank += gpus)
            if (blocks_is_free(&round->blocks, rank, gpus) && ran_together(round, rank, gpus))
                round->planner.warm |= (uint32_t)gpus;
}

/* A job that gives GPUs back stays on some of those that it has. */
static int stay_within(const struct round *round, const struct task *task)
{
    const int gpus = task_gpus(task, task->level);
    const int held = task_gpus(task, task->held);
    int found = -1;

    for (int rank = task->stand->rank; rank < task->stand->rank + held; rank += gpus) {
        if (!blocks_is_free(&round->blocks, rank, gpus))
            continue;
        if (ran_together(round, rank, gpus))
            return rank;
        found = found < 0 ? rank : found;
    }
    return found;
}

/* GPUs that ran together, else those that split the smallest free block. */
static int find_block(const struct round *round, int gpus)
{
    const int best = blocks_find(&round->blocks, gpus);

    for (int rank = 0; best >= 0 && rank < round->blocks.width; rank += gpus)
        if (blocks_is_free(&round->blocks, rank, gpus) && ran_together(round, rank, gpus))
            return rank;
    return best;
}

/* No job moves for one that no deadline drives; a promised job for none while the courses in force
 * are followed, and one with little slack had better not pay for a move. */
static double weight_now(const struct round *round, const struct task *task)
{
    const double slack_s = (double)(task->deadline_s - task->course.end_s);
    const bool drives = isfinite(round->settles->price);

    if (!isfinite(task->price) && !task->promised)
        return 1e-3 * task_gpus(task, task->level);
    if (!drives || (task->promised && round->continues))
        return INFINITY;
    if (!task->promised)
        return task_gpus(task, task->level);
    return task_gpus(task, task->level) * (2 + 1000 / fmax(1, slack_s));
}

/* One that finds no block of its size takes a smaller one. False for a job that is promised. */
static bool settle_smaller(struct queue *queue, struct task *task)
{
    if (task->promised)
        return false;
    task->level = task->level > 0 ? task->usable[task->level - 1] : 0;
    if (task->level > 0)
        queue_add(queue, task, task_gpus(task, task->level));
    return true;
}

static bool settle(struct round *round, struct queue *queue, struct task *task)
{
    const int gpus = task_gpus(task, task->level);
    struct eviction evicted;
    int rank = find_block(round, gpus);

    round->settles = task;
    if (rank < 0) {
        rank = cheapest_to_empty(round, gpus, weight_now);
        if (rank < 0)
            return settle_smaller(queue, task);
        empty_block(round, rank, gpus, &evicted);
        for (size_t i = 0; i < evicted.count; i++)
            queue_add(queue, evicted.tasks[i],
                      task_gpus(evicted.tasks[i], evicted.tasks[i]->level));
    }
    take(round, task, rank);
    return true;
}

static bool settle_all(struct round *round, struct queue *queue)
{
    for (int size = SCALING_CLASSES - 1; size > 0; size--)
        for (size_t i = 0; i < queue->counts[size]; i++)
            if (!settle(round, queue, queue->tasks[size][i]))
                return false;
    return true;
}

static const struct piece *piece_at(const struct course *course, int64_t now_s)
{
    int i = course->count - 1;

    while (i > 0 && course->pieces[i].at_s > now_s)
        i--;
    return &course->pieces[i];
}

static void keep_or_queue(struct round *round, struct queue *queue, struct task *task)
{
    const int gpus = task_gpus(task, task->level);

    if (task->level == task->held && blocks_is_free(&round->blocks, task->stand->rank, gpus))
        take(round, task, task->stand->rank);
    else
        queue_add(queue, task, gpus);
}

static void charge(const struct round *round, struct task *task)
{
    const int gpus = task_gpus(task, task->level);
    const bool restarts = planner_restarts(&round->planner);

    task->charge_s = (int)task->debt_s;
    if (task->level > 0 &&
        (restarts || task->level != task->held || task->rank != task->stand->rank))
        task->charge_s = tariff_price(&round->planner.tariff, gpus,
                                      ran_together(round, task->rank, gpus), restarts);
}

bool place_now(struct round *round)
{
    struct queue queue;

    open_blocks(round);
    queue_open(&queue, round);
    for (size_t i = 0; i < round->promised_count && round->continues; i++)
        if (round->promised[i]->level > 0)
            take(round, round->promised[i],
                 piece_at(&round->promised[i]->stand->course, round->view->now_s)->rank);
    for (size_t i = 0; i < round->count; i++) {
        struct task *task = &round->tasks[i];

        if (task->level > 0 && task->level == task->held && !(round->continues && task->promised))
            keep_or_queue(round, &queue, task);
    }
    for (size_t i = 0; i < round->count; i++) {
        struct task *task = &round->tasks[i];
        const int rank =
            task->level > 0 && task->level < task->held ? stay_within(round, task) : -1;

        if (task->level == 0 || task->level == task->held || (round->continues && task->promised))
            continue;
        if (rank >= 0)
            take(round, task, rank);
        else
            queue_add(&queue, task, task_gpus(task, task->level));
    }
    if (!settle_all(round, &queue))
        return false;
    for (size_t i = 0; i < round->count; i++) {
        struct task *task = &round->tasks[i];

        charge(round, task);
        task->now = (struct piece){round->view->now_s, task->level, task->rank};
    }
    return true;
}

int place_level_at(const struct course *course, int64_t now_s)
{
    return now_s < course->end_s ? piece_at(course, now_s)->level : 0;
}

/* ---- from the next round on ---- */

struct sweep {
    struct round *round;
    heap_t *events; /* tasks, by when they take their next piece, or end */
    struct queue queue;
    int64_t now_s;
};

/* When the job takes its next piece, or ends. */
static int64_t next_s(const struct task *task)
{
    const struct course *course = &task->course;

    return task->next < course->count ? course->pieces[task->next].at_s : course->end_s;
}

/* Seconds after its planned end at which the job ends if it moves now; -1 if that is too late, or
 * its GPUs are not free then. */
static int64_t delay_by_move(const struct round *round, const struct task *task)
{
    const struct planner *planner = &round->planner;
    const int last = task->course.pieces[task->course.count - 1].level;
    const double *rate = task->scaling->rate;
    const double lost =
        planner_price_later(planner, task_gpus(task, task->level)) * rate[task->level];
    const int64_t delay_s = (int64_t)ceil(lost / rate[last]);
    const int64_t end_s = task->course.end_s + delay_s;

    if (end_s > task->deadline_s ||
        planner_least_free(planner, task->course.end_s, end_s) < task_gpus(task, last))
        return -1;
    return delay_s;
}

static double weight_later(const struct round *round, const struct task *task)
{
    const bool changes = task->changed_s == round->sweep_s;

    return changes || delay_by_move(round, task) >= 0 ? (double)task_gpus(task, task->level)
                                                      : INFINITY;
}

/* The piece that a job is in becomes two, with a move between them that its end pays for. */
static void carry_move(struct round *round, struct task *task)
{
    struct course *course = &task->course;
    const size_t after = (size_t)(course->count - task->next);
    const int64_t end_s = course->end_s + delay_by_move(round, task);
    const int last = course->pieces[course->count - 1].level;
    struct piece *pieces =
        arena_alloc(round->planner.arena, (size_t)(course->count + 1) * sizeof(*pieces));

    planner_reserve_span(&round->planner, course->end_s, end_s, last, task->scaling);
    memcpy(pieces, course->pieces, (size_t)task->next * sizeof(*pieces));
    memcpy(pieces + task->next + 1, course->pieces + task->next, after * sizeof(*pieces));
    pieces[task->next++] = (struct piece){round->sweep_s, task->level, -1};
    *course = (struct course){pieces, course->count + 1, end_s, course->gpu_s};
    task->changed_s = round->sweep_s;
}

static void sit(struct round *round, struct task *task, int rank)
{
    take(round, task, rank);
    task->course.pieces[task->next - 1].rank = rank;
}

/* What a job gives back it gives back before others take. */
static void change(struct sweep *self, struct task *task)
{
    const int before = task->level;
    const bool ends = task->next == task->course.count;
    const int level = ends ? 0 : task->course.pieces[task->next].level;

    task->next++;
    if (!ends && level == before) {
        task->course.pieces[task->next - 1].rank = task->rank;
        return;
    }
    if (before > 0)
        blocks_give(&self->round->blocks, task->rank, task_gpus(task, before));
    task->level = level;
    task->changed_s = self->now_s;
    if (level > 0 && level < before)
        sit(self->round, task, task->rank);
    else if (level > 0)
        queue_add(&self->queue, task, task_gpus(task, level));
}

static bool settle_later(struct sweep *self, struct task *task)
{
    struct round *round = self->round;
    const int gpus = task_gpus(task, task->level);
    struct eviction evicted;
    int rank = blocks_find(&round->blocks, gpus);

    if (rank < 0) {
        rank = cheapest_to_empty(round, gpus, weight_later);
        if (rank < 0)
            return false;
        empty_block(round, rank, gpus, &evicted);
        for (size_t i = 0; i < evicted.count; i++) {
            if (evicted.tasks[i]->changed_s != self->now_s)
                carry_move(round, evicted.tasks[i]);
            queue_add(&self->queue, evicted.tasks[i],
                      task_gpus(evicted.tasks[i], evicted.tasks[i]->level));
        }
    }
    sit(round, task, rank);
    return true;
}

/* All changes of one time. */
static bool sweep_once(struct sweep *self)
{
    struct task *task;

    self->now_s = self->round->sweep_s = heap_first_key(self->events);
    memset(self->queue.counts, 0, sizeof(self->queue.counts));
    while ((task = heap_first(self->events)) && heap_first_key(self->events) == self->now_s) {
        heap_pop(self->events);
        if (next_s(task) == self->now_s)
            change(self, task);
        if (task->next <= task->course.count)
            heap_push(self->events, next_s(task), task);
    }
    for (int size = SCALING_CLASSES - 1; size > 0; size--)
        for (size_t i = 0; i < self->queue.counts[size]; i++)
            if (!settle_later(self, self->queue.tasks[size][i]))
                return false;
    return true;
}

bool place_courses(struct round *round, struct task *const tasks[], size_t count)
{
    struct sweep sweep = {.round = round, .events = heap_new()};
    bool fits = true;

    queue_open(&sweep.queue, round);
    open_blocks(round);
    for (size_t i = 0; i < count; i++) {
        tasks[i]->next = 0;
        tasks[i]->changed_s = -1;
        tasks[i]->level = tasks[i]->now.level;
        if (tasks[i]->level > 0)
            take(round, tasks[i], tasks[i]->now.rank);
        heap_push(sweep.events, next_s(tasks[i]), tasks[i]);
    }
    while (fits && heap_first(sweep.events))
        fits = sweep_once(&sweep);
    heap_destroy(&sweep.events);
    return fits;
}
