/* seating.h - the GPUs that the tasks of a round hold from now on, and later by their courses.
 *
 * Ranks are counted in the order of the planner. A task holds an aligned block. A task that keeps
 * its number of GPUs keeps its block if it can. A task that gives GPUs back stays within its block.
 * The other tasks take a free block by falling size. If no block is free, the block whose tasks
 * weigh least is emptied, and these tasks are seated anew. Tasks that no deadline drives make room
 * where GPUs ran together. */
#ifndef PLANNER_SEATING_H
#define PLANNER_SEATING_H

#include "scheduler/planner/blocks.h"
#include "scheduler/planner/planner.h"

struct seating {
    struct planner *planner;
    struct task *tasks;
    size_t count;
    struct blocks blocks;
    const struct task *settles; /* the task that wants a block at the moment */
    double *weights;            /* weights of the blocks of the wanted size, by rank */
    int64_t sweep_s;            /* the time that the sweep over the courses has reached */
};

/* Notes in the planner which sizes of blocks are free and ran together before. Blocks of tasks that
 * no deadline drives count as free. */
void seating_open(struct seating *self, struct planner *planner, struct task *tasks, size_t count);

/* Gives each task with a level a block, and sets the cost of its change. If `follows`, promised
 * tasks take the blocks of their courses in force. Tasks that would wait are lent the nodes in
 * reserve. False if a promised task finds no block. */
bool seating_settle(struct seating *self, bool follows);

/* Gives each piece of the courses of `tasks`, some of the round's tasks, a block, starting from the
 * seats of seating_settle(). False if a task would have to move that cannot afford the move. */
bool seating_sweep(struct seating *self, struct task *const tasks[], size_t count);

/* Gives each piece of the course of `task`, which begins now, a block that the courses of the other
 * planned `tasks` leave free as long as the piece lasts. False, and `task` is not planned, if a
 * piece finds no block. */
bool seating_beside(const struct seating *self, struct task *const tasks[], size_t count,
                    struct task *task);

/* ---- parts that settling and sweeping share ---- */

/* Tasks that wait for a block, by the class of their size. */
struct seat_queue {
    struct task **tasks[SCALING_CLASSES];
    size_t counts[SCALING_CLASSES];
    uint32_t filled; /* bit set of the classes that have a task */
};

/* Opens a queue with room for each task twice in each class: a task that makes room for another of
 * its size waits once more. */
void seat_queue_open(struct seat_queue *self, const struct seating *seating);
void seat_queue_add(struct seat_queue *self, struct task *task);

/* The class of the largest tasks that wait; 0 for none. A class is emptied as a whole. */
static inline int seat_queue_largest(const struct seat_queue *self)
{
    return self->filled != 0 ? 31 - __builtin_clz(self->filled) : 0;
}

static inline void seat_queue_empty(struct seat_queue *self, int size)
{
    self->counts[size] = 0;
    self->filled &= ~(UINT32_C(1) << size);
}

/* Closes the nodes in reserve, which no task holds. */
void seating_close_spares(struct seating *self);

/* The first time from `from_s` on at which any GPU of the block closes; NEVER_S if none is
 * known. */
static inline int64_t seating_closes_s(const struct seating *self, int rank, int gpus,
                                       int64_t from_s)
{
    return closures_next_s(planner_closures(self->planner), rank, gpus, from_s);
}

/* Whether any GPU is known to be closed at some time. */
static inline bool seating_has_closures(const struct seating *self)
{
    return self->planner->closures.count > 0;
}

/* The best free block of `gpus` GPUs, or -1; only blocks that ran together count if `warm`. First
 * choice is the block that closes first among those open from `from_s` to `until_s`. Without such a
 * block, and unless `must_last`, the block that stays open longest. Ties go to the block within the
 * smallest free block. */
int seating_find_lasting(const struct seating *self, int gpus, bool warm, int64_t from_s,
                         int64_t until_s, bool must_last);

/* Gives `task` the block that begins at `rank` and has the size of the task's level. */
void seating_take(struct seating *self, struct task *task, int rank);

/* Frees the block of `gpus` GPUs whose tasks weigh least, and returns its rank. These tasks wait in
 * `queue`, after `move`, unless NULL, has moved each. -1 if no block is held by smaller tasks only,
 * or a move fails. */
int seating_empty(struct seating *self, int gpus,
                  double (*weigh)(const struct seating *self, const struct task *task),
                  bool (*move)(struct seating *self, struct task *task), struct seat_queue *queue);

#endif
