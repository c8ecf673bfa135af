/* gpus_find.c - see gpus.h: the GPUs that a worker begins with. */
#include "worker/gpus.h"

#include "common/memory.h"

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
