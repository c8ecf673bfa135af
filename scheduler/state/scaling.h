/* scaling.h - what a job gains from GPUs: its rate at each level, a level being a GPU count that
 * its throughput table has, from level 0 (no GPU) up to the largest that the job may use.
 *
 * The largest level that fits into a number of free GPUs is told by that number's power of two, its
 * class. A level that is no power of two fits where the next one does, its block. Most policies
 * plan powers of two only, see needs_powers in policies/policy.h. */
#ifndef STATE_SCALING_H
#define STATE_SCALING_H

#include "common/error.h"
#include "scheduler/state/throughput.h"

#include <stdbool.h>
#include <stdint.h>

#define SCALING_LEVELS  (THROUGHPUT_LEVELS_MAX + 1)
#define SCALING_CLASSES 24

struct scaling {
    const struct throughput_row *row;
    int gpus_max;                    /* most GPUs of the job; not always a level */
    int top;                         /* highest level with gpus[top] <= gpus_max */
    int reach;                       /* highest level that the cluster has GPUs for, <= top */
    int whole_gpus;                  /* min(gpus_max, GPUs of the cluster) */
    int whole;                       /* level of whole_gpus, -1 if none */
    int gpus[SCALING_LEVELS];        /* [0] is 0 */
    int block[SCALING_LEVELS];       /* GPUs that a plan reserves; [0] is 0 */
    double rate[SCALING_LEVELS];     /* iterations/s; [0] is 0, NaN where nothing was measured */
    double peak[SCALING_LEVELS];     /* the largest rate up to this level */
    uint8_t fastest[SCALING_LEVELS]; /* level of that rate; 0 for none */
    uint8_t fit[SCALING_CLASSES];    /* highest level <= top that fits a class of free GPUs */
    bool regular;  /* `whole` exists, and up to it every rate is above that of the level below */
    bool complete; /* `whole` and a level of one GPU exist, and up to it every rate is above 0 */
};

/* The class of a number of free GPUs: 0 for none, else 1 + the exponent of the power of two. */
static inline int scaling_class(int gpus)
{
    return gpus > 0 ? 32 - __builtin_clz((unsigned)gpus) : 0;
}

/* The least power of two that is no less than `gpus`; 0 for none. */
static inline int scaling_block(int gpus)
{
    return gpus > 0 ? 1 << scaling_class(gpus - 1) : 0;
}

/* The class of the block of `gpus` GPUs. */
static inline int scaling_block_class(int gpus)
{
    return gpus > 0 ? 1 + scaling_class(gpus - 1) : 0;
}

/* The highest level that fits into `free_gpus` GPUs. */
static inline int scaling_fit(const struct scaling *self, int free_gpus)
{
    return self->fit[scaling_class(free_gpus)];
}

/* The scaling of `row` for jobs that may use `gpus_max` GPUs, in a cluster of `cluster_gpus`. */
void scaling_fill(struct scaling *self, const struct throughput_row *row, int gpus_max,
                  int cluster_gpus);

/* The same; -1, with `error` set, if one of several levels is not a power of two. */
int scaling_init(struct scaling *self, const struct throughput_row *row, int gpus_max,
                 int cluster_gpus, struct error *error);

/* Whether all levels are powers of two. */
bool scaling_is_in_blocks(const struct scaling *self);

/* Complains that the policy plans no job on another number of GPUs. Returns -1. */
int scaling_complain_of_size(const struct scaling *self, struct error *error);

/* The scaling of a job that holds `gpus` GPUs or none, at a rate that is never asked for. */
void scaling_init_fixed(struct scaling *self, int gpus);

/* Complains that the table has no usable rate at `level`. Returns -1. */
int scaling_complain(const struct scaling *self, int level, struct error *error);

#endif
