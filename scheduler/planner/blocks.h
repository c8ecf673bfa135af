/* blocks.h - which aligned blocks of GPUs are free: a power of two of GPUs that begins at a
 * multiple of its size. Source: buddy allocation, Knowlton, CACM 8(10), 1965. */
#ifndef PLANNER_BLOCKS_H
#define PLANNER_BLOCKS_H

#include "common/memory.h"
#include "scheduler/state/scaling.h"

#include <stdbool.h>
#include <stdint.h>

#define BLOCK_FREE   (-1)
#define BLOCK_CLOSED (-2) /* owner of GPUs that are not present */

struct blocks {
    int gpus;
    int width;                   /* the smallest power of two that has all GPUs */
    int *owners;                 /* owner of each block that was taken; by place in the tree */
    uint64_t *free;              /* the largest free blocks, a bit for each place in the tree */
    uint64_t *filled;            /* the words of `free` that are not 0, a bit each */
    uint32_t sizes;              /* sum of the distinct sizes of the largest free blocks */
    int counts[SCALING_CLASSES]; /* number of largest free blocks, by the exponent of their size */
};

/* `gpus` GPUs, all free. The memory is `arena`'s. */
void blocks_open(struct blocks *self, int gpus, arena_t *arena);

/* Frees all GPUs. */
void blocks_clear(struct blocks *self);

/* blocks_take: gives the free block of `gpus` GPUs from `rank` on to `owner`. blocks_give: frees
 * the block, whole as it was taken. */
void blocks_take(struct blocks *self, int rank, int gpus, int owner);
void blocks_give(struct blocks *self, int rank, int gpus);

bool blocks_is_free(const struct blocks *self, int rank, int gpus);

/* The size of the largest free block around this free block. */
int blocks_room(const struct blocks *self, int rank, int gpus);

/* The first free block of `gpus` GPUs from `rank` on, even within a larger free block. -1: none. */
int blocks_next(const struct blocks *self, int rank, int gpus);

/* The first of the smallest free blocks that hold `gpus` GPUs. -1: none. */
int blocks_find(const struct blocks *self, int gpus);

/* Calls `meet`, which may give the block back, for each taken block within these GPUs or around
 * them. */
void blocks_each(const struct blocks *self, int rank, int gpus,
                 void (*meet)(void *context, int owner, int rank, int gpus), void *context);

#endif
