/* gpu_mix.c - see gpu_mix.h. */
#include "tools/trace_tools/gpu_mix.h"

#include "common/number.h"
#include "scheduler/state/throughput.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define WEIGHT_MAX 1e9

static bool has_gpus(const struct gpu_mix *mix, int gpus)
{
    for (size_t i = 0; i < mix->count; i++)
        if (mix->gpus[i] == gpus)
            return true;
    return false;
}

static int add_entry(struct gpu_mix *mix, const char *text, size_t length, struct error *error)
{
    const char *colon = memchr(text, ':', length);
    const size_t digits = colon ? (size_t)(colon - text) : length;
    int64_t gpus;
    double weight;

    if (!colon || number_parse_whole(text, digits, 1, THROUGHPUT_GPUS_MAX, &gpus) != NUMBER_OK ||
        number_parse_real(colon + 1, length - digits - 1, 0, WEIGHT_MAX, &weight) != NUMBER_OK ||
        !(weight > 0))
        return error_set(error,
                         "--gpus-mix: expected GPUS:WEIGHT with 1 <= GPUS <= %d and 0 < WEIGHT <= "
                         "%g, separated by commas, found \"%.*s\"",
                         THROUGHPUT_GPUS_MAX, WEIGHT_MAX, (int)length, text);
    if (has_gpus(mix, (int)gpus))
        return error_set(error, "--gpus-mix: %d GPUs are listed twice", (int)gpus);
    if (mix->count == GPU_MIX_MAX)
        return error_set(error, "--gpus-mix: more than %d GPU counts", GPU_MIX_MAX);
    mix->gpus[mix->count] = (int)gpus;
    mix->weight_sum[mix->count] = weight + (mix->count > 0 ? mix->weight_sum[mix->count - 1] : 0);
    mix->count++;
    return 0;
}

int gpu_mix_parse(const char *text, struct gpu_mix *mix, struct error *error)
{
    mix->count = 0;
    for (;;) {
        const size_t length = strcspn(text, ",");

        if (add_entry(mix, text, length, error) < 0)
            return -1;
        if (text[length] == '\0')
            return 0;
        text += length + 1;
    }
}

size_t gpu_mix_pick(const struct gpu_mix *mix, double unit)
{
    const double point = unit * mix->weight_sum[mix->count - 1];
    size_t entry = 0;

    assert(unit >= 0 && unit < 1);
    while (entry + 1 < mix->count && point >= mix->weight_sum[entry])
        entry++;
    return entry;
}
