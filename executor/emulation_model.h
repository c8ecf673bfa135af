/* emulation_model.h - what starting and holding a model costs, where no model is really started.
 *
 * Round figures, ordered by the size of the models, not measurements: they make emulated starts,
 * groups, checkpoints and memory differ as real ones do. Speeds are profiled and come with the
 * job. */
#ifndef EXECUTOR_EMULATION_MODEL_H
#define EXECUTOR_EMULATION_MODEL_H

#include <stdint.h>

struct emulation_model {
    const char *model;       /* as traces call it; NULL for all others */
    int32_t startup_ms;      /* process, device context and model */
    int32_t group_ms;        /* a training group of two ranks; each doubling adds half of it */
    int32_t checkpoint_ms;   /* to write the state, or to read it */
    int32_t fixed_mib;       /* of GPU memory, whatever the batch */
    int32_t sample_kib;      /* of GPU memory for each sample of a rank at a time */
    int32_t samples_at_once; /* of a rank; larger batches are accumulated */
};

/* The row of `model`, that of unknown models if it has none. */
const struct emulation_model *emulation_model_find(const char *model);

/* The parts of a start on `world` ranks, in milliseconds: what is over before the GPU is needed,
 * and what comes then. From scratch nothing is read. */
int64_t emulation_model_prepare_ms(const struct emulation_model *self);
int64_t emulation_model_group_ms(const struct emulation_model *self, int32_t world);
int64_t emulation_model_begin_ms(const struct emulation_model *self, int32_t world, int64_t step);

/* GPU memory that one of `world` ranks needs for a global batch. */
int64_t emulation_model_memory_mib(const struct emulation_model *self, int32_t batch_size,
                                   int32_t world);

#endif
