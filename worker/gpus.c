/* gpus.c - see gpus.h. */
#include "worker/gpus.h"

#include "common/memory.h"
#include "common/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether `word`, `length` characters of CUDA_VISIBLE_DEVICES, means the GPU that is number
 * `index`. */
static bool means(const char *word, size_t length, const struct gpu *gpu, int32_t index)
{
    int64_t number;

    if (number_parse_whole(word, length, 0, INT32_MAX, &number) == NUMBER_OK)
        return number == index;
    return length > 0 && !strncmp(gpu->uuid, word, length); /* the beginning of a UUID is enough */
}

/* Keeps the GPUs that this process may see, in the order in which `visible` names them: a batch
 * system, for example, may have lent the process only some of the node's GPUs. */
void gpus_keep_visible(struct gpus *gpus, const char *visible)
{
    struct gpu *kept = xcalloc((size_t)gpus->count, sizeof(*kept));
    int32_t count = 0;

    while (*visible && count < gpus->count) {
        const size_t length = strcspn(visible, ",");
        int32_t index = 0;

        while (index < gpus->count && !means(visible, length, &gpus->items[index], index))
            index++;
        if (index == gpus->count)
            break; /* as the driver does: GPUs named after a wrong name are not seen */
        kept[count++] = gpus->items[index];
        visible += length;
        visible += *visible == ',';
    }
    free(gpus->items);
    gpus->items = kept;
    gpus->count = count;
}

bool gpus_are_real(const struct gpus *gpus)
{
    return strcmp(gpus->kind, KIND_EMULATED) != 0 && strcmp(gpus->kind, KIND_MADE_UP) != 0;
}

int gpus_check_real(const struct gpus *gpus, struct error *error)
{
    if (gpus_are_real(gpus))
        return 0;
    return error_set(error, "--real-gpus: this machine has none that NVML, nvidia-smi or "
                            "/dev/nvidia0 shows");
}

void gpus_clear(struct gpus *gpus)
{
    free(gpus->items);
    *gpus = (struct gpus){.kind = KIND_EMULATED};
}

char *gpus_visible(const struct gpus *gpus)
{
    const size_t each = sizeof(gpus->items->uuid) + 1;
    char *text = xcalloc((size_t)gpus->count + 1, each);
    size_t used = 0;

    for (int32_t i = 0; i < gpus->count; i++) {
        const char *comma = i > 0 ? "," : "";
        const char *uuid = gpus->items[i].uuid;

        if (uuid[0])
            used += (size_t)snprintf(text + used, each + 1, "%s%s", comma, uuid);
        else
            used += (size_t)snprintf(text + used, each + 1, "%s%" PRId32, comma, i);
    }
    return text;
}
