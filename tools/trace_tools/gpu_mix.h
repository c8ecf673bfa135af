/* gpu_mix.h - the distribution of GPU counts: counts and weights, written "1:70,2:10,4:15,8:5". */
#ifndef TRACE_TOOLS_GPU_MIX_H
#define TRACE_TOOLS_GPU_MIX_H

#include "common/error.h"

#include <stddef.h>

#define GPU_MIX_MAX 32

struct gpu_mix {
    size_t count;
    int gpus[GPU_MIX_MAX];
    double weight_sum[GPU_MIX_MAX]; /* weights of this entry and the entries before it */
};

/* Reads a mix, whose weights may have any sum. Returns -1, with `error`, if the text is no mix. */
int gpu_mix_parse(const char *text, struct gpu_mix *mix, struct error *error);

/* The entry at the part `unit`, 0 <= unit < 1, of the sum of all weights. */
size_t gpu_mix_pick(const struct gpu_mix *mix, double unit);

#endif
