/* seating.c - see seating.h. */
#include "scheduler/planner/seating.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static bool ran_together(const struct seating *self, int rank, int gpus)
{
    return prices_ran_together(self->planner->view->all_prices,
                               node_order_first(self->planner->order, rank, gpus), gpus);
}

void seating_take(struct seating *self, struct task *task, int rank)
{
    blocks_take(&self->blocks, rank, task_gpus(task, task->level), (int)(task - self->tasks));
    task->rank = rank;
}

/* Whether `rank` is in reserve, or no rank. */
static bool is_spare(const struct seating *self, int rank)
{
    const struct node_order *order = self->planner->order;

    return rank < 0 || rank >= (order->count - order->spares) * order->per_node;
}

/* Closes the GPUs of nodes that are up where a closure holds now. */
static void close_now(struct seating *self)
{
    const struct closures *closures = planner_closures(self->planner);
    const int64_t now_s = self->planner->view->now_s;

    for (size_t k = 0; k < closures->count; k++) {
        const struct closure *closure = &closures->items[k];

        for (int i = 0; closure->from_s <= now_s && now_s < closure->to_s && i < closure->gpus; i++)
            blocks_take(&self->blocks, closure->place * self->planner->order->per_node + i, 1,
                        BLOCK_CLOSED);
    }
}

/* Frees all GPUs that are not down, in reserve or closed. */
static void clear(struct seating *self)
{
    const struct node_order *order = self->planner->order;
    const int kept = order->count - order->spares;

    blocks_clear(&self->blocks);
    for (int place = 0; place < order->count; place++)
        for (int i = place < kept ? node_order_up(order, place) : 0; i < order->per_node; i++)
            blocks_take(&self->blocks, place * order->per_node + i, 1, BLOCK_CLOSED);
    if (seating_has_closures(self))
        close_now(self);
}

/* Calls `change` for each GPU of the nodes in reserve that is up. */
static void each_spare(struct seating *self, void (*change)(struct blocks *blocks, int rank))
{
    const struct node_order *order = self->planner->order;

    for (int place = order->count - order->spares; place < order->count; place++)
        for (int i = 0; i < node_order_up(order, place); i++)
            change(&self->blocks, place * order->per_node + i);
}

static void open_one(struct blocks *blocks, int rank)
{
    blocks_give(blocks, rank, 1);
}

static void close_one(struct blocks *blocks, int rank)
{
    blocks_take(blocks, rank, 1, BLOCK_CLOSED);
}

void seating_close_spares(struct seating *self)
{
    each_spare(self, close_one);
}

/* ---- blocks that last ---- */

/* A free block, the time at which it closes, and the size of the free block around it. */
struct lasting {
    int rank;
    int64_t closes_s;
    int room;
};

static bool is_better(const struct lasting *block, const struct lasting *best, int64_t until_s)
{
    const bool lasts = block->closes_s >= until_s;

    if (best->rank < 0 || lasts != (best->closes_s >= until_s))
        return best->rank < 0 || lasts;
    if (block->closes_s != best->closes_s)
        return lasts == (block->closes_s < best->closes_s);
    return block->room < best->room;
}

int seating_find_lasting(const struct seating *self, int gpus, bool warm, int64_t from_s,
                         int64_t until_s, bool must_last)
{
    struct lasting best = {.rank = -1};

    for (int rank = blocks_next(&self->blocks, 0, gpus); rank >= 0;
         rank = blocks_next(&self->blocks, rank + gpus, gpus)) {
        const struct lasting block = {rank, seating_closes_s(self, rank, gpus, from_s),
                                      blocks_room(&self->blocks, rank, gpus)};

        if ((must_last && block.closes_s < until_s) || (warm && !ran_together(self, rank, gpus)))
            continue;
        if (is_better(&block, &best, until_s))
            best = block;
    }
    return best.rank;
}

/* ---- tasks that wait for a block ---- */

void seat_queue_open(struct seat_queue *self, const struct seating *seating)
{
    for (int i = 0; i < SCALING_CLASSES; i++)
        self->tasks[i] = arena_alloc(seating->planner->arena,
                                     (2 * seating->count + 1) * sizeof(*self->tasks[i]));
    memset(self->counts, 0, sizeof(self->counts));
    self->filled = 0;
}

void seat_queue_add(struct seat_queue *self, struct task *task)
{
    const int size = scaling_class(task_gpus(task, task->level));

    self->tasks[size][self->counts[size]++] = task;
    self->filled |= UINT32_C(1) << size;
}

