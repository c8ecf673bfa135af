/* gpus.c - see gpus.h. */
#include "worker/gpus.h"

#include "common/memory.h"
#include "common/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SPARE           8  /* numbers for GPUs that come later */
#define SPARE_OF_DRIVER 64 /* ... and for all those of a driver that is loaded later */

static const char *kind_without_driver(bool emulate)
{
    if (emulate)
        return KIND_EMULATED;
    return access("/dev/nvidia0", F_OK) == 0 ? KIND_DECLARED : KIND_MADE_UP;
}

/* GPUs of which nothing is known but how many were asked for. */
static void declare(int32_t wanted, bool emulate, int64_t memory_mib, struct gpus *gpus)
{
    gpus->kind = kind_without_driver(emulate);
    gpus->wanted = wanted;
    gpus->count = gpus->room = wanted > 0 ? wanted : 1;
    if (!emulate)
        gpus->room += wanted > SPARE_OF_DRIVER ? wanted : SPARE_OF_DRIVER;
    if (!strcmp(gpus->kind, KIND_MADE_UP))
        (void)snprintf(gpus->differs, sizeof(gpus->differs),
                       "this machine has no GPU that NVML, nvidia-smi or /dev/nvidia0 shows: "
                       "%" PRId32 " %s made up",
                       gpus->count, gpus->count == 1 ? "is" : "are");
    gpus->items = xcalloc((size_t)gpus->room, sizeof(*gpus->items));
    for (int32_t i = 0; i < gpus->count; i++)
        gpus->items[i].memory_mib = memory_mib;
}

/* Whether `word`, `length` characters of CUDA_VISIBLE_DEVICES, means the GPU that is number
 * `index`. */
static bool means(const char *word, size_t length, const struct gpu *gpu, int32_t index)
{
    int64_t number;

    if (number_parse_whole(word, length, 0, INT32_MAX, &number) == NUMBER_OK)
        return number == index;
    return length > 0 && !strncmp(gpu->uuid, word, length); /* the front of one will do */
}

/* Keeps those that this process may see, in the order in which they were named: a batch system, for
 * one, may have lent it some of the node's GPUs only. */
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
            break; /* as the driver does: what is named after a wrong one is not seen */
        kept[count++] = gpus->items[index];
        visible += length;
        visible += *visible == ',';
    }
    free(gpus->items);
    gpus->items = kept;
    gpus->count = count;
}

static void make_room(struct gpus *gpus, int32_t wanted)
{
    const int32_t first = wanted > gpus->count ? wanted : gpus->count;

    gpus->wanted = wanted;
    gpus->room = first + SPARE;
    gpus->items = xrealloc(gpus->items, (size_t)gpus->room * sizeof(*gpus->items));
    memset(gpus->items + gpus->count, 0, (size_t)(gpus->room - gpus->count) * sizeof(*gpus->items));
}

static void say_fewer(struct gpus *gpus, int32_t wanted)
{
    (void)snprintf(gpus->differs, sizeof(gpus->differs),
                   "--gpus=%" PRId32 ": this node has %" PRId32
                   " GPU%s, says %s, and gives %s; --emulate gives any number",
                   wanted, gpus->count, gpus->count == 1 ? "" : "s", gpus->kind,
                   gpus->count == 1 ? "that GPU" : "those");
}

int gpus_find(int32_t wanted, bool emulate, int64_t memory_mib, struct gpus *gpus,
              struct error *error)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    struct error unknown;

    *gpus = (struct gpus){.kind = KIND_EMULATED};
    if (emulate || gpus_look(gpus, &unknown) < 0 || gpus->count == 0) {
        gpus_clear(gpus);
        declare(wanted, emulate, memory_mib, gpus);
        return 0;
    }
    if (visible)
        gpus_keep_visible(gpus, visible);
    gpus->chosen = visible;
    if (gpus->count == 0) {
        gpus_clear(gpus);
        return error_set(error, "CUDA_VISIBLE_DEVICES shows none of this node's GPUs");
    }
    if (wanted > gpus->count)
        say_fewer(gpus, wanted);
    else if (wanted > 0)
        gpus->count = wanted;
    make_room(gpus, wanted);
    return 0;
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
