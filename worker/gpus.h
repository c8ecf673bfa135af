/* gpus.h - which GPUs a node has: asked of the driver's library, else of nvidia-smi, else as
 * declared. */
#ifndef WORKER_GPUS_H
#define WORKER_GPUS_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

struct gpu {
    char uuid[96];      /* "" if it has none */
    int64_t memory_mib; /* 0 if unknown */
    bool gone;          /* it was there */
};

struct gpus {
    const char *kind; /* "nvml", "nvidia-smi", or one of those below */
    int32_t count;    /* of those that were ever there: each has its number for good */
    int32_t room;     /* of `items`, for those that come later */
    struct gpu *items;
    int32_t wanted;    /* that may be there at once, 0 for any number */
    bool chosen;       /* by CUDA_VISIBLE_DEVICES: no others are taken */
    char differs[192]; /* a sentence: how they differ from those that were asked for; "" */
};

#define KIND_EMULATED "emulated" /* as was asked for */
#define KIND_MADE_UP  "made-up"  /* the machine has none that can be found */
#define KIND_DECLARED "declared" /* the machine has devices, of which no driver says anything */
#define KIND_DRIVER   "driver"   /* the driver shows them since a later look */

/* The first `wanted` GPUs of those that CUDA_VISIBLE_DEVICES shows this process, all there are if
 * `wanted` is 0 or more than were found; emulated ones without looking with `emulate`. Where none
 * are found, `wanted` are declared if the node has devices for them, else they are made up.
 * `memory_mib` is that of GPUs that were not found, 0 if unknown. -1 with `error`. */
int gpus_find(int32_t wanted, bool emulate, int64_t memory_mib, struct gpus *gpus,
              struct error *error);
void gpus_clear(struct gpus *gpus);

/* All GPUs that the driver shows, none if it shows none. -1, with `error`, if it cannot say. */
int gpus_look(struct gpus *gpus, struct error *error);

/* As a text, a line for each, and back; -1 with `error` if the text is no such list. The caller
 * frees the text. */
char *gpus_write_list(const struct gpus *gpus);
int gpus_read_list(const char *text, struct gpus *gpus, struct error *error);

/* How many are not gone. */
int32_t gpus_there(const struct gpus *self);

/* Keeps those that `visible`, as CUDA_VISIBLE_DEVICES has them, shows a process, in that order. */
void gpus_keep_visible(struct gpus *gpus, const char *visible);

/* Whether later looks may show others: `self` have UUIDs, by which they can be found again, or
 * stand for those that no driver showed. */
bool gpus_can_be_watched(const struct gpus *self);

/* Takes in what a later look shows: those that are gone, those that are back, and those that are
 * new, where there is room. Those that stand for others are gone when the driver shows some.
 * Whether anything changed; then `differs` says what. */
bool gpus_take_look(struct gpus *self, const struct gpus *seen);

/* Whether they are neither emulated nor made up; -1, with `error`, if they are. */
bool gpus_are_real(const struct gpus *gpus);
int gpus_check_real(const struct gpus *gpus, struct error *error);

/* All of them as CUDA_VISIBLE_DEVICES has them: their UUIDs, else their numbers, with commas
 * between them. The caller frees it. */
char *gpus_visible(const struct gpus *gpus);

/* The GPUs that a library of the driver or a program finds, in an array that the caller frees;
 * their number, 0 if there are none or there is nothing to ask, -1 if the driver cannot say. */
int32_t nvml_find(struct gpu **found);
int32_t nvidia_smi_find(struct gpu **found);

#endif