/* ---- the block that is emptied at the least weight ---- */

struct emptying {
    struct seating *seating;
    double (*weigh)(const struct seating *self, const struct task *task);
    bool (*move)(struct seating *self, struct task *task);
    struct seat_queue *queue;
    int limit;
    bool only_warm; /* only blocks that ran together may be emptied */
    bool moved;
    int64_t until_s; /* only blocks that stay open until then may be emptied; 0: any block */
};

static void weigh_owner(void *context, int owner, int rank, int gpus)
{
    struct emptying *self = context;
    double weight = INFINITY;

    if (owner != BLOCK_CLOSED && (gpus < self->limit || self->only_warm))
        weight = self->weigh(self->seating, &self->seating->tasks[owner]);
    for (int first = rank; first < rank + gpus; first += self->limit)
        self->seating->weights[first / self->limit] += weight;
}

static void move_owner(void *context, int owner, int rank, int gpus)
{
    struct emptying *self = context;
    struct task *task = &self->seating->tasks[owner];

    self->moved = self->moved && (!self->move || self->move(self->seating, task));
    blocks_give(&self->seating->blocks, rank, gpus);
    /* A job larger than the block shrinks to the block, but not to nothing. */
    while (task_gpus(task, task->level) > self->limit && task->usable[task->level - 1] > 0)
        task->level = task->usable[task->level - 1];
    if (task->level > 0)
        seat_queue_add(self->queue, task);
}

static bool may_be_emptied(const struct emptying *self, int rank)
{
    const struct seating *seating = self->seating;

    return (!self->only_warm || ran_together(seating, rank, self->limit)) &&
           (self->until_s == 0 || seating_closes_s(seating, rank, self->limit,
                                                   seating->planner->view->now_s) >= self->until_s);
}

static int lightest(struct emptying *emptying)
{
    const struct blocks *blocks = &emptying->seating->blocks;
    const int gpus = emptying->limit;
    double *weights = emptying->seating->weights;
    double least = INFINITY;
    int best = -1;

    for (int rank = 0; rank < blocks->width; rank += gpus)
        weights[rank / gpus] = 0;
    blocks_each(blocks, 0, blocks->width, weigh_owner, emptying);
    for (int rank = 0; rank < blocks->width; rank += gpus)
        if (weights[rank / gpus] < least && may_be_emptied(emptying, rank)) {
            least = weights[rank / gpus];
            best = rank;
        }
    return best;
}

/* Empties the lightest block. Returns its rank, or -1. */
static int empty(struct emptying *emptying)
{
    const int rank = lightest(emptying);

    if (rank < 0)
        return -1;
    blocks_each(&emptying->seating->blocks, rank, emptying->limit, move_owner, emptying);
    return emptying->moved ? rank : -1;
}

int seating_empty(struct seating *self, int gpus,
                  double (*weigh)(const struct seating *self, const struct task *task),
                  bool (*move)(struct seating *self, struct task *task), struct seat_queue *queue)
{
    return empty(&(struct emptying){self, weigh, move, queue, gpus, false, true, 0});
}

/* ---- now ---- */

/* The first free block of `gpus` GPUs that ran together; -1 for none. */
static int find_warm(const struct seating *self, int gpus)
{
    int rank = blocks_next(&self->blocks, 0, gpus);

    while (rank >= 0 && !ran_together(self, rank, gpus))
        rank = blocks_next(&self->blocks, rank + gpus, gpus);
    return rank;
}

static bool may_be_in_time(const struct planner *planner, const struct task *task)
{
    return task->promised || isfinite(planner_price(planner, task, NULL));
}

void seating_open(struct seating *self, struct planner *planner, struct task *tasks, size_t count)
{
    *self = (struct seating){.planner = planner, .tasks = tasks, .count = count};
    blocks_open(&self->blocks, planner->order->count * planner->order->per_node, planner->arena);
    clear(self);
    self->weights =
        arena_alloc(planner->arena, (size_t)self->blocks.width * sizeof(*self->weights));
    planner->warm = UINT32_MAX; /* the least price that a change can have */
    /* A task that was lent nodes in reserve beside other GPUs stands on closed GPUs now. */
    for (size_t i = 0; i < count; i++) {
        tasks[i].level = tasks[i].held;
        if (tasks[i].held > 0 && !is_spare(self, tasks[i].held_rank) &&
            may_be_in_time(planner, &tasks[i]) &&
            blocks_is_free(&self->blocks, tasks[i].held_rank, task_gpus(&tasks[i], tasks[i].held)))
            seating_take(self, &tasks[i], tasks[i].held_rank);
    }
    planner->warm = 0;
    for (int gpus = 1; gpus <= self->blocks.width; gpus *= 2)
        if (find_warm(self, gpus) >= 0)
            planner->warm |= (uint32_t)gpus;
}

