/* gpu_mask.h - a set of GPUs as a number: bit i is GPU i. */
#ifndef MASTER_GPU_MASK_H
#define MASTER_GPU_MASK_H

#include "protocol/scheduler_master.h"

#include <stddef.h>
#include <stdint.h>

/* The GPUs of `text`, rising, into the NODE_GPUS_MAX places of `gpus`: a number without limit to
 * its size, decimal or 0x and hexadecimal. -1 if `text` is no number, or has a bit beyond those
 * places. */
int gpu_mask_parse(const char *text, int32_t gpus[], size_t *count);

/* The text of a set, hexadecimal: room for GPU_MASK_TEXT characters. */
#define GPU_MASK_TEXT (NODE_GPUS_MAX / 4 + 3)
void gpu_mask_print(const int32_t gpus[], size_t count, char text[]);

#endif
