/* gpus.h - which GPUs a node has: asked of the driver's library, else of nvidia-smi, else as
 * declared. */
#ifndef WORKER_GPUS_H
#define WORKER_GPUS_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

struct gpu {
    char uuid[96];      /* "" if unknown */
    int64_t memory_mib; /* 0 if unknown */
    bool gone;          /* the GPU was present earlier and is not now */
};

struct gpus {
    const char *kind; /* "nvml", "nvidia-smi", or one of the KIND_ words below */
    int32_t count;    /* number of GPUs ever seen: each keeps its index for good */
    int32_t room;     /* capacity of `items`, for GPUs that come later */
    struct gpu *items;
    int32_t wanted;    /* limit for GPUs present at a time, 0 for none */
    bool chosen;       /* chosen by CUDA_VISIBLE_DEVICES: no other GPUs are used */
    char differs[192]; /* a sentence: how the GPUs differ from the wanted ones; or "" */
};

#define KIND_EMULATED "emulated" /* as the user wanted */
#define KIND_MADE_UP  "made-up"  /* the machine has no GPUs that can be found */
#define KIND_DECLARED "declared" /* the machine has devices, but no driver describes them */
#define KIND_DRIVER   "driver"   /* found by the driver in a later look */

/* Finds the first `wanted` GPUs of those that CUDA_VISIBLE_DEVICES shows this process; all GPUs if
 * `wanted` is 0 or more than were found. With `emulate`, emulated GPUs without looking. If none are
 * found, `wanted` GPUs are declared if the node has devices for them, else made up. `memory_mib` is
 * the memory of GPUs that were not found, 0 if unknown. -1 with `error`. */
int gpus_find(int32_t wanted, bool emulate, int64_t memory_mib, struct gpus *gpus,
              struct error *error);
void gpus_clear(struct gpus *gpus);

/* All GPUs that the driver shows, none if it shows none. -1, with `error`, if the driver cannot be
 * asked. */
int gpus_look(struct gpus *gpus, struct error *error);

/* gpus_write_list: the GPUs as text, a line each; the caller frees it. gpus_read_list: parses that
 * text; -1 with `error` if it is malformed. */
char *gpus_write_list(const struct gpus *gpus);
int gpus_read_list(const char *text, struct gpus *gpus, struct error *error);

/* The number of GPUs that are present. */
int32_t gpus_there(const struct gpus *self);

/* Keeps the GPUs that `visible`, a value of CUDA_VISIBLE_DEVICES, shows a process, in that
 * order. */
void gpus_keep_visible(struct gpus *gpus, const char *visible);

/* Whether later looks are useful: the GPUs have UUIDs, by which they can be recognized, or were
 * made up because no driver showed any. */
bool gpus_can_be_watched(const struct gpus *self);

/* Updates the GPUs from a later look: GPUs that are gone, GPUs that are back, and new ones if there
 * is room. Made-up GPUs are gone when the driver shows real ones. Returns whether anything changed;
 * `differs` then says what. */
bool gpus_take_look(struct gpus *self, const struct gpus *seen);

/* gpus_are_real: whether the GPUs are neither emulated nor made up. gpus_check_real: -1, with
 * `error`, if they are. */
bool gpus_are_real(const struct gpus *gpus);
int gpus_check_real(const struct gpus *gpus, struct error *error);

/* The GPUs as a value of CUDA_VISIBLE_DEVICES: UUIDs, else numbers, separated by commas. The caller
 * frees it. */
char *gpus_visible(const struct gpus *gpus);

/* Find GPUs through the driver's library or its program, in an array that the caller frees. Return
 * their number, 0 if there are none or neither is installed, -1 if the driver fails. */
int32_t nvml_find(struct gpu **found);
int32_t nvidia_smi_find(struct gpu **found);

#endif