/* The time until which a task needs the GPUs that it gets now. */
static int64_t needed_until_s(const struct seating *self, const struct task *task)
{
    return task->planned ? task->course.end_s : self->planner->view->now_s;
}

static bool lasts(const struct seating *self, int rank, const struct task *task)
{
    return !seating_has_closures(self) ||
           seating_closes_s(self, rank, task_gpus(task, task->level), self->planner->view->now_s) >=
               needed_until_s(self, task);
}

/* The rank of a block for `task` within the block that it holds, preferably GPUs that ran together;
 * -1 for none. */
static int stay_within(const struct seating *self, const struct task *task)
{
    const int gpus = task_gpus(task, task->level);
    const int held = task_gpus(task, task->held);
    int found = -1;

    for (int rank = task->held_rank; rank < task->held_rank + held; rank += gpus) {
        if (!blocks_is_free(&self->blocks, rank, gpus))
            continue;
        if (ran_together(self, rank, gpus) && lasts(self, rank, task))
            return rank;
        if (found < 0 || (!lasts(self, found, task) && lasts(self, rank, task)))
            found = rank;
    }
    return found;
}

static double weigh_now(const struct seating *self, const struct task *task)
{
    return self->settles->drives || !task->drives ? task->weight * task_gpus(task, task->level)
                                                  : INFINITY;
}

static double weigh_unpromised(const struct seating *self, const struct task *task)
{
    (void)self;
    return task->promised ? INFINITY : task->weight * task_gpus(task, task->level);
}

static double weigh_undriven(const struct seating *self, const struct task *task)
{
    (void)self;
    return task->drives ? INFINITY : (double)task_gpus(task, task->level);
}

/* A block for `task` where some GPUs close later; -1 for none. Blocks that stay open as long as the
 * task come first; tasks without a promise make room for a promised task there. */
static int find_lasting(struct seating *self, const struct task *task, struct seat_queue *queue)
{
    const int gpus = task_gpus(task, task->level);
    const int64_t now_s = self->planner->view->now_s;
    const int64_t until_s = needed_until_s(self, task);
    int rank = seating_find_lasting(self, gpus, true, now_s, until_s, true);

    if (rank < 0 && task->drives && (self->planner->warm & (uint32_t)gpus) != 0)
        rank =
            empty(&(struct emptying){self, weigh_undriven, NULL, queue, gpus, true, true, until_s});
    if (rank < 0)
        rank = seating_find_lasting(self, gpus, false, now_s, until_s, true);
    if (rank < 0 && task->promised)
        rank = empty(
            &(struct emptying){self, weigh_unpromised, NULL, queue, gpus, false, true, until_s});
    return rank >= 0 ? rank : seating_find_lasting(self, gpus, false, now_s, until_s, false);
}

/* A block for `task`; -1 for none. GPUs that ran together come first, even where jobs that no
 * deadline drives have to make room. Other blocks split the smallest free block. */
static int find_block(struct seating *self, const struct task *task, struct seat_queue *queue)
{
    const int gpus = task_gpus(task, task->level);
    int rank;

    if (seating_has_closures(self))
        return find_lasting(self, task, queue);
    rank = find_warm(self, gpus);

    if (rank < 0 && task->drives && (self->planner->warm & (uint32_t)gpus) != 0)
        rank = empty(&(struct emptying){self, weigh_undriven, NULL, queue, gpus, true, true, 0});
    return rank >= 0 ? rank : blocks_find(&self->blocks, gpus);
}

/* Queues a task that found no block of its size for a smaller one. False if the task is
 * promised. */
static bool settle_smaller(struct seat_queue *queue, struct task *task)
{
    if (task->promised)
        return false;
    task->level = task->level > 0 ? task->usable[task->level - 1] : 0;
    if (task->level > 0)
        seat_queue_add(queue, task);
    return true;
}

static bool settle(struct seating *self, struct seat_queue *queue, struct task *task)
{
    const int gpus = task_gpus(task, task->level);
    int rank = find_block(self, task, queue);

    self->settles = task;
    if (rank < 0)
        rank = seating_empty(self, gpus, weigh_now, NULL, queue);
    if (rank < 0)
        return settle_smaller(queue, task);
    seating_take(self, task, rank);
    return true;
}

