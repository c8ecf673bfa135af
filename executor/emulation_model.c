/* emulation_model.c - see emulation_model.h. */
#include "executor/emulation_model.h"

#include <string.h>

static const struct emulation_model models[] = {
    /* model, start-up ms, group ms, checkpoint ms, fixed MiB, KiB a sample, samples at once */
    {"bert", 9000, 1500, 3000, 3000, 96 * 1024, 32},
    {"cifar10", 5000, 1000, 500, 1000, 4 * 1024, 1024},
    {"deepspeech2", 8000, 1200, 1500, 1500, 64 * 1024, 64},
    {"gpt2", 10000, 1500, 4000, 4000, 128 * 1024, 32},
    {"imagenet", 7000, 1200, 1000, 1200, 48 * 1024, 128},
    {"inception3", 7000, 1200, 1000, 1200, 64 * 1024, 128},
    {"ncf", 4000, 1000, 500, 1000, 16, 32768},
    {"resnet50", 7000, 1200, 1000, 1200, 80 * 1024, 128},
    {"resnet50_cifar10", 6000, 1200, 1000, 1200, 8 * 1024, 256},
    {"vgg16", 7000, 1200, 2000, 2500, 96 * 1024, 128},
    {"yolov3", 8000, 1200, 1500, 2000, 160 * 1024, 64},
    {NULL, 8000, 1200, 2000, 2000, 64 * 1024, 128},
};

const struct emulation_model *emulation_model_find(const char *model)
{
    const struct emulation_model *row = models;

    while (row->model && strcmp(row->model, model) != 0)
        row++;
    return row;
}

int64_t emulation_model_prepare_ms(const struct emulation_model *self)
{
    return self->startup_ms;
}

int64_t emulation_model_group_ms(const struct emulation_model *self, int32_t world)
{
    int64_t halves = 2;

    if (world <= 1)
        return 0;
    for (int64_t ranks = 2; ranks < world; ranks *= 2)
        halves++;
    return self->group_ms * halves / 2;
}

int64_t emulation_model_begin_ms(const struct emulation_model *self, int32_t world, int64_t step)
{
    return emulation_model_group_ms(self, world) + (step > 0 ? self->checkpoint_ms : 0);
}

int64_t emulation_model_memory_mib(const struct emulation_model *self, int32_t batch_size,
                                   int32_t world)
{
    int64_t samples = (batch_size + world - 1) / world;

    if (samples > self->samples_at_once)
        samples = self->samples_at_once;
    return self->fixed_mib + (samples * self->sample_kib + 1023) / 1024;
}
