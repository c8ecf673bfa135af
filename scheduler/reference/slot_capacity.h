/* slot_capacity.h - the number of GPUs not yet promised in each lease slot, as a step function from
 * some slot on without end. In the far future all GPUs are free. */
#ifndef REFERENCE_SLOT_CAPACITY_H
#define REFERENCE_SLOT_CAPACITY_H

#include "scheduler/reference/slot_runs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `free_gpus` GPUs are free from slot `from` to the slot of the next step. */
struct slot_step {
    int64_t from;
    int64_t free_gpus;
};

struct slot_capacity {
    struct slot_step *steps; /* rising, neighbours differ; the last step has no end */
    size_t count;
    size_t capacity;
};

/* Frees all `gpus` GPUs in every slot. */
void slot_capacity_init(struct slot_capacity *self, int64_t gpus);
void slot_capacity_free(struct slot_capacity *self);

/* Copies `other` to `self`. */
void slot_capacity_copy(struct slot_capacity *self, const struct slot_capacity *other);

/* Forgets the steps before `slot`: the function starts with the step of `slot`. */
void slot_capacity_drop_before(struct slot_capacity *self, int64_t slot);

/* Adds `gpus` in every slot; a negative number removes GPUs. */
void slot_capacity_grow(struct slot_capacity *self, int64_t gpus);

/* Frees `gpus` in all slots of `runs`, or takes them if `gpus` is negative. */
void slot_capacity_add(struct slot_capacity *self, const struct slot_runs *runs, int64_t gpus);

/* Takes `gpus` in the `need` latest slots from `from` up to, but without, `before` that have at
 * least `gpus` free, and sets `taken` to these slots. Returns false, with nothing taken, if there
 * are fewer than `need` such slots. */
bool slot_capacity_take_latest(struct slot_capacity *self, int64_t from, int64_t before,
                               int64_t need, int64_t gpus, struct slot_runs *taken);

#endif
