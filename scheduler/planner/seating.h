/* seating.h - which GPUs the tasks of a round hold from now on, and by their courses later.
 *
 * Ranks are counted in the order of the planner. A task holds an aligned block. One that keeps its
 * number of GPUs keeps its block if it can, one that gives GPUs back stays within it, the others
 * take a free block by falling size; if there is none, the block is emptied whose tasks weigh
 * least, and they are seated anew. For GPUs that ran together tasks that no deadline drives make
 * room. */
#ifndef PLANNER_SEATING_H
#define PLANNER_SEATING_H

#include "scheduler/planner/blocks.h"
#include "scheduler/planner/planner.h"

struct seating {
    struct planner *planner;
    struct task *tasks;
    size_t count;
    struct blocks blocks;
    const struct task *settles; /* wants a block at the moment */
    double *weights;            /* of blocks of the size that is looked for, by rank */
    int64_t sweep_s;            /* the time that the sweep over the courses is at */
};

/* Notes in the planner which sizes of blocks are free and ran together before. Those of tasks that
 * no deadline drives are as good as free. */
void seating_open(struct seating *self, struct planner *planner, struct task *tasks, size_t count);

/* Gives each task with a level a block, and says what that costs it. If they follow the courses in
 * force, promised tasks take the blocks that these have. Nodes in reserve are for tasks that would
 * wait. False if a promised task finds no block. */
bool seating_settle(struct seating *self, bool follows);

/* Gives each piece of the courses of `tasks`, some of those of the round, a block, from where
 * seating_settle() put them. False if one would have to move that cannot afford it. */
bool seating_sweep(struct seating *self, struct task *const tasks[], size_t count);

/* Gives each piece of the course of `task`, which begins now, a block that is free of the courses
 * of the other planned ones of `tasks` as long as the piece lasts. False, and the task is not
 * planned, if a piece finds none. */
bool seating_beside(const struct seating *self, struct task *const tasks[], size_t count,
                    struct task *task);

/* ---- what settling and sweeping need ---- */

/* Tasks that wait for a block, by the class of their size. */
struct seat_queue {
    struct task **tasks[SCALING_CLASSES];
    size_t counts[SCALING_CLASSES];
    uint32_t filled; /* classes with a task, a bit each */
};

/* With room for each task twice in each class: one that makes room for another of its size waits
 * once more. */
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

/* The nodes in reserve, which no task holds, are not to be had. */
void seating_close_spares(struct seating *self);

/* When one of these GPUs is closed first, from `from_s` on; NEVER_S if none is known to be. */
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

/* Of the free blocks of `gpus` GPUs, those that ran together if it is to be such a one, the one
 * that is closed first of those that last from `from_s` to `until_s`; if none does, and it need
 * not, the one that lasts longest. Of equal ones the one in the smallest free block. -1 for none.
 */
int seating_find_lasting(const struct seating *self, int gpus, bool warm, int64_t from_s,
                         int64_t until_s, bool must_last);

/* The block from `rank` on, of the task's level, is the task's. */
void seating_take(struct seating *self, struct task *task, int rank);

/* Frees the block of `gpus` GPUs whose tasks weigh least; these wait, after each was moved if there
 * is a `move`. -1 if there is none that smaller tasks hold, or a move fails. */
int seating_empty(struct seating *self, int gpus,
                  double (*weigh)(const struct seating *self, const struct task *task),
                  bool (*move)(struct seating *self, struct task *task), struct seat_queue *queue);

#endif
