/* proof.h - the proof that courses keep their promises: each course ends in time, no two courses
 * want the same GPU at the same time from now on, and no course wants a closed GPU. Debug builds
 * assert the proof after each round. */
#ifndef PLANNER_PROOF_H
#define PLANNER_PROOF_H

#include "scheduler/planner/blocks.h"
#include "scheduler/planner/closures.h"
#include "scheduler/planner/task.h"

#include <stdbool.h>

#ifdef RUBATO_DEBUG
#define PROOF_IS_WANTED true
#else
#define PROOF_IS_WANTED false
#endif

/* A block that is held from a time on, or no more. */
struct proof_change {
    int64_t at_s;
    bool takes;
    int rank;
    int gpus;
};

struct proof {
    int64_t now_s;
    struct blocks blocks;
    struct proof_change *changes;
    size_t count;
    size_t room;
    bool in_time; /* all courses so far end in time */
    arena_t *arena;
};

/* Opens a proof for courses on `gpus` GPUs, in memory of `arena`. */
struct proof proof_open(int64_t now_s, int gpus, arena_t *arena);

/* Adds the course of `task`, which is promised. */
void proof_add(struct proof *self, const struct task *task, const struct course *course);

/* Adds `closures`: no course may hold GPUs while they are closed. */
void proof_close(struct proof *self, const struct closures *closures);

/* Whether all added courses keep their promises. */
bool proof_holds(struct proof *self);

#endif
