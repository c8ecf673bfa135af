/* emulation_model.h - what starts and memory of a model cost where training is emulated. Round
 * figures, ordered by the size of the models, not measurements: they make emulated starts, groups,
 * checkpoints and memory differ as real ones do. Speeds are profiled and come with the job. */
#ifndef EXECUTOR_EMULATION_MODEL_H
#define EXECUTOR_EMULATION_MODEL_H

#include <stdint.h>

struct emulation_model {
    const char *model;  /* name in traces; NULL: the row of all other models */
    int32_t startup_ms; /* process, device context and model */
    int32_t group_ms; /* time to form a training group of two ranks; each doubling adds half of this
                         time */
    int32_t checkpoint_ms;   /* time to write the state, or to read it */
    int32_t fixed_mib;       /* GPU memory for any batch size */
    int32_t sample_kib;      /* GPU memory for each sample that a rank holds at a time */
    int32_t samples_at_once; /* samples that a rank holds at a time; larger batches are
                                accumulated */
};

/* The row of `model`, or the row of unknown models. */
const struct emulation_model *emulation_model_find(const char *model);

/* The parts of a start on `world` ranks, in milliseconds: first the part before the GPU is needed,
 * then the part on the GPU. A start from scratch reads no checkpoint. */
int64_t emulation_model_prepare_ms(const struct emulation_model *self);
int64_t emulation_model_group_ms(const struct emulation_model *self, int32_t world);
int64_t emulation_model_begin_ms(const struct emulation_model *self, int32_t world, int64_t step);

/* GPU memory that one of `world` ranks needs for a global batch. */
int64_t emulation_model_memory_mib(const struct emulation_model *self, int32_t batch_size,
                                   int32_t world);

#endif
