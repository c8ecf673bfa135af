/* blocks.h - which aligned blocks of GPUs are free: a power of two of GPUs that begins at a
 * multiple of its size. Source: buddy allocation, Knowlton, CACM 8(10), 1965. */
#ifndef PLANNER_BLOCKS_H
#define PLANNER_BLOCKS_H

#include "common/memory.h"
#include "scheduler/state/scaling.h"

#include <stdbool.h>
#include <stdint.h>

#define BLOCK_FREE   (-1)
#define BLOCK_CLOSED (-2) /* of GPUs that are not there */

struct blocks {
    int gpus;
    int width;                   /* the smallest power of two that has all GPUs */
    int *owners;                 /* of a block as it was taken; by place in the tree */
    uint64_t *free;              /* the largest free blocks, a bit for each place in the tree */
    uint64_t *filled;            /* the words of `free` that are not 0, a bit each */
    uint32_t sizes;              /* of the largest free blocks: the sum of those that there are */
    int counts[SCALING_CLASSES]; /* of the largest free blocks, by the exponent of their size */
};

/* `gpus` GPUs, all free. The memory is `arena`'s. */
void blocks_open(struct blocks *self, int gpus, arena_t *arena);

/* All GPUs are free again. */
void blocks_clear(struct blocks *self);

/* The block of `gpus` GPUs from `rank` on, all of which are free, is `owner`'s; or free again,
 * whole as it was taken. */
void blocks_take(struct blocks *self, int rank, int gpus, int owner);
void blocks_give(struct blocks *self, int rank, int gpus);

bool blocks_is_free(const struct blocks *self, int rank, int gpus);

/* GPUs of the largest free block around this one, which is free. */
int blocks_room(const struct blocks *self, int rank, int gpus);

/* The first free block of `gpus` GPUs from `rank` on, be it a part of a larger one. -1: none. */
int blocks_next(const struct blocks *self, int rank, int gpus);

/* A free block of `gpus` GPUs: of the smallest free ones that hold it the first. -1: none. */
int blocks_find(const struct blocks *self, int gpus);

/* Calls `meet`, which may give the block back, for each block taken within these GPUs; one around
 * them counts too. */
void blocks_each(const struct blocks *self, int rank, int gpus,
                 void (*meet)(void *context, int owner, int rank, int gpus), void *context);

#endif