static bool settle_queue(struct seating *self, struct seat_queue *queue)
{
    int size;

    while ((size = seat_queue_largest(queue)) > 0) {
        for (size_t i = 0; i < queue->counts[size]; i++)
            if (!settle(self, queue, queue->tasks[size][i]))
                return false;
        seat_queue_empty(queue, size);
    }
    return true;
}

/* The order of seating: blocks that courses give, then blocks that are kept, then parts of held
 * blocks. */
enum turn { TURN_FOLLOWS, TURN_KEEPS, TURN_CHANGES, TURNS };

static enum turn turn_of(const struct task *task, bool follows)
{
    if (follows && task->promised)
        return TURN_FOLLOWS;
    return task->level == task->held ? TURN_KEEPS : TURN_CHANGES;
}

static int seat_in_turn(const struct seating *self, const struct task *task, enum turn turn)
{
    switch (turn) {
    case TURN_FOLLOWS:
        return course_piece(&task->course, self->planner->view->now_s)->rank;
    case TURN_KEEPS:
        return !is_spare(self, task->held_rank) &&
                       blocks_is_free(&self->blocks, task->held_rank, task_gpus(task, task->level))
                   ? task->held_rank
                   : -1;
    default:
        return !is_spare(self, task->held_rank) && task->level < task->held
                   ? stay_within(self, task)
                   : -1;
    }
}

/* ---- nodes in reserve ---- */

static void stay_on_spares(struct seating *self, struct task *task)
{
    if (task->held == 0 || task->held_rank < 0 ||
        !blocks_is_free(&self->blocks, task->held_rank, task_gpus(task, task->held)))
        return;
    task->level = task->held;
    seating_take(self, task, task->held_rank);
}

static void go_on_spares(struct seating *self, struct task *task)
{
    for (int level = task->usable[task->scaling->reach]; level > 0 && task->level == 0; level--) {
        const int rank =
            task->usable[level] == level ? blocks_find(&self->blocks, task_gpus(task, level)) : -1;

        if (rank < 0)
            continue;
        task->level = level;
        seating_take(self, task, rank);
    }
}

/* Whether `task` is lent nodes in reserve: it has no promise and would wait. */
static bool is_lent_spares(const struct task *task)
{
    return !task->promised && !task->only_promised && task->level == 0;
}

static void lend_spares(struct seating *self)
{
    each_spare(self, open_one);
    for (size_t i = 0; i < self->count; i++)
        if (is_lent_spares(&self->tasks[i]))
            stay_on_spares(self, &self->tasks[i]);
    for (size_t i = 0; i < self->count; i++)
        if (is_lent_spares(&self->tasks[i]))
            go_on_spares(self, &self->tasks[i]);
}

static void charge(const struct seating *self, struct task *task)
{
    const struct planner *planner = self->planner;
    const int gpus = task->scaling->gpus[task->level];
    const bool restarts = planner_restarts(planner);

    task->charge_s = (int)task->debt_s;
    task->charge_most_s = task->charge_s * (1 + task->debt_kept);
    task->is_charged =
        task->level > 0 && (restarts || task->level != task->held || task->rank != task->held_rank);
    if (!task->is_charged)
        return;
    task->charge_s =
        tariff_price(&planner->tariff, gpus, ran_together(self, task->rank, gpus), restarts);
    task->charge_most_s = task->charge_s * (1 + task->start_kept);
}

bool seating_settle(struct seating *self, bool follows)
{
    struct seat_queue queue;

    assert(self->planner->follows == follows);
    clear(self);
    seat_queue_open(&queue, self);
    for (int turn = 0; turn < TURNS; turn++)
        for (size_t i = 0; i < self->count; i++) {
            struct task *task = &self->tasks[i];
            int rank;

            if (task->level == 0 || (int)turn_of(task, follows) != turn)
                continue;
            rank = seat_in_turn(self, task, (enum turn)turn);
            if (rank >= 0)
                seating_take(self, task, rank);
            else
                seat_queue_add(&queue, task);
        }
    if (!settle_queue(self, &queue))
        return false;
    if (self->planner->order->spares > 0)
        lend_spares(self);
    for (size_t i = 0; i < self->count; i++) {
        charge(self, &self->tasks[i]);
        self->tasks[i].now =
            (struct piece){self->planner->view->now_s, self->tasks[i].level, self->tasks[i].rank};
    }
    return true;
}
